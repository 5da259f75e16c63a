import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Ban,
  bannedWords,
  cycles,
  type Layers,
  type Owners,
  vagueFiles,
  wrongDirections,
  wrongPackages,
} from './architecture/rules.ts';
import { readSources, type SourceFile } from './architecture/source.ts';

/**
 * The map of `src`, from the ground up. Each layer is a folder or a file; `knows` is all it may import. Where something
 * does not fit, it stands in the wrong layer: move it, or hand it in from app.ts.
 */
const CORE = ['contract', 'config', 'context', 'store', 'process', 'approvals', 'schedule', 'agent'];
const LAYERS: Layers = {
  contract: { is: 'messages, ports of platforms, tools and models, errors, ids, time', knows: [] },
  version: { is: 'the version', knows: [] },
  host: { is: 'the process as main.ts hands it on', knows: [] },
  config: { is: 'every key, reading and explaining it', knows: ['contract'] },
  context: { is: 'the run somebody executes in, and the real clock', knows: ['contract'] },
  log: { is: 'log lines with the run, redacted', knows: ['contract', 'context', 'approvals/redact'] },

  'platforms/web/messages': { is: "the port of the page's messages; the store keeps them", knows: ['contract'] },
  'platforms/markdown': { is: 'Markdown as a tree', knows: ['contract'] },
  'platforms/wire': {
    is: 'what networks have in common: penalties, deadlines, one edit at a time',
    knows: ['contract'],
  },
  'platforms/telegram': { is: 'speaks to Telegram', knows: ['contract', 'platforms/markdown', 'platforms/wire'] },
  'platforms/discord': { is: 'speaks to Discord', knows: ['contract', 'platforms/markdown', 'platforms/wire'] },
  'platforms/web': {
    is: 'the page as a platform',
    knows: ['contract', 'platforms/web/messages', 'platforms/markdown'],
  },
  providers: { is: 'speak to model servers', knows: ['contract'] },
  tools: { is: 'what the model may call', knows: ['contract'] },

  store: {
    is: 'one SQLite file, a module a table',
    knows: ['contract', 'config', 'context', 'platforms/web/messages'],
  },
  process: { is: 'lock, boots, breaker, signals', knows: ['contract', 'config', 'context', 'host', 'store'] },
  'approvals/redact': { is: 'masks secrets in text', knows: ['contract'] },
  approvals: {
    is: 'what is dangerous, who may say yes, cards and the record',
    knows: ['contract', 'config', 'context', 'store', 'approvals/redact'],
  },
  schedule: { is: 'jobs and their firings', knows: ['contract', 'config', 'context', 'store'] },
  agent: { is: 'turns: prompt, steps, calls', knows: CORE },
  gateway: { is: 'inbox, lanes, commands, delivery', knows: CORE },
  http: {
    is: 'the local server and its page',
    knows: [
      ...CORE,
      'approvals/redact',
      'gateway',
      'host',
      'version',
      'platforms/markdown',
      'platforms/web',
      'platforms/web/messages',
    ],
  },
  cli: { is: 'one file a command', knows: [...CORE, 'approvals/redact', 'gateway', 'host', 'log', 'version'] },
  'log-output': { is: 'where log lines go', knows: ['contract', 'config', 'log'] },
  'practice-workspace': { is: 'sample files of practice mode', knows: [] },
  'app-approvals': { is: 'a part of app.ts: the gate and who is asked', knows: ['*'] },
  'app-models': { is: 'a part of app.ts: models', knows: ['*'] },
  'app-explain': { is: 'a part of app.ts: what would happen to a command', knows: ['*'] },
  'app-jobs': { is: 'a part of app.ts: jobs', knows: ['*'] },
  'app-platforms': { is: 'a part of app.ts: platforms', knows: ['*'] },
  'app-tools': { is: 'a part of app.ts: tools and their gate', knows: ['*'] },
  'app-connections': { is: 'a part of app.ts: its platforms', knows: ['*'] },
  'app-status': { is: 'a part of app.ts: what it says of itself', knows: ['*'] },
  'app-degraded': { is: 'the app while its database cannot be read', knows: ['*'] },
  'app-port': { is: 'the app as the daemon sees it', knows: ['config', 'gateway', 'process', 'store'] },
  'app-reload': { is: 'a part of app.ts: a configuration that changes', knows: ['*'] },
  'app-end': { is: 'a part of app.ts: how it ends', knows: ['*'] },
  'app-parts': { is: 'a part of app.ts: everybody, in order', knows: ['*'] },
  'app-deps': { is: 'what the app is given, and what its parts ask of it', knows: ['*'] },
  'app-base': { is: 'a part of app.ts: what everybody stands on', knows: ['*'] },
  'app-outbound': { is: 'a part of app.ts: what leaves', knows: ['*'] },
  'app-agent': { is: 'a part of app.ts: the agent', knows: ['*'] },
  'app-lanes': { is: 'a part of app.ts: turns and what holds them', knows: ['*'] },
  'app-page': { is: 'a part of app.ts: the page', knows: ['*'] },
  app: { is: 'builds everything, in order; the only one that knows everybody', knows: ['*'] },
  daemon: {
    is: 'hermod start: configuration, lock, app, signals',
    knows: [...CORE, 'app', 'app-port', 'host', 'log', 'version'],
  },
  'run-job': { is: 'hermod run-job: one firing, in the daemon or beside none', knows: ['*'] },
  'command-line': { is: 'which command', knows: ['daemon', 'run-job', 'cli', 'host', 'version'] },
  main: { is: 'the process: arguments, environment, signals, exit codes', knows: ['command-line', 'host'] },
};

/** Who may import which package; one that is not here may be imported by nobody. */
const PACKAGES: Owners = {
  grammy: ['platforms/telegram'],
  'discord.js': ['platforms/discord'],
  'better-sqlite3': ['store'],
  croner: ['schedule/when'],
  unbash: ['approvals/shell'],
  fastify: ['http'],
  pino: ['log', 'log-output'],
  yaml: ['config'],
  zod: ['*'],
  ai: ['providers'],
  '@ai-sdk/anthropic': ['providers'],
  '@ai-sdk/openai-compatible': ['providers'],
  mdast: ['platforms', 'http/page'],
  'mdast-util-from-markdown': ['platforms/markdown'],
  'mdast-util-gfm': ['platforms/markdown'],
  'micromark-extension-gfm': ['platforms/markdown'],
  'micromark-extension-cjk-friendly': ['platforms/markdown'],
  'node:async_hooks': ['context'],
  'node:child_process': ['tools', 'process'],
  'node:worker_threads': ['agent', 'approvals', 'process'],
  'node:process': [],
  'node:timers': [],
  'node:timers/promises': [],
};
const OTHER_BUILTINS = /^node:/;

const BANS: readonly Ban[] = [
  {
    pattern: /(?<![.\w])process\s*[.?[]/,
    except: ['main'],
    why: 'touches the process; main.ts hands in what is needed',
  },
  {
    pattern: /\b(?:setTimeout|setInterval|setImmediate)\s*\(|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    except: ['context/system-clock'],
    why: 'asks the machine for time; the Clock is handed in',
  },
  { pattern: /\.enterWith\(/, except: [], why: 'leaks a run into its caller; withRun opens runs' },
  {
    pattern: /\bAsyncLocalStorage\b|\bAsyncResource\b/,
    except: ['context'],
    why: 'keeps ambient state; only src/context may',
  },
  {
    pattern: /telegram|discord|grammy/i,
    inside: ['gateway', 'agent', 'approvals'],
    // The detector knows the services of the world as targets of commands.
    except: ['approvals/rules', 'approvals/shell'],
    strings: true,
    why: 'names a platform; ask its limits instead',
  },
];

describe('src', () => {
  const sources = readSources(join(import.meta.dirname, '../src'));

  it('imports go downwards only', () => {
    expect(wrongDirections(sources, LAYERS)).toEqual([]);
  });

  it('packages stay with their owners', () => {
    expect(wrongPackages(sources, PACKAGES, OTHER_BUILTINS)).toEqual([]);
  });

  it('nothing goes in circles', () => {
    expect(cycles(sources)).toEqual([]);
  });

  it('files have one subject and are named for it', () => {
    expect(vagueFiles(sources)).toEqual([]);
  });

  it('the process, time and runs are handed in', () => {
    expect(bannedWords(sources, BANS)).toEqual([]);
  });
});

/** Each rule, shown what it must not let through. */
describe('the rules themselves', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  it.each([
    [
      'store/inbox.ts',
      "import { lanes } from '../gateway/lanes.ts';",
      'store/inbox.ts imports gateway/lanes.ts, but store does not know gateway',
    ],
    [
      'store/inbox.ts',
      "import type { A } from '../gateway/lanes.ts';",
      'store/inbox.ts imports gateway/lanes.ts, but store does not know gateway',
    ],
    [
      'tools/shell.ts',
      "const a = await import('../store/open.ts');",
      'tools/shell.ts imports store/open.ts, but tools does not know store',
    ],
    [
      'tools/shell.ts',
      "export { a } from '../context/run-context.ts';",
      'tools/shell.ts imports context/run-context.ts, but tools does not know context',
    ],
    [
      'contract/ids.ts',
      "import {\n  a,\n  b,\n} from '../config/load.ts';",
      'contract/ids.ts imports config/load.ts, but contract does not know config',
    ],
    [
      'platforms/web/adapter.ts',
      "import '../telegram/adapter.ts';",
      'platforms/web/adapter.ts imports platforms/telegram/adapter.ts, but platforms/web does not know platforms/telegram',
    ],
    [
      'tools/a.ts',
      "new Worker(new URL('../store/b.ts', here));",
      'tools/a.ts imports store/b.ts, but tools does not know store',
    ],
    ['cli/a.ts', "import { b } from '../app.ts';", 'cli/a.ts imports app.ts, but cli does not know app'],
    ['stray.ts', '', 'stray.ts belongs to no layer of the map'],
  ])('an import that points the wrong way: %s %s', (path, text, sentence) => {
    expect(wrongDirections([file(path, text)], LAYERS)).toEqual([sentence]);
  });

  it('an import that points downwards, stays inside or stands in a comment is fine', () => {
    const text =
      "import { a } from '../store/b.ts';\nimport { c } from './d.ts';\n// import { e } from '../http/f.ts';";
    expect(wrongDirections([file('gateway/a.ts', text)], LAYERS)).toEqual([]);
  });

  it.each([
    ['gateway/a.ts', 'grammy'],
    ['gateway/a.ts', 'grammy/types'],
    ['platforms/web/a.ts', 'grammy'],
    ['gateway/a.ts', 'better-sqlite3'],
    ['schedule/ticker.ts', 'croner'],
    ['agent/a.ts', 'node:async_hooks'],
    ['agent/a.ts', 'node:child_process'],
    ['main.ts', 'node:process'],
    ['agent/a.ts', '@ai-sdk/anthropic'],
    ['agent/a.ts', 'left-pad'],
  ])('a package in the wrong hands: %s %s', (path, name) => {
    const sentence = `${path} imports ${name}, which does not belong there`;
    expect(wrongPackages([file(path, `import x from '${name}';`)], PACKAGES, OTHER_BUILTINS)).toEqual([sentence]);
  });

  it('a circle, also one through types', () => {
    const files = [
      file('a/one.ts', "import { two } from './two.ts';"),
      file('a/two.ts', "import type { Three } from '../b/three.ts';"),
      file('b/three.ts', "import { one } from '../a/one.ts';"),
      file('b/four.ts', "import { one } from '../a/one.ts';"),
    ];
    expect(cycles(files)).toEqual(['a/one.ts -> a/two.ts -> b/three.ts -> a/one.ts']);
    expect(cycles(files.slice(0, 2))).toEqual([]);
  });

  it.each([
    ['agent/index.ts', 'const a = 1;'],
    ['agent/types.ts', ''],
    ['agent/turn-manager.ts', ''],
    ['agent/utils.ts', ''],
    ['agent/string-helpers.ts', ''],
    ['agent/TurnRunner.ts', ''],
    ['agent/all.ts', "export * from './turn.ts';"],
  ])('a file that says nothing: %s %s', (path, text) => {
    expect(vagueFiles([file(path, text)])).toHaveLength(1);
  });

  it('a name that only contains such a word is fine', () => {
    expect(vagueFiles([file('agent/prototypes.ts', ''), file('approvals/shell/services-list.ts', '')])).toEqual([]);
  });

  it.each([
    ['agent/a.ts', 'const home = process.env.HOME;'],
    ['agent/a.ts', "const home = process['env'];"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of the file
    ['agent/a.ts', 'const text = `${process.pid}`;'],
    ['agent/a.ts', 'setTimeout(go, 10);'],
    ['agent/a.ts', 'const now = Date.now();'],
    ['agent/a.ts', 'const now = new Date();'],
    ['context/a.ts', 'storage.enterWith(run);'],
    ['store/a.ts', 'const storage = new AsyncLocalStorage();'],
    ['gateway/a.ts', "if (address.platform === 'telegram') edit();"],
    ['approvals/a.ts', 'const Discord = 1;'],
  ])('a word in the wrong place: %s %s', (path, text) => {
    expect(bannedWords([file(path, `\n${text}\n`)], BANS)).toEqual([expect.stringMatching(`^${path}:2 `) as string]);
  });

  it.each([
    ['main.ts', 'process.exit(0);'],
    ['context/system-clock.ts', 'setTimeout(go, 10);'],
    ['agent/a.ts', "// process.env is read in main.ts\nconst a = 'process.env';"],
    ['agent/a.ts', "const quote = /['`]/;\nconst a = 'process.env';"],
    ['agent/a.ts', 'const wait = config.process.bad_config_wait_s;'],
    ['gateway/a.ts', '/** As in `telegram:123`. */'],
    ['config/a.ts', "const name = 'telegram';"],
    ['agent/a.ts', 'const day = new Date(at);'],
  ])('a word in its place: %s %s', (path, text) => {
    expect(bannedWords([file(path, text)], BANS)).toEqual([]);
  });
});
