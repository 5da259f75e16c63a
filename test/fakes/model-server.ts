import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicError, anthropicEvents, checkAnthropic } from './model-anthropic-form.ts';
import { checkOpenAi, openAiError, openAiEvents } from './model-openai-form.ts';
import type { Answer, Received, Refusal, Reply } from './model-replies.ts';

export interface ModelServerOptions {
  /** Replies in order, or a function that answers each request. */
  readonly replies: readonly Reply[] | ((request: Received) => Reply | Promise<Reply>);
  /** The only key taken; absent: any or none. */
  readonly key?: string;
  /** The only models known; absent: any. */
  readonly models?: readonly string[];
}

/** A model API on loopback that is as strict as the real ones: OpenAI's chat completions and Anthropic's messages, both streamed. */
export class ModelServer {
  /** Requests that passed the checks, oldest first. */
  readonly requests: Received[] = [];
  /** Requests that did not, and requests beyond the last reply. */
  readonly complaints: string[] = [];
  /** Answers whose stream is still open: a test may write more into them. */
  readonly open: OpenAnswer[] = [];
  readonly #options: ModelServerOptions;
  readonly #server: Server;
  #given = 0;

  private constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(options: ModelServerOptions): Promise<ModelServer> {
    const server = new ModelServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** Base URL for either form. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = FORMS[`${request.method} ${request.url}`];
    const closed = new Promise<void>((resolve) => response.on('close', resolve));
    const text = await bodyOf(request);
    if (!form)
      return refuse(
        response,
        openAiError(404, `Invalid URL (${request.method} ${request.url})`, 'invalid_request_error', null),
      );
    const received: Received = { form, headers: request.headers, body: parsed(text), closed };
    const wrong = this.#check(received);
    if (wrong) return this.#complain(response, wrong);
    this.requests.push(received);
    const reply = await this.#reply(received);
    if (!reply) return this.#complain(response, openAiError(500, 'no reply left', 'server_error', null));
    await this.#answer(received, reply, response);
  }

  #check({ form, headers, body }: Received): Refusal | undefined {
    const { key, models } = this.#options;
    const given = form === 'openai' ? headers['authorization'] : headers['x-api-key'];
    if (key !== undefined && given !== (form === 'openai' ? `Bearer ${key}` : key))
      return WRONG_KEY[form](String(given));
    if (body === undefined)
      return openAiError(400, 'We could not parse the JSON body of your request.', 'invalid_request_error', null);
    if (models && !models.includes(body.model)) return WRONG_MODEL[form](body.model);
    return form === 'openai' ? checkOpenAi(body) : checkAnthropic(body, headers);
  }

  #reply(received: Received): Reply | undefined | Promise<Reply> {
    const { replies } = this.#options;
    return typeof replies === 'function' ? replies(received) : replies[this.#given++];
  }

  async #answer({ form, body }: Received, reply: Reply, response: ServerResponse): Promise<void> {
    if ('silent' in reply) return void (reply.silent === 'reset' && response.socket?.destroy());
    if ('status' in reply) return refuse(response, reply);
    response.writeHead(200, {
      'content-type': reply.contentType ?? 'text/event-stream; charset=utf-8',
      ...reply.headers,
    });
    response.flushHeaders();
    const events =
      form === 'openai'
        ? openAiEvents(reply, body.model, body.stream_options?.include_usage === true)
        : anthropicEvents(reply, body.model);
    for (const event of events) await written(response, event);
    this.#finish(reply, response, form);
  }

  #finish(reply: Answer, response: ServerResponse, form: Received['form']): void {
    if (reply.fault === 'hang') this.open.push(new OpenAnswer(response, form));
    else if (reply.fault === 'cut') response.socket?.destroy();
    else response.end();
  }

  #complain(response: ServerResponse, refusal: Refusal): void {
    this.complaints.push(JSON.stringify(refusal.body));
    refuse(response, refusal);
  }
}

/** A stream a test goes on writing by hand. */
export class OpenAnswer {
  readonly #response: ServerResponse;
  readonly #form: Received['form'];

  constructor(response: ServerResponse, form: Received['form']) {
    this.#response = response;
    this.#form = form;
  }

  /** What keeps a connection open and is no output: a comment, or Anthropic's ping. */
  async keepAlive(): Promise<void> {
    await written(
      this.#response,
      this.#form === 'openai' ? ': keep-alive\n\n' : 'event: ping\ndata: {"type":"ping"}\n\n',
    );
  }

  /** One more piece of text, in OpenAI's form. */
  async say(text: string): Promise<void> {
    const choices = [{ index: 0, delta: { content: text }, finish_reason: null }];
    await written(
      this.#response,
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices })}\n\n`,
    );
  }
}

const FORMS: Readonly<Record<string, Received['form']>> = {
  'POST /v1/chat/completions': 'openai',
  'POST /v1/messages': 'anthropic',
};

const WRONG_KEY = {
  openai: (given: string) =>
    openAiError(
      401,
      `Incorrect API key provided: ${given.replace(/^Bearer /, '')}.`,
      'invalid_request_error',
      'invalid_api_key',
    ),
  anthropic: () => anthropicError(401, 'authentication_error', 'invalid x-api-key'),
};

const WRONG_MODEL = {
  openai: (model: string) =>
    openAiError(
      404,
      `The model \`${model}\` does not exist or you do not have access to it.`,
      'invalid_request_error',
      'model_not_found',
    ),
  anthropic: (model: string) => anthropicError(404, 'not_found_error', `model: ${model}`),
};

function refuse(response: ServerResponse, { status, body, headers }: Refusal): void {
  const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'x-request-id': 'req_1', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    response.write(text, () => resolve());
  });
}
