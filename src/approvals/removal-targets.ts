import { resolve } from 'node:path';
import type { Analysis, KnownWord, ResolvedCommand } from './analysis.ts';

/** One thing a removal names. */
export interface Target {
  readonly path: string;
  /** As the command writes it. */
  readonly name: string;
  /** Folders go with all that is in them. */
  readonly recursive: boolean;
  /** Not everything in it may match what the command looks for. */
  readonly atMost: boolean;
}

/** What the removals in a command name; `unknown` where only running it would tell; undefined: it removes nothing. */
export function removalTargets({ commands }: Pick<Analysis, 'commands'>): readonly Target[] | 'unknown' | undefined {
  const found = commands.flatMap((command) => targetsOf(command) ?? []);
  if (found.length === 0) return commands.some((command) => targetsOf(command) !== undefined) ? [] : undefined;
  return found.some((target) => target === 'unknown') ? 'unknown' : (found as Target[]);
}

function targetsOf(command: ResolvedCommand): readonly (Target | 'unknown')[] | undefined {
  switch (command.program) {
    case 'rm':
    case 'unlink':
      return ofRm(command);
    case 'find':
      return ofFind(command);
    case 'git':
      return ofGitClean(command);
    default:
      return undefined;
  }
}

function ofRm({ argv, cwd }: ResolvedCommand): readonly (Target | 'unknown')[] {
  const [, ...words] = argv;
  const end = words.indexOf('--');
  const isOption = (word: KnownWord, i: number) => word?.startsWith('-') && word !== '-' && (end < 0 || i < end);
  const recursive = words.some((word, i) => isOption(word, i) && /^(?:-[a-z]*r|--recursive$)/i.test(word as string));
  const named = words.filter((word, i) => i !== end && !isOption(word, i));
  return named.map((word) => target(word, cwd, recursive, false));
}

/** The places before the first test; with tests beside `-delete` not everything there goes. */
function ofFind({ argv, cwd }: ResolvedCommand): readonly (Target | 'unknown')[] | undefined {
  const words = argv.slice(1);
  if (!words.includes('-delete')) return undefined;
  const first = words.findIndex((word) => word !== null && /^[-(!]/.test(word));
  const places = words.slice(0, first);
  const atMost = words.slice(first).some((word) => word !== '-delete');
  return (places.length === 0 ? ['.'] : places).map((word) => target(word, cwd, true, atMost));
}

/** Untracked files: which they are, only git knows. */
function ofGitClean({ argv }: ResolvedCommand): readonly 'unknown'[] | undefined {
  return argv.includes('clean') ? ['unknown'] : undefined;
}

function target(word: KnownWord, cwd: string | null, recursive: boolean, atMost: boolean): Target | 'unknown' {
  if (word === null || cwd === null || /[*?[]/.test(word)) return 'unknown';
  return { path: resolve(cwd, word), name: word, recursive, atMost };
}
