import type { ChatMessage, ModelFailureKind, ModelRequest } from '../contract/model.ts';
import { type Act, PHRASES, readPhrase } from './practice-phrases.ts';
import { callRecords, recap, reportCall } from './practice-report.ts';

export const NO_LANGUAGE_MODEL =
  'I am the practice model: no language model, only these phrases. Set model.primary to use a real one.';

const MOST_PHRASES = 5;

/** What the practice model does with a request: one call, or a text that ends the turn or breaks off. */
export type PracticeStep =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly index: number;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fail'; readonly failure: ModelFailureKind };

/** A phrase of the person's message and what it means here. */
interface Item {
  readonly phrase: string;
  readonly act: Act;
}

/** Reads everything from the messages, so it goes on after any interruption: plan of the last words, minus the calls made since. */
export function nextStep(request: ModelRequest): PracticeStep {
  const start = request.messages.findLastIndex((m) => m.role === 'user');
  const before = request.messages.slice(0, personStart(request.messages, start));
  const made = callRecords(request.messages.slice(start + 1));
  const plan = readPlan(personWords(request.messages, start), request);
  const reports = made.map(reportCall);

  let calls = 0;
  const parts: string[] = [];
  for (const { act, phrase } of plan) {
    if (act.kind === 'loop') {
      if (offers(request, act.tool, act.input)) return { ...act, kind: 'call', index: made.length };
      parts.push('I was asked to loop. The tools are off now, so I stop.');
    } else if (act.kind === 'call') {
      const done = reports[calls++];
      if (done !== undefined) parts.push(done);
      else if (offers(request, act.tool, act.input)) return { ...act, index: made.length };
      else parts.push(`Not done: \`${phrase}\`; the tool ${act.tool} is not offered here.`);
    } else if (act.kind === 'fail') return act;
    else parts.push(speech(act, before, request));
  }
  return { kind: 'text', text: [...greeting(before, request, parts), ...parts].join('\n\n') };
}

/** The same words open every conversation; runs without a person at the other end are spared. */
function greeting(before: readonly ChatMessage[], request: ModelRequest, parts: readonly string[]): readonly string[] {
  const first = !before.some((m) => m.role === 'assistant') && request.system.varying === '';
  return first && !parts.some((part) => part.includes(NO_LANGUAGE_MODEL)) ? [NO_LANGUAGE_MODEL] : [];
}

function speech(
  act: Exclude<Act, { kind: 'call' | 'loop' | 'fail' }>,
  before: readonly ChatMessage[],
  request: ModelRequest,
): string {
  if (act.kind === 'say') return act.text;
  return act.kind === 'recap' ? recap(callRecords(before)) : help(request);
}

/** Every phrase that works with the tools of this request. */
function help(request: ModelRequest): string {
  const usable = PHRASES.filter(
    ({ example, unlisted }) => !unlisted && choose(readPhrase(example), request) !== undefined,
  );
  const examples = [...new Set(usable.map(({ example }) => example))].map(
    (example) => `- \`${example.replaceAll('`', '')}\``,
  );
  return [NO_LANGUAGE_MODEL, '', ...examples, `- up to ${MOST_PHRASES} of them: \`list files then say done\``].join(
    '\n',
  );
}

function readPlan(words: readonly string[], request: ModelRequest): readonly Item[] {
  const phrases = words.flatMap(splitPhrases);
  const plan = phrases.slice(0, MOST_PHRASES).map((phrase) => ({ phrase, act: meaning(phrase, request) }));
  if (phrases.length <= MOST_PHRASES) return plan;
  return [
    ...plan,
    { phrase: '', act: { kind: 'say', text: `I take ${MOST_PHRASES} phrases at a time and left out the rest.` } },
  ];
}

function meaning(phrase: string, request: ModelRequest): Act {
  const acts = readPhrase(phrase);
  if (acts.length === 0 && request.toolChoice === 'none') return { kind: 'recap' };
  return choose(acts, request) ?? acts[0] ?? { kind: 'help' };
}

function choose(acts: readonly Act[], request: ModelRequest): Act | undefined {
  return acts.find((act) => !('tool' in act) || offers(request, act.tool, act.input));
}

function offers(request: ModelRequest, name: string, input: unknown): boolean {
  if (request.toolChoice === 'none') return false;
  return request.tools.find((tool) => tool.name === name)?.input.safeParse(input).success ?? false;
}

/** `A then B`, cut only where what follows is a phrase too. */
function splitPhrases(text: string): readonly string[] {
  const cuts = [...text.matchAll(/[,;.]?\s+then\s+/gi)];
  for (const [i, cut] of cuts.entries()) {
    const rest = text.slice(cut.index + cut[0].length);
    const upToNext = rest.slice(0, (cuts[i + 1]?.index ?? text.length) - cut.index - cut[0].length);
    if (readPhrase(rest).length + readPhrase(upToNext).length > 0)
      return [text.slice(0, cut.index).trim(), ...splitPhrases(rest)];
  }
  return [text.trim()];
}

/** Messages sent quickly one after the other are one request. */
function personStart(messages: readonly ChatMessage[], last: number): number {
  let start = last;
  while (messages[start - 1]?.role === 'user') start--;
  return Math.max(start, 0);
}

function personWords(messages: readonly ChatMessage[], last: number): readonly string[] {
  const contents = messages.slice(personStart(messages, last), last + 1).map((m) => m.content);
  return contents
    .flatMap((content) => content.split(/\n\n(?=\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )/))
    .map(withoutHead)
    .filter(Boolean);
}

/** Drops the line that says when, and in groups who: `[Sat 29 Nov 2026 14:05 Europe/Berlin "Ann"]`. */
function withoutHead(content: string): string {
  return content
    .replace(/^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:"[^"\n]*"|[^"\]\n])*\](?:\s*"[^"\n]*":?)?\s*/, '')
    .trim();
}
