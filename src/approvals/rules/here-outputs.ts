import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { CURL_OPTIONS, WGET_OPTIONS } from '../shell/file-effects.ts';
import { orHere } from '../shell/listings.ts';
import { byName } from '../shell/lookup.ts';
import type { Options } from '../shell/options.ts';
import type { Pick } from './picks.ts';

/** What lands in the folder a program runs in, unless `away` says that it goes elsewhere or nowhere. */
const here =
  (grammar: string, away: (options: Options) => boolean): Pick =>
  (call) =>
    away(optionsOf(call, grammar)) ? [] : orHere(call, []);

/** Files that get other names, or the folder where their names are read from stdin. */
const renamed: Pick = (call) => {
  const options = optionsOf(
    call,
    'n|no-act|just-print|dry-run v|verbose f|force 0 e: E: d s: o|no-overwrite i u|unicode?',
  );
  return options.has('n') ? [] : orHere(call, options.operands.slice(options.has('e', 'E') ? 0 : 1));
};

/** Programs that choose the names of what they write. */
const OUTPUTS = byName<Pick>({
  curl: here(CURL_OPTIONS, (options) => !options.has('O', 'remote-name-all') || options.has('output-dir')),
  wget: here(
    WGET_OPTIONS,
    (options) => options.has('O', 'P', 'spider', 'h') || (options.operands.length === 0 && !options.has('i')),
  ),
  aria2c: here(
    'o|out: d|dir: i|input-file: x: s: j: k: c q|quiet',
    (options) => options.has('d', 'o') || (options.operands.length === 0 && !options.has('i')),
  ),
  axel: here('o|output: n: s: H: U: a q v c k', (options) => options.has('o') || options.operands.length === 0),
  patch: here(
    'p|strip: i|input: R N d|directory: b f s o|output: r: E F: z: B: u c e n l t V: dry-run C|check v|version',
    (options) => options.has('d', 'o', 'dry-run', 'C', 'v') || options.operands.length > 0,
  ),
  split: here(
    'a: b: C: d e l: n: t: u filter: x? numeric-suffixes? additional-suffix: v|verbose',
    (options) => options.has('filter') || options.operands.length > 1,
  ),
  csplit: here('f|prefix: b: n: k s z', (options) => options.has('f') || options.operands.length < 2),
  uudecode: here('o|output-file: c p', (options) => options.has('o', 'p')),
  rename: renamed,
  prename: renamed,
  ar: (call) => (/^-?[a-zA-Z]*x/.test(call.args[0]?.text ?? '') ? orHere(call, []) : []),
  jar: (call) => (/^-?[a-zA-Z]*x/.test(call.args[0]?.text ?? '') ? orHere(call, []) : []),
  unar: here('o|output-directory: f D d e: p: q r s t', (options) => options.has('o')),
  cabextract: here('d|directory: p|pipe l|list t|test F: L q', (options) => options.has('d', 'p', 'l', 't')),
});

/** `/usr/src/app` of an image is where its own program lies; mounts that matter are asked about by themselves. */
export function inContainer(call: Call): boolean {
  return call.frame.container?.mapped === false;
}

export const HERE_PROGRAMS: readonly string[] = [...OUTPUTS.keys()];

/** Where a program puts files whose names its words do not say. */
export function hereOutputs(call: Call): readonly Field[] {
  return inContainer(call) ? [] : (OUTPUTS.get(call.program)?.(call) ?? []);
}
