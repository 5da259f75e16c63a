import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DestinationStream } from 'pino';

export interface LogFile {
  readonly path: string;
  readonly maxBytes: number;
  /** Files kept, the present one included. */
  readonly keep: number;
}

export interface LogOutputOptions {
  /** Where lines go for whoever started us; `pretty` on a terminal. */
  readonly console: { write(text: string): unknown };
  readonly pretty: boolean;
  readonly file: LogFile | undefined;
  /** Below a warning nothing reaches the console before `release`; the file has it at once. */
  readonly hold?: boolean;
}

export interface LogOutput extends DestinationStream {
  /** Lines a full disk swallowed. */
  readonly dropped: number;
  /** What was held back goes to the console, and nothing is held back any more. */
  release(): void;
  close(): void;
}

/** Writes at once and in this process: what a crash says must come out. A full disk never stops the daemon. */
export function createLogOutput({ console, pretty, file, hold = false }: LogOutputOptions): LogOutput {
  let target = file && openFile(file);
  let dropped = 0;
  const keep = (line: string) => {
    if (!target || !file) return;
    try {
      writeSync(target.fd, line);
      target.bytes += Buffer.byteLength(line);
      if (target.bytes > file.maxBytes) target = rotate(file, target);
    } catch {
      dropped += 1;
    }
  };
  let held: string[] | undefined = hold ? [] : undefined;
  const show = (line: string) => void console.write(pretty ? human(line) : line);
  const release = () => {
    for (const line of held ?? []) show(line);
    held = undefined;
  };
  return {
    write(line) {
      if (held && QUIET.test(line)) held.push(line);
      else show(line);
      keep(line);
    },
    release,
    get dropped() {
      return dropped;
    },
    close() {
      release();
      if (target) closeSync(target.fd);
      target = undefined;
    },
  };
}

const QUIET = /^\{"level":"(?:trace|debug|info)"/;

interface Open {
  readonly fd: number;
  bytes: number;
}

function openFile({ path }: LogFile): Open {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, 'a', 0o600);
  return { fd, bytes: fstatSync(fd).size };
}

function rotate(file: LogFile, { fd }: Open): Open {
  closeSync(fd);
  for (let i = file.keep - 1; i >= 1; i--) {
    try {
      renameSync(i === 1 ? file.path : `${file.path}.${i - 1}`, `${file.path}.${i}`);
    } catch {
      // Not there yet: there are fewer files than are kept.
    }
  }
  return openFile(file);
}

/** `12:04:31 warn  a message was not delivered  outbox=k7f2 why=...` */
function human(line: string): string {
  try {
    const { level, time, msg, boot: _boot, ...facts } = JSON.parse(line) as Record<string, unknown>;
    const rest = Object.entries(facts).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${rest.length > 0 ? `  ${rest.join(' ')}` : ''}\n`;
  } catch {
    return line;
  }
}
