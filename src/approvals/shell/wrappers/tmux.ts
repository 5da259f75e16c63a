import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { parseOptions } from '../options.ts';
import { within } from '../walker.ts';
import type { Inner, Peel } from './inner.ts';
import { bothReadings, joinFields, RUNS_CODE } from './inner.ts';
import { MAX_TEXTS, shellText } from './peel-makers.ts';

/** Its commands whose last words are run in a shell. */
const RUNS =
  /^(?:new-session|new|new-window|neww|split-window|splitw|respawn-pane|respawnp|respawn-window|respawnw|popup|display-popup|run-shell|run|if-shell|if|pipe-pane|pipep)$/;
const RUN_OPTIONS = 'A d D E P X c: e: f: F: n: s: t: x: y: h v b l: p: Z k a S g I O o w: B C';
const KEYS =
  /^(?:Enter|C-\w|M-\w|Escape|Tab|Space|KPEnter|BSpace|Up|Down|Left|Right|Home|End|PageUp|PageDown|PgUp|PgDn|DC|F\d+)$/;
/** Commands that keep another command of tmux for later: their options, and the operands before it. */
const KEEPS: Readonly<Record<string, readonly [options: string, skip: number]>> = {
  'set-hook': ['a g p R u w t:', 1],
  'bind-key': ['n r N: T:', 1],
  bind: ['n r N: T:', 1],
  'confirm-before': ['b y c: p: t:', 0],
  confirm: ['b y c: p: t:', 0],
};
const SETS = /^(?:set(?:-option|w)?|set-window-option)$/;

/** tmux runs last words in a shell of its own, keeps commands for keys and events, and fills in `#(text)`. */
export const tmux: Peel = (call) => {
  const { operands } = parseOptions(call.args, 'S: L: f: T: c: 2 C D l N u v V', { stop: true });
  return commandsIn(operands).flatMap((words) => [...command(call, words), ...filledIn(call, words)]);
};

/** A word that is or ends in `;` parts commands. */
export function commandsIn(words: readonly Field[]): readonly (readonly Field[])[] {
  const list: Field[][] = [[]];
  for (const word of words) {
    const ends = word.text.endsWith(';');
    const text = ends ? word.text.slice(0, -1) : word.text;
    if (text !== '') list.at(-1)?.push(ends ? { ...word, raw: '', text } : word);
    if (ends) list.push([]);
  }
  return list;
}

function command(call: Call, [verb, ...rest]: readonly Field[]): readonly Inner[] {
  const text = verb?.text ?? '';
  if (RUNS.test(text)) {
    const words = parseOptions(rest, RUN_OPTIONS, { stop: true }).operands;
    if (words.length === 0) return [];
    const run = bothReadings(words, call, { wrapper: { program: call.program }, bar: RUNS_CODE });
    return text.startsWith('if') ? [...run, ...words.slice(1).flatMap((word) => kept(call, [word]))] : run;
  }
  const keeps = Object.hasOwn(KEEPS, text) ? KEEPS[text] : undefined;
  if (keeps) return kept(call, parseOptions(rest, keeps[0], { stop: true }).operands.slice(keeps[1]));
  if (SETS.test(text)) {
    const [name, value] = parseOptions(rest, 'a F g o p q s u U w t:', { stop: true }).operands;
    return name?.text === 'default-command' && value ? [shellText(call, value)] : [];
  }
  if (text !== 'send-keys' && text !== 'send') return [];
  const keys = parseOptions(rest, 't: F H K l M N: R X', { stop: true }).operands.filter((key) => !KEYS.test(key.text));
  return keys.length > 0 ? [shellText(call, joinFields(keys, call))] : [];
}

/** A command of tmux, as words or as one text that it reads much as a shell does. */
function kept(call: Call, given: readonly Field[]): readonly Inner[] {
  const words = given.filter(({ text }) => !/^[{}]$/.test(text));
  const [first] = words;
  if (!first) return [];
  if (words.length === 1 && /\s/.test(first.text))
    return [shellText(call, { ...first, raw: '', text: `tmux ${first.text.replace(/^\s*\{|\}\s*$/g, '')}` })];
  return [{ run: { kind: 'argv', argv: [call.argv0, ...words] }, wrapper: { program: call.program }, bar: RUNS_CODE }];
}

function filledIn(call: Call, [verb, ...rest]: readonly Field[]): readonly Inner[] {
  if (/^send(?:-keys)?$|^set(?:-buffer|b)$/.test(verb?.text ?? '')) return [];
  const texts = rest.flatMap((field) =>
    [...field.text.matchAll(/#\(([^)]*)\)?/g)].map((match) => ({ ...field, raw: '', text: match[1] as string })),
  );
  return within(texts, MAX_TEXTS).map((text) => shellText(call, text));
}
