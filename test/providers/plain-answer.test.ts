import { afterEach, describe, expect, it } from 'vitest';
import { createAnthropic } from '../../src/providers/anthropic.ts';
import { createOpenAiCompatible } from '../../src/providers/openai-compatible.ts';
import { plainAnswer } from '../../src/providers/plain-answer.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import type { Reply } from '../fakes/model-replies.ts';
import { ModelServer } from '../fakes/model-server.ts';

let server: ModelServer;
afterEach(() => server.stop());

const signal = new AbortController().signal;
const clock = new FakeClock();
const makers = {
  openai: (baseUrl: string) => createOpenAiCompatible({ name: 'test', baseUrl, clock }),
  anthropic: (baseUrl: string) => createAnthropic({ name: 'test', baseUrl, apiKey: 'k', clock }),
};

async function asked(form: keyof typeof makers, reply: Reply, text = 'rm -rf build?') {
  server = await ModelServer.start({ replies: [reply] });
  const target = { choice: { provider: 'test', model: 'judge' }, provider: makers[form](server.url) };
  return plainAnswer(target, text, { maxOutputTokens: 16, temperature: 0 }, signal);
}

describe.each(['openai', 'anthropic'] as const)('a plain question over the %s form', (form) => {
  it('sends the text alone: no tools, no system prompt, the temperature and length it was given', async () => {
    expect(await asked(form, { say: ['APP', 'ROVE'] })).toBe('APPROVE');
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({ model: 'judge', temperature: 0, max_tokens: 16 });
    expect([body['tools'], body['system']]).toEqual([undefined, undefined]);
    expect(JSON.stringify(body['messages'])).toContain('rm -rf build?');
    expect(body['messages']).toHaveLength(1);
  });

  it('keeps what was said where the length ended it, and rejects where nobody answered, without the text', async () => {
    expect(await asked(form, { say: 'ESCALATE because', finish: form === 'openai' ? 'length' : 'max_tokens' })).toBe(
      'ESCALATE because',
    );
    await server.stop();
    const failed = asked(form, { status: 401, body: { error: { message: 'my secret command' } } }, 'my secret command');
    await expect(failed).rejects.toThrow(/^test:judge did not answer: /);
    await expect(failed).rejects.not.toThrow(/my secret command/);
  });
});
