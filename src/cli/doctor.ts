import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config/load.ts';
import { HermodError } from '../contract/errors.ts';
import type { Status } from '../gateway/status.ts';
import type { Host } from '../host.ts';
import { readRunFile } from '../process/single-instance.ts';
import { checkFile } from '../store/checkup.ts';
import { readArguments } from './arguments.ts';
import { findDaemon, homeOf } from './daemon-client.ts';
import { type Finding, findings, type HomeFacts } from './findings.ts';

const NOT_WELL = 3;

/** `hermod doctor [--json]`: looks, and changes nothing; 0 all is well, 3 something is to mend. */
export async function doctor(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['json'] });
  if (typeof given === 'string' || given.words.length > 0) {
    host.err.write(`${typeof given === 'string' ? given : 'hermod doctor takes --json and nothing else.'}\n`);
    return 64;
  }
  const found = findings(await factsOf(host));
  host.out.write(given.flags.has('json') ? `${JSON.stringify({ v: 1, findings: found })}\n` : found.map(line).join(''));
  return found.some(({ level }) => level === 'bad') ? NOT_WELL : 0;
}

function line({ level, id, text, fix }: Finding): string {
  return `${level.padEnd(5)} ${id.padEnd(9)} ${text}${fix === undefined ? '' : ` ${fix}`}\n`;
}

async function factsOf(host: Host): Promise<HomeFacts> {
  const base = homeOf(host);
  const loaded = loadConfig({ home: base, env: host.env, set: [] });
  const home = loaded.ok && existsSync(loaded.home) ? loaded.home : base;
  return {
    home,
    mode: existsSync(home) ? statSync(home).mode & 0o777 : undefined,
    freeBytes: freeIn(home),
    problems: loaded.ok ? [] : loaded.problems,
    warnings: loaded.ok ? loaded.warnings : [],
    file: checkFile(join(home, 'hermod.db')),
    daemon: await daemonOf(host, home),
  };
}

function freeIn(home: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(home);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

async function daemonOf(host: Host, home: string): Promise<HomeFacts['daemon']> {
  const daemon = await findDaemon(host);
  if (!daemon) return readRunFile(home) ? 'silent' : 'down';
  try {
    return (await daemon.get('api/v1/status')) as Status;
  } catch (error) {
    if (error instanceof HermodError || error instanceof TypeError) return 'silent';
    throw error;
  }
}
