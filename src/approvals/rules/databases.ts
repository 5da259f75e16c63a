import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import { namesInput } from '../shell/descriptors.ts';
import type { Field } from '../shell/field.ts';
import { hasUnknown } from '../shell/marks.ts';
import { fileSource } from '../shell/redirects.ts';
import type { Source } from '../shell/source.ts';
import { asksHelp, fieldHit, isVerb } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { textLoss } from './sql-text.ts';

const CLIENTS: Readonly<
  Record<
    string,
    {
      readonly options: string;
      readonly code: readonly string[];
      readonly file: readonly string[];
      readonly operand?: number;
      /** It is a client only behind one of these verbs. */
      readonly verbs?: readonly string[];
    }
  >
> = {
  psql: {
    options:
      'c|command: d|dbname: f|file: h|host: p|port: U|username: v|set|variable: o|output: F: P: R: T: L: W w q t A X n a b e E s S 1|single-transaction l V x z 0 H csv',
    code: ['c'],
    file: ['f'],
  },
  pgcli: { options: 'c: e: d: h: p: U: u: W w', code: ['c', 'e'], file: [] },
  mysql: {
    options:
      'e|execute: h|host: u|user: p? P|port: D|database: S: protocol: defaults-file: defaults-extra-file: B s N t v V ssl-mode: init-command: b f n q r E X H A C',
    code: ['e', 'init-command'],
    file: [],
  },
  mycli: { options: 'e|execute: h: u: p? P: D:', code: ['e'], file: [] },
  sqlite3: {
    options:
      'cmd: init: separator: nullvalue: batch bail column csv header html json line list readonly version newline: echo',
    code: ['cmd'],
    file: ['init'],
    operand: 1,
  },
  duckdb: {
    options: 'c: s: f: cmd: init: json csv readonly',
    code: ['c', 's', 'cmd'],
    file: ['init', 'f'],
    operand: 1,
  },
  sqlcmd: { options: 'Q: q: S: U: P: d: i: o: E b s: W h: t: l: C N v:', code: ['Q', 'q'], file: ['i'] },
  mssql: { options: 'Q: q: S: U: P: d:', code: ['Q', 'q'], file: [] },
  'clickhouse-client': {
    options: 'q|query: h|host: u|user: password: d|database: n|multiquery port: queries-file:',
    code: ['q'],
    file: ['queries-file'],
  },
  clickhouse: {
    options: 'q|query: h|host: u|user: password: d|database: n queries-file:',
    code: ['q'],
    file: ['queries-file'],
  },
  cqlsh: { options: 'e|execute: f|file: k: u: p: ssl', code: ['e'], file: ['f'] },
  snowsql: { options: 'q|query: f|filename: a: u: d: s: w: r: c: o:', code: ['q'], file: ['f'] },
  bq: { options: 'q', code: [], file: [], operand: 1 },
  influx: { options: 'execute: database: host: port: username: password: precision:', code: ['execute'], file: [] },
  beeline: { options: 'e: f: u: n: p: d: hivevar:', code: ['e'], file: ['f'] },
  hive: { options: 'e: f: hiveconf: S', code: ['e'], file: ['f'] },
  'spark-sql': { options: 'e: f: S master:', code: ['e'], file: ['f'] },
  presto: { options: 'execute: server: catalog: schema: f|file:', code: ['execute'], file: ['f'] },
  trino: { options: 'execute: server: catalog: schema: f|file:', code: ['execute'], file: ['f'] },
  cockroach: { options: 'e|execute: host: insecure url: certs-dir: d|database: f|file:', code: ['e'], file: ['f'] },
  mysqlsh: { options: 'e|execute: sql js py uri: f|file:', code: ['e'], file: ['f'] },
  sqlplus: { options: 'S L s', code: [], file: [] },
  isql: { options: 'u: p: q: d: i:', code: ['q'], file: ['i'] },
  usql: { options: 'c: f: w W q', code: ['c'], file: ['f'] },
  turso: { options: '', code: [], file: [], operand: 3 },
  wrangler: {
    options: 'command: file: c|config: e|env: remote local y|yes json preview persist-to:',
    code: ['command'],
    file: ['file'],
    verbs: ['d1 execute'],
  },
  heroku: {
    options: 'c|command: f|file: a|app: r|remote: credential:',
    code: ['c'],
    file: ['f'],
    verbs: ['pg:psql', 'psql'],
  },
  flyctl: {
    options: 'c|command: a|app: d|database: u|user:',
    code: ['c'],
    file: [],
    verbs: ['postgres|pg|mpg connect'],
  },
  render: { options: 'c|command: o|output:', code: ['c'], file: [], verbs: ['psql'] },
  gcloud: {
    options: 'sql: instance: project: database: user: u: quiet q',
    code: ['sql'],
    file: [],
    verbs: ['spanner databases execute-sql', 'sql connect', 'beta sql connect'],
  },
  pscale: { options: 'org: role: format:', code: [], file: [], verbs: ['shell'] },
  typeorm: { options: 'd|dataSource: f|config:', code: [], file: [], operand: 1, verbs: ['query'] },
  prisma: { options: 'file: url: schema: config: stdin', code: [], file: ['file'], verbs: ['db execute'] },
  supabase: { options: 'f|file: db-url: linked local', code: [], file: ['f'], operand: 2, verbs: ['db execute|query'] },
  rails: { options: 'p e|environment: db:', code: [], file: [], verbs: ['dbconsole|db'] },
  python: { options: 'database:', code: [], file: [], operand: 2, verbs: ['manage.py|./manage.py dbshell'] },
  'django-admin': { options: 'database: settings:', code: [], file: [], operand: 1, verbs: ['dbshell'] },
};

/** SQL text a client is given, and files of it. */
function clientCode(call: Call): { readonly texts: readonly Field[]; readonly files: readonly Field[] } | undefined {
  const client = CLIENTS[call.program];
  if (!client) return undefined;
  const options = optionsOf(
    call,
    client.options,
    /^(?:sqlite3|duckdb|influx)$/.test(call.program) ? { singleDash: true } : {},
  );
  const texts = client.code.flatMap((name) => options.values(name));
  const words = options.operands.map((field) => field.text);
  if (client.verbs && !isVerb(words, client.verbs)) return undefined;
  const operand = client.operand === undefined ? [] : options.operands.slice(client.operand);
  return { texts: [...texts, ...operand], files: client.file.flatMap((name) => options.values(name)) };
}

function losesRows(call: Call): Hit {
  if (asksHelp(call) || hasArg(call, '--dry_run', '--dry_run=true')) return false;
  const client = clientCode(call);
  if (!client) return false;
  const { texts } = client;
  for (const text of texts) {
    const why = textLoss(text.text);
    if (why) return fieldHit(text, why);
  }
  const files = client.files.filter((file) => !namesInput(file.text));
  const hit = fileLoss(call, [...files, ...readFiles(call, texts)]);
  if (hit) return hit;
  const hasCode = texts.length > 0 || files.length > 0;
  if (!ONLY_KNOWN.has(call.program)) return stdinLoss(call.stdin, hasCode);
  return call.stdin.text !== null && stdinLoss(call.stdin, hasCode);
}

/** Clients with other verbs, which read no SQL from what stands before them. */
const ONLY_KNOWN = new Set(['bq', 'turso']);

/** A file that this text wrote with SQL that loses data, or one whose name says that it does. */
function fileLoss(call: Call, files: readonly Field[]): Hit {
  for (const file of files) {
    if (RISKY_FILE.test(file.text)) return fieldHit(file, 'runs a SQL file made to remove data');
    const { text } = file.content ?? fileSource(file, call.state, call);
    const why = text === null ? null : textLoss(text);
    if (why) return fieldHit(file, why);
  }
  return false;
}

const RISKY_FILE =
  /(?:^|[/_.-])(?:drop|truncate|wipe|purge|destroy|delete|teardown|nuke|reset|clean(?:up)?)(?:[/_.-]|\d|$)/i;

const READ_LINE = /^[ \t]*(?:\.read|\\ir?|\\\.|source|:r)[ \t]+['"]?([^\s'";]+)/gim;

/** Files that lines of a client run: `.read f`, `\\i f`, `source f`, `:r f`. */
function readFiles(call: Call, texts: readonly Field[]): readonly Field[] {
  const { text } = call.stdin;
  const given = text === null || call.stdin.kind === 'none' ? texts : [...texts, { ...call.argv0, raw: '', text }];
  return given.flatMap((field) =>
    [...field.text.matchAll(READ_LINE)].map((match) => ({ ...field, raw: '', text: match[1] as string })),
  );
}

/** A client without text of its own runs what stdin brings. */
function stdinLoss(stdin: Source, hasCode: boolean): Hit {
  if (hasCode || stdin.kind === 'none') return false;
  if (stdin.text === null) return { why: 'runs SQL that hermod cannot see' };
  const why = textLoss(stdin.text);
  return why
    ? { why }
    : hasUnknown(stdin.text) && stdin.text.trim().length <= 1
      ? { why: 'runs SQL that hermod cannot see' }
      : false;
}

const SHELL_LINE =
  /(?:^|[\n;]|\s)(?:\\!|\\o\s*\||\\g\s*\||\\copy\b[^\n]*\bprogram\b|\\i\s|\\ir\s)|^[ \t]*\.(?:shell|system|load|open|output\s*\||once\s*\||import\s*\|)|(?:^|\n)[ \t]*(?:system|!!|source|pager)\s+\S|^[ \t]*\\(?:!|\.[ \t]*\S)/im;

/** `\! cmd`, `.shell cmd`: a client's way out to a shell. */
function runsShell(call: Call): Hit {
  const client = clientCode(call);
  if (!client) return false;
  const { texts } = client;
  const hit = texts.find((text) => SHELL_LINE.test(text.text));
  if (hit) return fieldHit(hit);
  return call.stdin.text !== null && call.stdin.kind !== 'none' && SHELL_LINE.test(call.stdin.text);
}

const STATEMENT =
  /^\s*(?:drop\s+(?:table|database|schema|view|index|keyspace|user|role|measurement|series|shard|retention|continuous|dictionary)\s|truncate\s|delete\s+from\s|alter\s+(?:table|database|user)\s)/i;
/** A key, or the start of a list, before a statement in JSON. */
const JSON_STATEMENT = /(?:"(?:sql|query|stmt|statement)"\s*:|\[)\s*"((?:drop|truncate|delete|alter)\s[^"]{1,2000})"/i;

const PARAMETER = /(?:^|[?&])(?:query|sql|statement)=([^&]*)/;
const INFLUX_PARAMETER = /(?:^|[?&])q=([^&]*)/;

/** SQL as the body or a parameter of a request: ClickHouse, InfluxDB, rqlite and their kin. */
function sentLoss(call: Call): Hit {
  const influx = call.args.some(({ text }) => /\/query(?:\?|$)/.test(text));
  for (const field of call.args) {
    const text = field.text.includes('%') || field.text.includes('+') ? unescaped(field.text) : field.text;
    const named = (influx ? INFLUX_PARAMETER : PARAMETER).exec(text)?.[1];
    const sql = named ?? JSON_STATEMENT.exec(text)?.[1] ?? text;
    const why = STATEMENT.test(sql) ? textLoss(sql) : null;
    if (why) return fieldHit(field, why);
  }
  return call.stdin.text !== null && STATEMENT.test(call.stdin.text) && textLoss(call.stdin.text) !== null;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

export const databaseRules: readonly Rule[] = [
  {
    id: 'sql.loss',
    grade: 'dangerous',
    programs: Object.keys(CLIENTS),
    test: losesRows,
    why: 'drops, empties or changes whole tables',
    smart: true,
    match: [
      'psql -c "DROP TABLE users"',
      'mysql -e "truncate t"',
      'sqlite3 a.db "DELETE FROM t"',
      'echo "drop table t" | psql',
      'psql -c "DELETE FROM t WHERE 1=1"',
      'psql db < x.sql',
      'psql -c "ALTER TABLE t DROP COLUMN c"',
      'wrangler d1 execute prod --remote --command "DROP TABLE users"',
      'psql -c "DO \\$\\$ BEGIN DROP TABLE x; END \\$\\$"',
      "python manage.py dbshell -- -c 'DROP TABLE x'",
      "rails runner 'User.delete_all'",
      'sqlite3 a.db "DELETE FROM t WHERE id IS NOT NULL"',
      "python manage.py shell -c 'User.objects.all().delete()'",
      "php artisan tinker --execute='User::truncate();'",
      "psql app <<'EOF'\n\\timing on\nDROP TABLE x;\nEOF",
      "sqlite3 app.db <<'EOF'\n.mode box\nDELETE FROM users;\nEOF",
      "sqlcmd -S h <<'EOF'\nUSE app\nSELECT 1\nGO\nDROP TABLE x\nGO\nEOF",
      "mysql <<'EOF'\nuse app\ndelimiter //\nDROP TABLE x//\nEOF",
      "psql <<'EOF'\nSELECT 'DROP TABLE ' || tablename FROM pg_tables \\gexec\nEOF",
      'psql -c "DELETE FROM a USING b"',
      "echo 'DROP TABLE users;' > d.sql; psql -d app --file=d.sql",
      "echo 'DROP TABLE users;' > d.sql; sqlite3 app.db '.read d.sql'",
      "echo 'DROP TABLE users;' > d.sql; bq query < d.sql",
      "echo 'DROP TABLE users;' | psql -f -",
      'mysql -e "DELETE FROM t ORDER BY id LIMIT 10000"',
      'psql -c "/* a /* b */ c */ DROP TABLE x"',
      'psql -c "DELETE FROM users WHERE id IN (SELECT id FROM users)"',
      "psql <<'EOF'\nDO $$ BEGIN EXECUTE format($f$DROP TABLE %I$f$, t); END $$;\nEOF",
      "mysql -e \"SET @s=CONCAT('DROP TABLE ', 'a'); PREPARE p FROM @s; EXECUTE p\"",
      'sqlcmd -Q "EXEC sp_executesql N\'DROP TABLE a\'"',
      'sqlcmd -Q "IF EXISTS (SELECT 1 FROM t) DROP TABLE t"',
    ],
    notMatch: [
      "psql <<'EOF'\nDO $$ BEGIN EXECUTE format('ANALYZE %I', t); RAISE NOTICE $m$drop table$m$; END $$;\nEOF",
      'psql -c "PREPARE p AS SELECT * FROM t; EXECUTE p(\'drop table a\')"',
      "sqlcmd -Q \"EXEC sp_executesql N'SELECT * FROM t WHERE id = @id', N'@id int', @id = 1\"",
      'sqlcmd -Q "IF NOT EXISTS (SELECT 1) CREATE TABLE t (a int REFERENCES u ON DELETE CASCADE)"',
      "echo 'SELECT 1;' > d.sql; psql -d app --file=d.sql",
      "echo 'SELECT 1;' > d.sql; sqlite3 app.db '.read d.sql'",
      'bq query < report.sql',
      'psql -c "DELETE FROM a USING b WHERE a.id = b.id"',
      'psql -c "DELETE FROM users WHERE id IN (SELECT user_id FROM banned)"',
      "psql app <<'EOF'\n\\timing on\n\\echo DROP TABLE x\nSELECT count(*) FROM users;\nEOF",
      "sqlite3 app.db <<'EOF'\n.mode box\nDELETE FROM users WHERE id = 7;\nEOF",
      "mysql <<'EOF'\nuse app\nUPDATE t\nSET a = 1\nWHERE id = 7;\nEOF",
      "psql <<'EOF'\nSELECT 'CREATE DATABASE app' WHERE true \\gexec\nEOF",
      'psql -c "SELECT 1"',
      'mysql -e "SHOW TABLES"',
      'sqlite3 a.db "DELETE FROM t WHERE id = 1"',
      "bq query --dry_run 'DROP TABLE d.t'",
      'psql -c "select \'drop table x\'"',
      'psql -f schema.sql',
      'psql -l',
      'wrangler d1 execute prod --command "SELECT 1"',
      'sqlite3 a.db "DELETE FROM t WHERE id > 900"',
      'psql -c "CREATE ROLE x LOGIN"',
      "rails runner 'puts User.count'",
      "python manage.py shell -c 'User.objects.get(pk=1).delete()'",
      'sqlite3 a.db .tables',
    ],
  },
  {
    id: 'sql.request',
    grade: 'dangerous',
    programs: ['curl', 'wget', 'http', 'https', 'xh'],
    test: sentLoss,
    why: 'sends a database server SQL that drops or empties tables',
    smart: true,
    match: [
      "curl http://ch:8123 -d 'DROP TABLE x'",
      "curl 'http://ch:8123/?query=DROP%20TABLE%20x'",
      "curl -XPOST 'http://influx:8086/query' --data-urlencode 'q=DROP DATABASE x'",
      'curl http://rqlite:4001/db/execute -d \'["DROP TABLE x"]\'',
    ],
    notMatch: [
      "curl http://ch:8123 -d 'SELECT 1'",
      "curl 'https://x.example/search?q=drop+table+in+sql'",
      'curl https://x.example/chat -d \'{"text":"drop table x"}\'',
      "curl -d 'delete me' https://x.example",
    ],
  },
  {
    id: 'sql.shell',
    grade: 'dangerous',
    programs: Object.keys(CLIENTS),
    test: runsShell,
    why: 'leaves the database client for a shell',
    match: [
      'psql -c "\\\\! ls"',
      'sqlite3 a.db ".shell ls"',
      'mysql -e "\\\\! ls"',
      'sqlite3 a.db ".system ls"',
      "mysql <<'EOF'\n\\. x.sql\nEOF",
    ],
    notMatch: [
      'psql -c "\\\\dt"',
      'sqlite3 a.db ".schema"',
      'psql -c "select 1"',
      "psql app <<'EOF'\nCOPY t FROM stdin;\n1\n\\.\nSELECT 1;\nEOF",
    ],
  },
];
