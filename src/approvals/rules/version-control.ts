import type { Call } from '../shell/call.ts';
import { knownArgs, optionsOf } from '../shell/call.ts';
import { hasGlob } from '../shell/marks.ts';
import { asksHelp, isVerb } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** A verb that throws work away; each further part must hold too. */
interface Loss {
  /** See `isVerb`; left out where the options say it all. */
  readonly verb?: string;
  /** One of the words has this form. */
  readonly with?: RegExp;
  /** None of the words has: a rehearsal, or what is kept. */
  readonly without?: RegExp;
  /** No file is named, or a whole tree. */
  readonly whole?: true;
}

interface Tool {
  /** The options that take a value (shell/options.ts). */
  readonly options?: string;
  readonly losses: readonly Loss[];
}

const REHEARSED = /^(?:-n|--dry-run|--dry)$/;

const MERCURIAL: Tool = {
  options:
    'R|repository: cwd: config: r|rev: m|message: l|logfile: u|user: d|date: I|include: X|exclude: b|branch: B|bookmark: s|source: t|tool: e|ssh:',
  losses: [
    { verb: 'update|up|checkout|co|goto', with: /^(?:-[a-zA-Z]*C|--clean)$/ },
    { verb: 'purge|clean', without: /^(?:-p|--print|--confirm|-i)$/ },
    { verb: 'push', with: /^(?:-[a-zA-Z]*f|--force)$/ },
    { verb: 'revert', with: /^(?:-[a-zA-Z]*[aC]|--all|--no-backup|\.)$/, without: REHEARSED },
    { verb: 'strip|debugstrip|rollback|prune', without: REHEARSED },
    { verb: 'shelve', with: /^(?:-d|--delete|--cleanup)$/ },
  ],
};

const BAZAAR: Tool = {
  options: 'r|revision: d|directory: m|message:',
  losses: [
    { verb: 'revert', whole: true },
    { verb: 'clean-tree|uncommit|remove-branch|rmbranch', without: REHEARSED },
    { verb: 'push|pull', with: /^--overwrite$/ },
  ],
};

const TOOLS: Readonly<Record<string, Tool>> = {
  hg: MERCURIAL,
  chg: MERCURIAL,
  sl: MERCURIAL,
  bzr: BAZAAR,
  brz: BAZAAR,
  svn: {
    options:
      'm|message: F|file: r|revision: c|change: username: password: config-option: config-dir: depth: set-depth: accept: encoding: x|extensions:',
    losses: [
      { verb: 'revert', with: /^(?:-R|--recursive|--depth(?:=.*)?|--remove-added)$/ },
      { verb: 'cleanup', with: /^--remove-(?:unversioned|ignored)$/ },
      { verb: 'delete|del|remove|rm', with: /^(?:[a-z+]+:\/\/|\^\/|--force$)/ },
      { verb: 'propset|pset|ps|propdel|pdel|pd', with: /^--revprop$/ },
    ],
  },
  svnadmin: { losses: [{ verb: 'rmtxns|rmlocks|delrevprop|load' }] },
  jj: {
    options:
      'R|repository: at-op|at-operation: color: config: config-file: r|revisions: m|message: f|from: t|to: into: b|bookmark: remote: c|changes-in: expire:',
    losses: [
      { verb: 'abandon' },
      { verb: 'op|operation restore|revert|abandon' },
      { verb: 'restore', whole: true },
      { verb: 'util gc', with: /^--expire/ },
      { verb: 'git push', with: /^--deleted$/, without: REHEARSED },
    ],
  },
  p4: {
    options: 'c|client: p|port: u|user: P|password: H: C: x: s:',
    losses: [
      { verb: 'obliterate', with: /^-[a-zA-Z]*y/ },
      { verb: 'revert', without: /^-[a-zA-Z]*[nka]/, whole: true },
      { verb: 'clean', without: /^-[a-zA-Z]*n/ },
      {
        verb: 'client|workspace|user|depot|branch|label|group|stream|change|changelist|job|shelve|server',
        with: /^-[a-zA-Z]*d/,
      },
      { verb: 'protect|triggers', with: /^-i$/ },
      { verb: 'admin stop|restart' },
    ],
  },
  fossil: {
    options: 'R|repository: r|revision:',
    losses: [
      { verb: 'revert', whole: true },
      { verb: 'clean|purge|shun|scrub', without: REHEARSED },
    ],
  },
  cvs: {
    options: 'd: z: r: D: j: m:',
    losses: [
      { verb: 'update|up', with: /^-[a-zA-Z]*C/ },
      { verb: 'admin|adm|rcs', with: /^-o/ },
      { verb: 'release', with: /^-d$/ },
    ],
  },
  darcs: {
    losses: [
      { verb: 'revert', with: /^(?:-a|--all)$/ },
      { verb: 'obliterate|unpull', without: REHEARSED },
    ],
  },
  pijul: { losses: [{ verb: 'reset', whole: true }] },
  bfg: { losses: [{ with: /^(?:--?(?:delete|strip|replace)-|-[Dbi]|-rt$|-fi$)/ }] },
  dvc: {
    losses: [
      { verb: 'gc|destroy', without: REHEARSED },
      { verb: 'exp gc|remove', without: REHEARSED },
      { verb: 'checkout|pull', with: /^(?:-f|--force)$/ },
    ],
  },
  gt: {
    losses: [
      { verb: 'branch|b delete|dl', with: /^(?:-f|--force)$/ },
      { verb: 'delete|dl', with: /^(?:-f|--force)$/ },
    ],
  },
  repo: { losses: [{ verb: 'abandon' }, { verb: 'sync', with: /^--force-(?:sync|checkout|remove-dirty)$/ }] },
};

function losesWork(call: Call): Hit {
  const tool = TOOLS[call.program];
  if (!tool || asksHelp(call, true)) return false;
  const words = optionsOf(call, tool.options ?? '').operands.map(({ text }) => text);
  const args = knownArgs(call);
  return tool.losses.some((loss) => holds(loss, words, args));
}

function holds(loss: Loss, words: readonly string[], args: readonly string[]): boolean {
  const { verb, whole, without } = loss;
  if (verb !== undefined && !isVerb(words, [verb])) return false;
  if (loss.with && !args.some((text) => loss.with?.test(text))) return false;
  if (without && args.some((text) => without.test(text))) return false;
  return !whole || isWhole(words.slice(verb?.split(' ').length ?? 0));
}

/** `.`, a pattern, Perforce's `...`, or nothing named at all. */
function isWhole(names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => /^\.{1,2}\/?$|\*|\.\.\.$/.test(name) || hasGlob(name));
}

export const versionControlRules: readonly Rule[] = [
  {
    id: 'vcs.loss',
    grade: 'dangerous',
    programs: Object.keys(TOOLS),
    test: losesWork,
    why: 'throws away changes or history of a repository',
    smart: true,
    match: [
      'svn revert -R .',
      'hg update -C default',
      'jj abandon @',
      'p4 revert //depot/...',
      'svn rm https://h.example/r/trunk -m x',
      'bfg --strip-blobs-bigger-than 10M',
      'dvc gc -w -f',
    ],
    notMatch: [
      'svn revert a.c',
      'hg update default',
      'hg purge --print',
      'jj restore src/a.rs',
      'p4 revert -n ...',
      'svn rm a.c',
      'dvc gc -w --dry',
      'jj git push',
    ],
  },
];
