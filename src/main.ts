// The only file that touches `process`. Handlers stand before anything else is loaded: a static import would hold a signal
// off for half a second, and then it would end us without a word.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host, SignalName } from './host.ts';

const SIGNALS: readonly SignalName[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'];
const early: SignalName[] = [];
let hear: ((name: SignalName) => void) | undefined;
const signal = (name: SignalName) => (hear ? hear(name) : void early.push(name));
for (const name of SIGNALS) process.on(name, () => signal(name));

let crash: ((error: unknown) => void) | undefined;
const broke = (error: unknown) => {
  if (crash) return crash(error);
  process.stderr.write(`hermod could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
};
process.on('uncaughtException', broke);
process.on('unhandledRejection', broke);

let gc: (() => void) | undefined;
/** The collector of the engine, which it shows to nobody who does not ask: all there is, and its spare pages. */
function collector(): () => void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as (how: object) => void;
  return () => collect({ type: 'major', flavor: 'last-resort' });
}

const args = process.argv.slice(2);
// The launcher's channel: its loss is a SIGTERM.
if (args.includes('--launched')) process.on('disconnect', () => signal('SIGTERM'));

const host: Host = {
  env: process.env,
  args,
  pid: process.pid,
  parentPid: process.ppid,
  parent: () => process.ppid,
  node: process.execPath,
  platform: process.platform,
  stdin: process.stdin,
  out: process.stdout,
  err: process.stderr,
  cwd: process.cwd(),
  onSignal(listener) {
    hear = listener;
    for (const name of early.splice(0)) listener(name);
  },
  onCrash(listener) {
    crash = listener;
  },
  kill: (pid, name) => process.kill(pid, name),
  memory: () => process.memoryUsage.rss(),
  collect() {
    gc ??= collector();
    gc();
  },
  keepCompiled: flushCompileCache,
  die: (code) => process.exit(code),
};

process.umask(0o077);
// For a start without the launcher, which sets NODE_COMPILE_CACHE: keeps what type stripping and the compiler made of our files.
if (!process.env['NODE_COMPILE_CACHE'])
  enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'hermod', 'compile'));
const { run } = await import('./command-line.ts');
const code = await run(host);
// What still hangs (a socket nobody closed) must not keep a stopped daemon alive.
process.exit(code);
