import { activateGlobs, isKnown } from '../shell/marks.ts';
import { isOwnProgram } from '../shell/own-places.ts';
import { hoardsBelow } from '../shell/secret-trees.ts';
import type { Effect, Place, Sink } from './effects.ts';
import { choicesOf, writes } from './effects.ts';
import { asText } from './values.ts';

/** Takes everything below a folder along: copies it, packs it. */
export function readsTree(index = 0): Effect {
  return (use) => {
    if (use.called) for (const text of choicesOf(use.args[index] ?? use.on)) readTree(use.sink, text, use.at);
    return undefined;
  };
}

function readTree(sink: Sink, text: string, at: Place): void {
  for (const path of sink.paths(text))
    for (const { own, what } of hoardsBelow(path, sink.facts)) {
      if (own) sink.report('self.files', at, "reads a whole tree with hermod's secrets in it");
      else sink.report('secret.read', at, `reads a whole tree with ${what} in it`);
    }
}

/** Goes through the files of a folder. */
export function walks(index = 0, then: Effect = () => undefined): Effect {
  return (use) => {
    if (use.called)
      for (const root of choicesOf(use.args[index] ?? use.on)) use.sink.seen.walked.push({ root, at: use.at });
    return then(use);
  };
}

/** Once a script is read: what it went through counts where it also read files without naming them. */
export function judgeWalked(sink: Sink): void {
  if (!sink.seen.opaque) return;
  for (const { root, at } of sink.seen.walked) readTree(sink, treeRoot(root), at);
}

/** The folder before the first open part of a pattern. */
function treeRoot(pattern: string): string {
  const marks = activateGlobs(pattern);
  if (isKnown(marks)) return pattern;
  const parts = marks.split('/');
  const open = parts.findIndex((part) => !isKnown(part));
  return parts.slice(0, open).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

/** `os.chdir(path)`. */
export const entersFolder: Effect = (use) => {
  if (use.called) use.sink.enter(asText(use.args[0]));
  return undefined;
};

/** Copies a whole tree to another place. */
export function copiesTree(from = 0, to = 1): Effect {
  return (use) => {
    readsTree(from)(use);
    return writes(to)(use);
  };
}

/** A module by its path: hermod's own does what hermod does. */
export function loadsModule(sink: Sink, text: string, at: Place): void {
  if (
    /^(?:[./]|file:)/.test(text) &&
    sink.paths(text.replace(/^file:\/\//, '')).some((path) => isOwnProgram(path, sink.facts))
  )
    sink.report('self.launcher', at, "loads hermod's own program");
}
