import { mkdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppDeps } from './app-deps.ts';
import { createRedactor } from './approvals/redact.ts';
import type { Config } from './config/config.ts';
import { secretValues } from './config/secrets.ts';
import { RateGate } from './gateway/rate-gate.ts';
import { createLog } from './log.ts';
import { createLogOutput } from './log-output.ts';
import { seedPracticeWorkspace } from './practice-workspace.ts';
import { classOf, readLastExit } from './process/last-exit.ts';
import { writeGroups } from './process/left-processes.ts';
import { quickCheck } from './store/quick-check.ts';
import { openStore } from './store/store.ts';
import { KeptResults } from './tools/kept-results.ts';
import { ProcessGroups } from './tools/process-groups.ts';

export type Base = ReturnType<typeof openBase>;

/** What everybody stands on: the store with this boot in it, the log, the folders, and how times are shown. */
export function openBase({ config, secrets, practice, home, host, clock, boot, alone }: AppDeps) {
  const redactor = createRedactor(config.approvals.redact_patterns, secretValues(secrets));
  const redact = (text: string) => redactor.text(text);
  const store = openStore(join(home, 'hermod.db'));
  quickCheck(store.db);
  if (!alone)
    store.boots.begin(host.pid, clock.now(), { id: boot, classify: (lost) => classOf(lost, readLastExit(home)) });
  if (practice) seedPracticeWorkspace(config.agent.workspace);
  const output = createLogOutput({
    ...{ console: host.out, pretty: host.out.isTTY === true, file: logFile(home, config) },
    hold: true,
  });
  return {
    ...{ config, clock, boot, home, host, store, redactor, redact, output },
    places: makePlaces(home, config),
    log: createLog({ level: config.log.level, boot, redact, out: output }),
    rate: new RateGate(clock, store.penalties),
    groups: new ProcessGroups({ clock, kill: host.kill, changed: (list) => writeGroups(home, list) }),
    results: new KeptResults({ folder: join(home, 'results'), clock }),
    temporary: realpathSync(tmpdir()),
    // Asked when a time is first shown: ICU's calendars are 8 MB.
    zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    time: (at: number) => new Date(at).toTimeString().slice(0, 5),
    folder: (path: string) => tilde(path),
  };
}

/** The work folders, made and resolved: what tools compare paths with. */
function makePlaces(home: string, config: Config) {
  mkdirSync(config.agent.workspace, { recursive: true, mode: 0o700 });
  return {
    home: realpathSync(home),
    workspace: realpathSync(config.agent.workspace),
    roots: config.files.roots.map((path) => realpathSync(path)),
  };
}

function logFile(home: string, { log }: Config) {
  return log.file
    ? { path: join(home, 'logs', 'hermod.jsonl'), maxBytes: log.file_mb * 1024 * 1024, keep: log.files }
    : undefined;
}

/** `~/proj` for a folder below the account's home. */
function tilde(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
