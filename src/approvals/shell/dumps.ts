import type { Call } from './call.ts';
import { byName } from './lookup.ts';

/** A file a database keeps, or one that holds all of it. */
const DATABASE_FILE =
  /\.(?:db3?|sqlite3?|mdb|accdb|duckdb|rdb|ibd|bak|dump|pgdump|dmp)(?:\.(?:gz|xz|zst|bz2|gpg|age|enc))?$|\.sql\.(?:gz|xz|zst|bz2|gpg|age|enc)$|(?:^|[/_.-])(?:dump|backup|prod(?:uction)?|full|all)[\w.-]*\.sql$/i;

export function namesDatabase(text: string): boolean {
  return DATABASE_FILE.test(text);
}

/** `.`, `..`, `/`, `*`, a home: whatever there is. */
const EVERYTHING = /^(?:\.{1,2}\/?|\/|\.?\/?\*|~\/?|\/(?:home|Users)(?:\/[^/]+)?\/?|\/root\/?)$/;

function has(call: Call, form: RegExp): boolean {
  return call.args.some(({ text }) => form.test(text));
}

function always(): boolean {
  return true;
}

function reads(call: Call): boolean {
  return call.args.some(({ text }) => namesDatabase(text.replace(/^if=/, '')));
}

/** Whether what a call prints is a database, or all that a folder or a repository holds. */
const DUMPERS = byName<(call: Call) => boolean>({
  pg_dump: always,
  pg_dumpall: always,
  pg_basebackup: always,
  mysqldump: always,
  'mariadb-dump': always,
  mydumper: always,
  mongodump: always,
  mongoexport: always,
  slapcat: always,
  sqlite3: (call) => has(call, /^\.dump\b/),
  'redis-cli': (call) => has(call, /^--rdb$/),
  'clickhouse-client': (call) => has(call, /\bFORMAT\s+Native\b/i),
  tar: (call) =>
    has(call, /^(?:-?[a-zA-Z]*c[a-zA-Z]*|--create)$/) &&
    call.args.some(({ text }, i) => EVERYTHING.test(text) && !isFolderOption(call, i)),
  zip: (call) => has(call, /^-$/) && has(call, EVERYTHING),
  git: (call) => has(call, /^bundle$/) && has(call, /^--all$/),
  cat: reads,
  dd: reads,
  gzip: reads,
  pigz: reads,
  xz: reads,
  zstd: reads,
  bzip2: reads,
  base64: reads,
  gpg: reads,
  openssl: reads,
  age: reads,
});

/** `-C folder` says where to begin, and packs nothing by itself. */
function isFolderOption({ args }: Call, at: number): boolean {
  return /^(?:-[a-zA-Z]*C|--directory)$/.test(args[at - 1]?.text ?? '');
}

export function printsDump(call: Call): boolean {
  return DUMPERS.get(call.program)?.(call) ?? false;
}
