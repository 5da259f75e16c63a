import type { Call } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { hasGlob } from '../shell/marks.ts';
import type { Options } from '../shell/options.ts';
import { parseOptions } from '../shell/options.ts';
import { GIT_GLOBAL } from '../shell/wrappers/runners.ts';
import { cleansUnasked, forcesPushes, overwritesBranch } from './git-force.ts';
import { fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

interface GitCall {
  readonly verb: string;
  readonly args: readonly Field[];
  readonly global: Options;
}

/** Programs that take git's words, and git's verbs as programs of their own: `git-reset --hard`. */
function spelled(...verbs: readonly string[]): readonly string[] {
  return ['git', 'yadm', 'hub', ...verbs.map((verb) => `git-${verb}`)];
}

export function gitCall(call: Call): GitCall | null {
  if (call.program.startsWith('git-')) return dashedCall(call);
  const global = parseOptions(call.args, GIT_GLOBAL, { stop: true });
  const [verb, ...args] = global.operands;
  if (!verb || global.has('help')) return null;
  if (args.some((arg, i) => arg.text === '--help' || (arg.text === '-h' && i === 0))) return null;
  return { verb: verb.text, args, global };
}

function dashedCall(call: Call): GitCall | null {
  if (call.args.some((arg, i) => arg.text === '--help' || (arg.text === '-h' && i === 0))) return null;
  return { verb: call.program.slice(4), args: call.args, global: parseOptions([], GIT_GLOBAL) };
}

/** Options of one verb, `--no-x` left out. */
function read(git: GitCall, grammar: string): Options {
  return parseOptions(git.args, grammar);
}

function on(...verbs: readonly string[]) {
  return (test: (git: GitCall, call: Call) => Hit) =>
    (call: Call): Hit => {
      const git = gitCall(call);
      return git !== null && verbs.includes(git.verb) && test(git, call);
    };
}

const PUSH =
  'f|force force-with-lease? force-if-includes d|delete mirror prune all tags follow-tags n|dry-run u|set-upstream q|quiet v|verbose o|push-option: repo: receive-pack|exec: signed? atomic thin no-thin no-verify porcelain progress recurse-submodules: 4 6 no-force-with-lease branches';

function forcePush(git: GitCall, call: Call): Hit {
  const set = forcesPushes(call, git.verb, git.args, git.global);
  if (git.verb === 'remote')
    return git.args[0]?.text === 'add' && git.args.some(({ text }) => text === '--mirror=push' || text === '--mirror');
  if (git.verb === 'config') return set?.at ? fieldHit(set.at, FORCED) : false;
  const options = read(git, PUSH);
  if (options.has('n')) return false;
  if (options.has('f', 'force-with-lease', 'd', 'mirror', 'prune')) return true;
  if (set) return set.at ? fieldHit(set.at, FORCED) : { why: FORCED };
  const ref = options.operands.slice(1).find((field) => /^[+:].+/.test(field.text));
  return ref ? fieldHit(ref) : false;
}

const FORCED = 'makes every push to a remote overwrite what is there';

const RESET = 'hard soft mixed merge keep q|quiet p|patch N|intent-to-add pathspec-from-file: recurse-submodules';
const CLEAN = 'f|force d n|dry-run x X e|exclude: q|quiet i|interactive';
const CHECKOUT =
  'b: B: f|force m|merge p|patch t|track? q|quiet l d|detach orphan: ours theirs 2 3 conflict: overlay no-overlay pathspec-from-file: ignore-skip-worktree-bits guess progress no-guess no-track';

/** Of the worktree's changes: hard reset, clean, checkout and restore of whole folders. */
function losesChanges(git: GitCall, call: Call): Hit {
  switch (git.verb) {
    case 'config':
      return cleansUnasked(call, git.verb, git.args, git.global) !== undefined;
    case 'reset':
      return read(git, RESET).has('hard', 'merge');
    case 'clean': {
      const options = read(git, CLEAN);
      if (options.has('n')) return false;
      return options.has('f') || cleansUnasked(call, git.verb, git.args, git.global) !== undefined;
    }
    case 'checkout':
      return checkoutLoses(git);
    case 'switch':
      return read(
        git,
        'f|force discard-changes c|create: C|force-create: d|detach m|merge t|track? orphan: q guess',
      ).has('f', 'discard-changes', 'C');
    case 'restore': {
      const options = read(
        git,
        's|source: S|staged W|worktree p|patch q progress ours theirs m|merge conflict: ignore-unmerged overlay no-overlay pathspec-from-file: recurse-submodules',
      );
      if ((options.has('S') && !options.has('W')) || options.has('p')) return false;
      return options.has('pathspec-from-file') || options.operands.some(isWhole);
    }
    case 'stash':
      return /^(?:drop|clear)$/.test(git.args[0]?.text ?? '');
    case 'rm': {
      const options = read(git, 'f|force n|dry-run r cached ignore-unmatch sparse q|quiet');
      return options.has('f') && !options.has('cached') && !options.has('n');
    }
    case 'worktree':
      return git.args[0]?.text === 'remove' && read(git, 'f|force').has('f');
    case 'checkout-index':
      return read(git, 'a|all f|force u q n prefix: stage:').has('f');
    case 'submodule':
      return (
        /^(?:deinit|update)$/.test(read(git, 'q').operands[0]?.text ?? '') && read(git, 'f|force all q').has('f', 'all')
      );
    case 'annex':
      return (
        git.args[0]?.text === 'uninit' ||
        (/^(?:drop|dropunused)$/.test(git.args[0]?.text ?? '') && read(git, 'f|force').has('force', 'f'))
      );
    case 'read-tree':
      return git.args.some((arg) => arg.text === '--reset' || arg.text === '-u');
    default:
      return false;
  }
}

function checkoutLoses(git: GitCall): boolean {
  const options = read(git, CHECKOUT);
  if (options.has('f', 'B', 'pathspec-from-file')) return true;
  if (options.has('b', 'p', 'orphan')) return false;
  const dashes = git.args.findIndex((arg) => arg.text === '--');
  const paths = dashes < 0 ? options.operands : git.args.slice(dashes + 1);
  return paths.some(isWhole);
}

/** A folder, the whole tree, all but some, or a pattern that may be; git expands patterns itself. */
function isWhole({ text, raw }: Field): boolean {
  return (
    /^(?:\.{1,2}|:\/?|:\([^)]*\)\.?|:[!^].*)$|\/$|\*/.test(text) || hasGlob(text) || raw.includes('--show-toplevel')
  );
}

function deletesRefs(git: GitCall): Hit {
  switch (git.verb) {
    case 'fetch':
    case 'pull': {
      const ref = overwritesBranch(git.args);
      return ref ? fieldHit(ref, 'overwrites a branch here with what the remote has') : false;
    }
    case 'branch': {
      const options = read(
        git,
        'd|delete D m|move M c|copy C f|force r|remotes a|all l|list u|set-upstream-to: t|track? v q|quiet contains? no-contains? merged? no-merged? points-at: sort: format: color? edit-description show-current unset-upstream column? abbrev?',
      );
      return (
        options.has('D', 'M', 'C') || (options.has('f') && (options.has('d', 'm', 'c') || options.operands.length > 0))
      );
    }
    case 'update-ref':
      return read(git, 'd m: no-deref stdin z create-reflog').has('d', 'stdin');
    case 'tag':
      return read(git, 'd|delete f|force a s m: F: l|list n? u: v').has('f');
    case 'symbolic-ref':
      return read(git, 'd|delete q short m:').has('d');
    case 'replace':
      return read(git, 'd|delete f|force l g edit graft').has('d', 'f');
    case 'notes':
      return /^(?:remove|prune)$/.test(git.args[0]?.text ?? '');
    case 'lfs':
      return git.args[0]?.text === 'prune' || (git.args[0]?.text === 'migrate' && git.args[1]?.text === 'import');
    default:
      return false;
  }
}

/** Rewrites of history and removal of what could bring it back. */
function rewrites(git: GitCall): Hit {
  switch (git.verb) {
    case 'filter-branch':
    case 'filter-repo':
    case 'fast-import':
      return !git.args.some((arg) => arg.text === '--dry-run' || arg.text === '--analyze');
    case 'rebase':
      return git.args.some((arg) => arg.text === '--root') || false;
    case 'gc':
      return (
        read(git, 'prune? aggressive auto q|quiet force keep-largest-pack no-prune').value('prune') !== undefined &&
        !/^never$/.test(read(git, 'prune? aggressive auto q|quiet force').value('prune')?.text ?? '')
      );
    case 'prune':
      return !read(git, 'n|dry-run v expire: progress').has('n');
    case 'repack':
      return read(git, 'a A d f F l n q unpack-unreachable: k').has('d') && read(git, 'a A d f F l n q').has('a');
    case 'reflog':
      return (
        /^(?:expire|delete)$/.test(git.args[0]?.text ?? '') &&
        !read(git, 'n|dry-run expire: expire-unreachable: all').has('n')
      );
    default:
      return false;
  }
}

const PUSHES = ['push', 'send-pack', 'config', 'remote'];
const DISCARDS = [
  'reset',
  'clean',
  'checkout',
  'switch',
  'restore',
  'stash',
  'rm',
  'worktree',
  'checkout-index',
  'submodule',
  'read-tree',
  'annex',
  'config',
];
const REFS = ['branch', 'fetch', 'pull', 'update-ref', 'tag', 'symbolic-ref', 'replace', 'notes', 'lfs'];
const HISTORY = ['filter-branch', 'filter-repo', 'fast-import', 'rebase', 'gc', 'prune', 'repack', 'reflog'];

export const gitRules: readonly Rule[] = [
  {
    id: 'git.force-push',
    grade: 'dangerous',
    programs: spelled(...PUSHES),
    test: on(...PUSHES)(forcePush),
    why: 'overwrites or deletes branches or tags on the remote',
    smart: true,
    match: [
      'git push -f',
      'git push origin +main',
      'git push origin :old',
      'git push --force-with-lease',
      'git push -d origin x',
      'git -C r push --mirror',
      'git push origin main --force',
      'git -c remote.origin.push=+refs/heads/*:refs/heads/* push',
      'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.o.mirror GIT_CONFIG_VALUE_0=true git push',
      'git config remote.origin.push +main',
      'git send-pack --force origin main',
      'git remote add --mirror=push x https://x.example/a.git',
    ],
    notMatch: [
      'git push origin main',
      'git push --tags',
      'git push origin fix-force',
      'git push -fn',
      'git push --force --help',
      'git push -u origin a:b',
      'git -c remote.origin.push=main push',
      'git remote add --mirror=fetch x https://x.example/a.git',
      "git config --add remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'",
      'git config --get remote.origin.mirror true',
    ],
  },
  {
    id: 'git.discard',
    grade: 'dangerous',
    programs: spelled(...DISCARDS),
    test: on(...DISCARDS)(losesChanges),
    why: 'throws away changes that are committed nowhere',
    smart: true,
    match: [
      'git reset --hard',
      'git reset --har HEAD~1',
      'git clean -xdf',
      'git -c clean.requireForce=false clean -d',
      'git config clean.requireForce false',
      'git checkout .',
      'git checkout -- .',
      'git restore .',
      'git stash drop',
      'git checkout -f main',
      'git worktree remove -f ../w',
      'git checkout -- src/',
      "git restore ':/*'",
      'git submodule update --init --force',
      'git-reset --hard',
    ],
    notMatch: [
      'git reset',
      'git clean -nd',
      'git -c clean.requireForce=false clean -nd',
      'git config clean.requireForce true',
      'git checkout main',
      'git restore --staged .',
      'git stash pop',
      'git rm --cached a',
      'git checkout -b x',
      'git checkout main -- src/a.ts',
      'git restore --staged src/',
      'git submodule update --init',
      'git-reset HEAD a',
    ],
  },
  {
    id: 'git.refs',
    grade: 'dangerous',
    programs: spelled(...REFS),
    test: on(...REFS)(deletesRefs),
    why: 'deletes or moves branches or refs that may hold the only copy',
    smart: true,
    match: [
      'git branch -D x',
      'git branch --delete --force x',
      'git update-ref -d refs/heads/x',
      'git branch -f main HEAD~3',
      'git tag -f v1',
      'git fetch origin +main:feature',
      'git pull -f origin main:main',
    ],
    notMatch: [
      'git branch -d x',
      'git branch --list "*-D*"',
      'git branch -a',
      'git tag v1',
      'git remote -v',
      'git branch -vv',
      'git tag -d v1',
      "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
      'git fetch -f --tags',
      'git fetch origin pull/42/head:pr-42',
    ],
  },
  {
    id: 'git.history',
    grade: 'dangerous',
    programs: spelled(...HISTORY),
    test: on(...HISTORY)(rewrites),
    why: 'rewrites history or removes what could bring it back',
    match: [
      'git filter-branch --all',
      'git filter-repo --path x',
      'git gc --prune=now',
      'git reflog expire --expire=now --all',
      'git prune',
    ],
    notMatch: [
      'git gc',
      'git reflog',
      'git rebase -i HEAD~3',
      'git rebase main',
      'git prune -n',
      'git fetch --prune',
      'git remote prune origin',
    ],
  },
];
