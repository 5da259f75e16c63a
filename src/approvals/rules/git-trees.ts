import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { orHere } from '../shell/listings.ts';
import { parseOptions } from '../shell/options.ts';
import type { Trees } from './packed-trees.ts';
import { below } from './packed-trees.ts';

/** `git grep --no-index` and `git diff --no-index` read any folder; `git add` and `git hash-object` keep what they read. */
export function gitReads(call: Call): Trees | undefined {
  const global = optionsOf(call, 'C: c: git-dir: work-tree: namespace: exec-path? p|paginate P|no-pager bare', {
    stop: true,
  });
  const [verb, ...rest] = global.operands;
  const base = [...global.values('C'), ...global.values('work-tree')].reduce((all, { text }) => below(all, text), '');
  if (/^(?:add|stage|hash-object|commit|stash)$/.test(verb?.text ?? ''))
    return keptByGit(verb?.text ?? '', rest, base, call);
  if (!rest.some(({ text }) => text === '--no-index')) return undefined;
  const options = parseOptions(rest, 'e: f: m: A: B: C: O? no-index i n w l c h H E P F G q');
  const from = verb?.text === 'grep' && !options.has('e', 'f') ? 1 : 0;
  const roots = orHere(call, options.operands.slice(from));
  return verb?.text === 'grep' || verb?.text === 'diff'
    ? { roots: roots.map((field) => ({ ...field, text: below(base, field.text) })) }
    : undefined;
}

/** What git would put into its store. */
function keptByGit(verb: string, rest: readonly Field[], base: string, call: Call): Trees | undefined {
  const options = parseOptions(
    rest,
    'A|all a u|update f n|dry-run N p i v m|message: F|file: w t: stdin path: e chmod: S? s q',
  );
  const whole = options.has('A', 'a', 'u') || verb === 'stash';
  if (
    options.has('n') ||
    (verb === 'commit' && !whole) ||
    (verb === 'stash' && rest.length > 0 && !options.has('u', 'a'))
  )
    return undefined;
  const roots = verb === 'commit' || verb === 'stash' ? [] : options.operands;
  const named = roots.length > 0 ? roots : whole ? orHere(call, []) : [];
  return { roots: named.map((field) => ({ ...field, text: below(base, field.text) })) };
}
