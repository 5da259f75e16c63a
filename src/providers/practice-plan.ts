import type { ChatMessage, ModelFailureKind, ModelRequest } from '../contract/model.ts';
import { type Act, PHRASES, readPhrase } from './practice-phrases.ts';
import { type CallRecord, callRecords, recap, reportCall } from './practice-report.ts';

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
  const { start, end } = lastRequest(request.messages);
  const before = request.messages.slice(0, start);
  const made = callRecords(request.messages.slice(end));
  const plan = readPlan(request.messages.slice(start, end).flatMap(personWords), request);
  const here = { request, before, made, results: made.map(reportCall) };
  const parts: string[] = [];
  for (const item of plan) {
    const outcome = carryOut(item, here);
    if (typeof outcome !== 'string') return outcome;
    parts.push(outcome);
  }
  return { kind: 'text', text: [...greeting(before, request, parts), ...parts].join('\n\n') };
}

interface Here {
  readonly request: ModelRequest;
  readonly before: readonly ChatMessage[];
  readonly made: readonly CallRecord[];
  /** Reports of the calls made since the person's words, not told yet. */
  readonly results: string[];
}

/** What is to be said of one item, or the step it needs first. */
function carryOut({ act, phrase }: Item, { request, before, made, results }: Here): string | PracticeStep {
  switch (act.kind) {
    case 'fail':
      return act;
    case 'loop':
      if (offers(request, act)) return { ...act, kind: 'call', index: made.length };
      return 'I was asked to loop. The tools are off now, so I stop.';
    case 'call': {
      const told = results.shift();
      if (told !== undefined) return told;
      if (offers(request, act)) return { ...act, index: made.length };
      return `Not done: \`${phrase}\`; ${missing(request, act.tool)}.`;
    }
    case 'say':
      return act.text;
    case 'recap':
      return recap(callRecords(before));
    case 'help':
      return help(request);
  }
}

/** The same words open every conversation; runs without a person at the other end are spared. */
function greeting(before: readonly ChatMessage[], request: ModelRequest, parts: readonly string[]): readonly string[] {
  const first = !before.some((m) => m.role === 'assistant') && request.system.varying === '';
  return first && !parts.some((part) => part.includes(NO_LANGUAGE_MODEL)) ? [NO_LANGUAGE_MODEL] : [];
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
  return acts.find((act) => !('tool' in act) || offers(request, act));
}

/** The tool is there and would take the input. */
function offers(request: ModelRequest, { tool: name, input }: Extract<Act, { readonly tool: string }>): boolean {
  if (request.toolChoice === 'none') return false;
  return request.tools.find((tool) => tool.name === name)?.input.safeParse(input).success ?? false;
}

function missing(request: ModelRequest, tool: string): string {
  return request.toolChoice === 'none' ? 'tools are off now' : `the tool ${tool} is not offered here`;
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

const HEAD = /^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:"[^"\n]*"|[^"\]\n])*\](?:\s*"[^"\n]*":?)?\s*/;
/** In groups people call the bot by name first, or answer one of its messages. */
const CALL = /^(?:\[in reply to: "[^\n]*"\]\s*)?(?:(?:@\w+|<@!?\d+>)[\s,:]+)?/;
const NEXT_MESSAGE = /\n\n(?=\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) |from hermod))/;

/**
 * What the person said in one message of the conversation: it may hold several of theirs, each under its head
 * (`[Sat 29 Nov 2026 14:05 Europe/Berlin]`), and notes of the daemon, which are nobody's words.
 */
function personWords(message: ChatMessage | undefined): readonly string[] {
  if (message?.role !== 'user') return [];
  const pieces = message.content.split(NEXT_MESSAGE).filter((piece) => !piece.startsWith('[from hermod'));
  return pieces.map((piece) => piece.replace(HEAD, '').replace(CALL, '').trim()).filter((words) => words !== '');
}

/** Messages of the person in a row are one request: from `start` up to `end`, not included. */
function lastRequest(messages: readonly ChatMessage[]): { readonly start: number; readonly end: number } {
  const last = messages.findLastIndex((message) => personWords(message).length > 0);
  let start = last;
  while (messages[start - 1]?.role === 'user') start--;
  return { start: Math.max(start, 0), end: last + 1 };
}
