import type { Call } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { isKnown } from '../shell/marks.ts';
import type { Options } from '../shell/options.ts';
import { parseOptions } from '../shell/options.ts';

/** A setting of git, and the word that makes it. */
interface Setting {
  readonly key: string;
  readonly value: string;
  readonly at: Field | undefined;
}

const CONFIG =
  'global local system worktree add replace-all unset unset-all get get-all get-regexp get-urlmatch l|list e|edit f|file: blob: type: bool int path default: name-only show-origin show-scope z|null fixed-value comment: value: all';

/** What a call of git sets for itself: by `-c`, by variables, or for later by `git config`. */
function settingsOf(call: Call, verb: string, args: readonly Field[], global: Options): readonly Setting[] {
  const given = [
    ...global.values('c').flatMap((at) => pairOf(at.text, at)),
    ...global.values('config-env').flatMap((at) => pairOf(at.text.replace(/=.*$/s, '=++'), at)),
  ];
  const later = verb === 'config' ? configured(args) : [];
  return call.assignments.length === 0 ? [...given, ...later] : [...given, ...later, ...exported(call)];
}

function pairOf(text: string, at: Field): readonly Setting[] {
  const eq = text.indexOf('=');
  return [{ key: eq < 0 ? text : text.slice(0, eq), value: eq < 0 ? 'true' : text.slice(eq + 1), at }];
}

export function configured(args: readonly Field[]): readonly Setting[] {
  const options = parseOptions(args, CONFIG);
  if (options.has('get', 'get-all', 'get-regexp', 'get-urlmatch', 'l', 'e', 'unset', 'unset-all')) return [];
  const [verb, ...rest] = options.operands;
  const [key, value] = verb?.text === 'set' ? rest : options.operands;
  return key && value ? [{ key: key.text, value: value.text, at: value }] : [];
}

/** `GIT_CONFIG_KEY_0=name GIT_CONFIG_VALUE_0=value`. */
function exported(call: Call): readonly Setting[] {
  const set = new Map(call.assignments);
  return call.assignments.flatMap(([name, key]) => {
    if (key !== null && name === 'GIT_CONFIG_PARAMETERS') return parametersOf(key);
    if (key === null || !name.startsWith('GIT_CONFIG_KEY_')) return [];
    const value = set.get(name.replace('KEY', 'VALUE')) ?? '';
    return [{ key, value, at: undefined }];
  });
}

/** `'key=value' 'key'='value'`, as git hands its own `-c` on. */
function parametersOf(text: string): readonly Setting[] {
  const pairs = text.replace(/'='/g, '=').split("'");
  return pairs
    .filter((pair) => pair.includes('='))
    .map((pair) => {
      const eq = pair.indexOf('=');
      return { key: pair.slice(0, eq), value: pair.slice(eq + 1), at: undefined };
    });
}

export const OFF = /^(?:false|no|off|0|)$/i;

/** A remote to which every push is forced: `remote.origin.push=+..`, `remote.origin.mirror=true`. */
export function forcesPushes(call: Call, verb: string, args: readonly Field[], global: Options): Setting | undefined {
  return settingsOf(call, verb, args, global).find(
    ({ key, value }) =>
      (/^remote\..+\.push$/i.test(key) && /^[+:]./.test(value)) ||
      (/^remote\..+\.mirror$/i.test(key) && isKnown(value) && !OFF.test(value)),
  );
}

/** `clean.requireForce=false`: then `git clean` needs no `-f`. */
export function cleansUnasked(call: Call, verb: string, args: readonly Field[], global: Options): Setting | undefined {
  return settingsOf(call, verb, args, global).find(
    ({ key, value }) => /^clean\.requireforce$/i.test(key) && OFF.test(value),
  );
}

const FETCH =
  'f|force p|prune P|prune-tags a|all append depth: deepen: shallow-since: shallow-exclude: unshallow t|tags n|no-tags j|jobs: u|update-head-ok upload-pack: q|quiet v|verbose o|server-option: refmap: set-upstream recurse-submodules? negotiation-tip: filter: multiple atomic dry-run k|keep 4 6 r|rebase? s|strategy: X|strategy-option: no-rebase ff-only ff no-ff autostash no-autostash stat no-stat squash commit no-commit edit no-edit S|gpg-sign? allow-unrelated-histories no-verify';

/** Refs that only follow a remote. */
const FOLLOWING = /^refs\/(?:remotes|tags|notes|pull|merge-requests)\//;

/** `git fetch origin +main:main`, `git fetch -f origin main:main`: a branch here becomes what the remote has. */
export function overwritesBranch(args: readonly Field[]): Field | undefined {
  const options = parseOptions(args, FETCH);
  if (options.has('dry-run', 'help')) return undefined;
  const force = options.has('f');
  return options.operands.slice(1).find(({ text }) => {
    const match = /^(\+?)[^:]*:(.+)$/.exec(text);
    return match !== null && (force || match[1] === '+') && !FOLLOWING.test(match[2] as string);
  });
}
