import type { Effect, Use } from './effects.ts';
import {
  character,
  decodes,
  deletes,
  deletesSelf,
  dynamic,
  folderNow,
  folderOf,
  gives,
  itself,
  joinsList,
  joinsPath,
  native,
  opens,
  programAndList,
  reads,
  readsSelf,
  reports,
  runsProcess,
  same,
  shells,
  signals,
  writes,
  writesSelf,
} from './effects.ts';
import { printsFormat } from './formats.ts';
import { declaration, moduleName } from './javascript-statements.ts';
import type { Language } from './language.ts';
import { sqlEffect } from './sql.ts';
import { copiesTree, entersFolder, loadsModule, walks } from './tree-effects.ts';
import { effectOf } from './uses.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, constantText, isComputed, textValue } from './values.ts';
import { requests, sends } from './web-effects.ts';

const spawnAny = reports('code.spawn');

/** `require('node:fs')`, `import('fs')`: the module; a name that is not constant is picked when it runs. */
const requires: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (!use.called) return undefined;
  if (text === null || isComputed(use.args[0]))
    use.sink.report('code.dynamic', use.at, 'picks what it loads when it runs');
  if (text === null) return undefined;
  loadsModule(use.sink, text, use.at);
  return { kind: 'ref', name: moduleName(text) };
};

/** `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`: f is used with what stands behind the first. */
function lends(argsOf: (use: Use) => readonly Value[]): Effect {
  return (use) => {
    const name = use.name.slice(0, use.name.lastIndexOf('.'));
    const args = argsOf(use);
    const called = use.called && (args.length > 0 || !use.name.endsWith('.bind'));
    return effectOf({ kind: 'ref', name }, javascript)?.({ ...use, name, args, called });
  };
}

const behindFirst = lends(({ args }) => args.slice(1));

function method(use: Use): string {
  const options = use.args.find((arg) => arg.kind === 'record');
  if (options?.kind !== 'record') return 'GET';
  return options.fields.has('body') && !options.fields.has('method')
    ? 'POST'
    : asText(options.fields.get('method') ?? textValue('GET'));
}

const fetches = requests((use) => !/^(?:GET|HEAD|OPTIONS)$/i.test(method(use)));

const timers: Effect = (use) => {
  if (use.args[0]?.kind === 'text') dynamic(use);
  return undefined;
};

const FS_DELETES = [
  'rm',
  'rmSync',
  'rmdir',
  'rmdirSync',
  'unlink',
  'unlinkSync',
  'remove',
  'removeSync',
  'emptyDir',
  'emptyDirSync',
  'emptydir',
  'truncate',
  'truncateSync',
];
const FS_WRITES: Readonly<Record<string, readonly number[]>> = {
  writeFile: [0],
  writeFileSync: [0],
  appendFile: [0],
  appendFileSync: [0],
  createWriteStream: [0],
  outputFile: [0],
  outputFileSync: [0],
  outputJson: [0],
  writeJson: [0],
  writeJsonSync: [0],
  mkdir: [0],
  mkdirSync: [0],
  ensureDir: [0],
  ensureDirSync: [0],
  mkdtemp: [0],
  mkdtempSync: [0],
  rename: [0, 1],
  renameSync: [0, 1],
  move: [0, 1],
  moveSync: [0, 1],
  chmod: [0],
  chmodSync: [0],
  chown: [0],
  chownSync: [0],
  utimes: [0],
  utimesSync: [0],
};
const TREE_COPIES = [
  'copy',
  'copySync',
  'cp',
  'cpSync',
  'copyFile',
  'copyFileSync',
  'link',
  'linkSync',
  'symlink',
  'symlinkSync',
];
const FS_READS = ['readFile', 'readFileSync', 'createReadStream', 'readJson', 'readJsonSync'];

function fileSystem(prefix: string): Record<string, Effect> {
  const out: Record<string, Effect> = {};
  for (const name of FS_DELETES) out[`${prefix}.${name}`] = deletes();
  for (const [name, indexes] of Object.entries(FS_WRITES)) out[`${prefix}.${name}`] = writes(...indexes);
  for (const name of FS_READS) out[`${prefix}.${name}`] = reads();
  for (const name of ['open', 'openSync']) out[`${prefix}.${name}`] = opens(0, 1, 'flags');
  for (const name of ['readdirSync', 'readdir'])
    out[`${prefix}.${name}`] = walks(
      0,
      gives((use) => textValue(`${asText(use.args[0]).replace(/\/$/, '')}/\uE001`)),
    );
  for (const name of TREE_COPIES) out[`${prefix}.${name}`] = copiesTree();
  for (const name of ['glob', 'globSync', 'opendir', 'opendirSync']) out[`${prefix}.${name}`] = walks();
  return out;
}

/** Distinctive names are what they say on any object: `m.unlinkSync(x)`. */
function anywhere(): Record<string, Effect> {
  const out: Record<string, Effect> = {};
  for (const name of ['rmSync', 'rmdirSync', 'unlinkSync', 'unlink', 'rmdir', 'removeSync', 'emptyDirSync', 'emptyDir'])
    out[`*.${name}`] = deletes();
  for (const name of ['writeFileSync', 'appendFileSync', 'writeFile', 'appendFile', 'createWriteStream', 'renameSync'])
    out[`*.${name}`] = writes(...(FS_WRITES[name] as readonly number[]));
  for (const name of FS_READS) out[`*.${name}`] = reads();
  for (const name of ['copyFileSync', 'cpSync', 'symlinkSync']) out[`*.${name}`] = copiesTree();
  for (const name of ['execSync', 'execFileSync', 'spawnSync', 'execFile', 'spawn'])
    out[`*.${name}`] = name === 'execSync' ? shells(0) : programAndList();
  return out;
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  require: requires,
  import: requires,
  '*.require': requires,
  'module.createRequire': gives(() => ({ kind: 'ref', name: 'require' })),
  'module.constructor._load': requires,
  'process.getBuiltinModule': requires,
  ...anywhere(),
  ...fileSystem('fs'),
  ...fileSystem('fs.promises'),
  'child_process.exec': shells(0),
  'child_process.execSync': shells(0),
  'child_process.execFile': programAndList(),
  'child_process.execFileSync': programAndList(),
  'child_process.spawn': programAndList(),
  'child_process.spawnSync': programAndList(),
  'child_process.fork': spawnAny,
  'cross-spawn': programAndList(),
  'cross-spawn.sync': programAndList(),
  execa: programAndList(),
  'execa.execa': programAndList(),
  'execa.execaSync': programAndList(),
  'execa.command': shells(0),
  'execa.execaCommand': shells(0),
  'execa.$': shells(0),
  'shelljs.exec': shells(0),
  'shelljs.rm': (use) => deletes(use.args.length > 1 ? 1 : 0)(use),
  'shelljs.mv': spawnAny,
  $: shells(0),
  'zx.$': shells(0),
  'Bun.$': shells(0),
  dax: shells(0),
  'dax.$': shells(0),
  'Bun.spawn': runsProcess,
  'Bun.spawnSync': runsProcess,
  'Bun.write': writes(0),
  'Deno.remove': deletes(),
  'Deno.removeSync': deletes(),
  'Deno.writeTextFile': writes(0),
  'Deno.writeTextFileSync': writes(0),
  'Deno.writeFile': writes(0),
  'Deno.writeFileSync': writes(0),
  'Deno.rename': writes(0, 1),
  'Deno.run': (use) => {
    const options = use.args[0];
    return runsProcess({
      ...use,
      args: [(options?.kind === 'record' ? options.fields.get('cmd') : undefined) ?? ANYTHING],
    });
  },
  'Deno.Command': denoCommand(),
  'Deno.kill': signals(0, 1),
  'Deno.dlopen': native,
  'Deno.connect': sends,
  'Deno.readTextFile': reads(),
  rimraf: deletes(),
  'rimraf.sync': deletes(),
  'rimraf.rimraf': deletes(),
  'rimraf.rimrafSync': deletes(),
  del: deletes(),
  'del.sync': deletes(),
  'del.deleteAsync': deletes(),
  'del.deleteSync': deletes(),
  trash: deletes(),
  'process.kill': signals(0, 1),
  'tree-kill': reports('proc.kill', 'ends processes'),
  fkill: reports('proc.kill', 'ends processes'),
  'process.binding': native,
  'process.dlopen': native,
  'process.setuid': native,
  'process.chdir': entersFolder,
  'ffi-napi.*': native,
  'koffi.*': native,
  'bindings.*': native,
  eval: dynamic,
  Function: dynamic,
  'Function.constructor': dynamic,
  '*.constructor.constructor': dynamic,
  AsyncFunction: dynamic,
  'vm.*': dynamic,
  'globalThis.eval': dynamic,
  'global.eval': dynamic,
  'window.eval': dynamic,
  setTimeout: timers,
  setInterval: timers,
  'worker_threads.Worker': dynamic,
  'Reflect.get': dynamic,
  '*.call': behindFirst,
  '*.bind': behindFirst,
  '*.apply': lends(({ args: [, list] }) => (list?.kind === 'list' ? list.items : [ANYTHING])),
  'Promise.resolve': same,
  'Promise.all': same,
  'Reflect.apply': dynamic,
  fetch: fetches,
  'undici.fetch': fetches,
  'node-fetch': fetches,
  'node-fetch.default': fetches,
  'undici.request': fetches,
  'http.request': requests((use) => !/^(?:GET|HEAD)$/i.test(method(use))),
  'https.request': requests((use) => !/^(?:GET|HEAD)$/i.test(method(use))),
  'http.get': requests(),
  'https.get': requests(),
  ...Object.fromEntries(
    ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt', 'resolveAny'].flatMap((name) => [
      [`dns.${name}`, requests()],
      [`dns.promises.${name}`, requests()],
    ]),
  ),
  got: requests(),
  'got.get': requests(),
  'superagent.get': requests(),
  'http.createServer': gives(() => undefined),
  axios: requests((use) => !/^(?:GET|HEAD)$/i.test(method(use)) || hasData(use)),
  'axios.get': requests(),
  'axios.post': sends,
  'axios.put': sends,
  'axios.patch': sends,
  'axios.delete': sends,
  'axios.request': sends,
  'got.post': sends,
  'got.put': sends,
  'got.delete': sends,
  'superagent.post': sends,
  'needle.*': sends,
  'net.connect': sends,
  'net.createConnection': sends,
  'net.Socket': sends,
  'tls.connect': sends,
  'dgram.createSocket': sends,
  WebSocket: sends,
  'ws.WebSocket': sends,
  ws: sends,
  XMLHttpRequest: sends,
  'navigator.sendBeacon': sends,
  'nodemailer.*': sends,
  'path.join': joinsPath,
  'path.resolve': joinsPath,
  'path.normalize': same,
  'path.dirname': folderOf,
  'process.cwd': folderNow,
  atob: decodes('base64'),
  'Buffer.from': decodes(),
  'String.fromCharCode': character,
  'String.fromCodePoint': character,
  '*.join': joinsList,
  '*.toString': itself,
  '*.trim': itself,
  'Bun.file': gives((use) => ({ kind: 'ref', name: 'Bun.file()', of: use.args[0] ?? ANYTHING })),
  'Bun.file().delete': deletesSelf,
  'Bun.file().unlink': deletesSelf,
  'Bun.file().write': writesSelf,
  'Bun.file().writer': writesSelf,
  ...Object.fromEntries(
    ['text', 'json', 'bytes', 'arrayBuffer', 'stream'].map((name) => [`Bun.file().${name}`, readsSelf]),
  ),
  'Deno.readTextFileSync': reads(),
  'Deno.readFile': reads(),
  'Deno.readFileSync': reads(),
  'process.loadEnvFile': reads(),
  'os.homedir': gives((use) => textValue(use.sink.facts.home)),
  'String.raw': same,
  'util.format': printsFormat,
  '*.query': sqlEffect,
  ...Object.fromEntries(['exec', 'prepare', 'run', 'all'].map((name) => [`*.${name}`, sqliteOnly])),
  '*.execute': sqlEffect,
  '*.deleteMany': emptyFilter(),
  '*.dropDatabase': reports('sql.store'),
  '*.flushall': reports('sql.store'),
  '*.flushAll': reports('sql.store'),
};

/** A regular expression has `exec` as well. */
function sqliteOnly(use: Use): undefined {
  if (/sqlite/i.test(use.name)) sqlEffect(use);
}

function hasData(use: Use): boolean {
  return use.args.some((arg) => arg.kind === 'record' && arg.fields.has('data'));
}

/** Without a filter it means every row. */
function emptyFilter(): Effect {
  return (use) => {
    const [first] = use.args;
    if (first?.kind !== 'record') use.sink.report('sql.store', use.at);
    return undefined;
  };
}

function denoCommand(): Effect {
  return (use) => {
    const options = use.args[1];
    const args = options?.kind === 'record' ? options.fields.get('args') : undefined;
    return programAndList()({ ...use, args: [use.args[0] ?? ANYTHING, ...(args ? [args] : [])] });
  };
}

export const javascript: Language = {
  name: 'js',
  lexicon: {
    line: ['//', '#!'],
    block: [['/*', '*/']],
    quotes: '\'"`',
    regex: true,
    interpolation: { open: '${', close: '}', in: '`' },
    nameStart: /[\p{L}_$]/u,
    namePart: /[\p{L}\p{N}_$]/u,
  },
  effects: EFFECTS,
  sameAs: (name) => name.replace(/^(\w+)\.default(?=\.|$)/, '$1'),
  power: {
    modules: /^(?:fs|fs\.promises|child_process|shelljs|execa)$/,
    byImport: false,
    lookers:
      /^(?:console\.\w+|Object\.(?:keys|getOwnPropertyNames)|util\.inspect|JSON\.stringify|String|Boolean|assert(?:\.\w+)*|expect|require\.resolve)$/,
    givers: /^(?:=>|return|yield)$/,
    tuples: false,
  },
  modules: { fsPromises: 'fs', fsp: 'fs', cp: 'child_process', childProcess: 'child_process' },
  statement: declaration,
  joins: ['+'],
  skipped:
    /^(?:return|await|async|new|typeof|delete|void|in|of|instanceof|if|else|while|do|for|throw|case|default|yield|function|class|extends|export|try|catch|finally|switch|break|continue|static|public|private|readonly)$/,
  sensitive: /^(?:process|global|globalThis|window|self|require|module|fs|child_process|this)(?:\.\w+)*$/,
  endless:
    /\bwhile\s*\(\s*(?:true|1|!0|!false)\s*\)|\bfor\s*\(\s*;\s*;|fork\s*\(\s*__filename|fork\s*\(\s*process\.argv\[1\]|fork\s*\(\s*import\.meta/,
};
