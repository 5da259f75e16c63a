import type { Host } from './host.ts';

/** One file a command, loaded only when asked for. Each resolves with the exit code. */
const COMMANDS: Readonly<Record<string, () => Promise<(host: Host, args: readonly string[]) => Promise<number>>>> = {
  start: async () => (await import('./daemon.ts')).start,
  stop: async () => (await import('./cli/control.ts')).stop,
  restart: async () => (await import('./cli/control.ts')).restart,
  reload: async () => (await import('./cli/control.ts')).reload,
  status: async () => (await import('./cli/control.ts')).status,
  doctor: async () => (await import('./cli/doctor.ts')).doctor,
  open: async () => (await import('./cli/control.ts')).open,
  explain: async () => (await import('./cli/explain-command.ts')).explainCommand,
  approvals: async () => (await import('./cli/approvals.ts')).approvals,
  pair: async () => (await import('./cli/pair.ts')).pair,
  grants: async () => (await import('./cli/grants.ts')).grants,
  audit: async () => (await import('./cli/audit.ts')).audit,
  jobs: async () => (await import('./cli/jobs.ts')).jobs,
  'run-job': async () => (await import('./run-job.ts')).runJob,
  version: async () => (await import('./cli/version.ts')).version,
};

const USAGE = `Usage: hermod COMMAND

  start [--practice] [--set KEY=VALUE]   run the daemon in the foreground
  stop, restart                          end the running daemon in order; start it again
  reload                                 read config.yaml again; says what counts now and what waits
  status [--json]                        what runs, waits and is wrong
  doctor [--json]                        looks for what is to mend; changes nothing
  open                                   a fresh one-time link to the page
  explain 'CMD' [--as WHO] [--cwd DIR]   what hermod would say to a command, without running it
  approvals list|show|approve|deny       what waits for a person, and your answers
  grants list|revoke|set                 what was allowed beyond one call
  pair list|approve CODE|revoke WHO       who may talk to hermod because of a code
  audit list|verify                      what was decided, and whether the record is whole
  jobs [list|show|next|history|doctor]   what is scheduled; preview PHRASE [--tz ZONE]: when that would run
  jobs add|remind|edit|pause|resume|run|accept|cancel|rm|undo|import|zone
  run-job JOB [--chain]                  run it once and wait for its answer, also without the daemon
  version
`;

/** Runs one command line; 64 for wrong usage. */
export async function run(host: Host): Promise<number> {
  const [name = 'help', ...args] = host.args.filter((arg) => arg !== '--launched');
  if (name === 'help' || name === '--help' || name === '-h') {
    host.out.write(USAGE);
    return 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    host.err.write(`Unknown command "${name}".\n\n${USAGE}`);
    return 64;
  }
  return (await load())(host, args);
}
