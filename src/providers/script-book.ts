import type { ChatMessage, ModelRequest } from '../contract/model.ts';
import type { Script, ScriptStep } from './script-file.ts';

export interface Reply {
  readonly script: string;
  readonly index: number;
  readonly steps: readonly ScriptStep[];
}

/**
 * Which reply comes next. Each (script, session) has its own place, so concurrent conversations stay apart. With `resume` a
 * place that this process does not know yet is read from the transcript: a script goes on after a crash.
 */
export class ScriptBook {
  readonly #scripts: readonly Script[];
  readonly #places = new Map<string, number>();

  constructor(scripts: readonly Script[]) {
    this.#scripts = scripts;
  }

  /** The reply and the place after it, or a sentence about what is missing. */
  next(request: ModelRequest): Reply | string {
    const number = this.#scripts.findIndex((script) => fits(script, request));
    const script = this.#scripts[number];
    if (!script) return 'No script fits this request.';
    const name = script.name ?? script.prompt ?? `script ${number + 1}`;
    const key = `${number} ${request.session ?? ''}`;
    const place = this.#places.get(key) ?? (script.resume ? answersSoFar(script, request.messages) : 0);
    const index = script.repeat ? place % script.replies.length : place;
    const steps = script.replies[index];
    if (!steps) return `The script "${name}" has ${script.replies.length} replies and was asked for one more.`;
    this.#places.set(key, place + 1);
    return { script: name, index, steps };
  }

  /** Scripts that were begun and have replies left, and scripts never begun. */
  get unfinished(): readonly string[] {
    const places = (number: number) =>
      [...this.#places].filter(([key]) => key.startsWith(`${number} `)).map(([, place]) => place);
    return this.#scripts.flatMap((script, number) => {
      const reached = places(number);
      const finished = reached.length > 0 && reached.every((place) => script.repeat || place >= script.replies.length);
      return finished ? [] : [script.name ?? script.prompt ?? `script ${number + 1}`];
    });
  }
}

/** The person's words a turn began with or was steered by: the last run of messages from them. */
export function lastPrompt(messages: readonly ChatMessage[]): string {
  const last = messages.findLastIndex((m) => m.role === 'user');
  let start = last;
  while (messages[start - 1]?.role === 'user') start--;
  return messages
    .slice(Math.max(start, 0), last + 1)
    .map((m) => m.content)
    .join('\n\n');
}

function fits(script: Script, request: ModelRequest): boolean {
  if (script.session !== undefined && script.session !== request.session) return false;
  return matches(script.prompt, lastPrompt(request.messages));
}

function matches(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || new RegExp(pattern, 'i').test(text);
}

/** Answers stored in turns whose prompt this script fits. */
function answersSoFar(script: Script, messages: readonly ChatMessage[]): number {
  return messages.filter((m, i) => m.role === 'assistant' && matches(script.prompt, lastPrompt(messages.slice(0, i))))
    .length;
}
