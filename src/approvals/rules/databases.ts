import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { hasUnknown, isKnown } from '../shell/marks.ts';
import type { Source } from '../shell/source.ts';
import { asksHelp, fieldHit, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { sqlLoss, sqlStatements } from './sql-text.ts';

const CLIENTS: Readonly<
  Record<
    string,
    {
      readonly options: string;
      readonly code: readonly string[];
      readonly file: readonly string[];
      readonly operand?: number;
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
  duckdb: { options: 'c: s: cmd: init: json csv readonly', code: ['c', 's', 'cmd'], file: ['init'], operand: 1 },
  sqlcmd: { options: 'Q: q: S: U: P: d: i: o: E b s: W h: t: l: C N v:', code: ['Q', 'q'], file: ['i'] },
  mssql: { options: 'Q: q: S: U: P: d:', code: ['Q', 'q'], file: [] },
  'clickhouse-client': {
    options: 'q|query: h|host: u|user: password: d|database: n|multiquery port: queries-file:',
    code: ['q'],
    file: ['queries-file'],
  },
  clickhouse: { options: 'q|query: h|host: u|user: password: d|database: n', code: ['q'], file: [] },
  cqlsh: { options: 'e|execute: f|file: k: u: p: ssl', code: ['e'], file: ['f'] },
  snowsql: { options: 'q|query: f|filename: a: u: d: s: w: r: c: o:', code: ['q'], file: ['f'] },
  bq: { options: 'q', code: [], file: [], operand: 1 },
  influx: { options: 'execute: database: host: port: username: password: precision:', code: ['execute'], file: [] },
  beeline: { options: 'e: f: u: n: p: d: hivevar:', code: ['e'], file: ['f'] },
  hive: { options: 'e: f: hiveconf: S', code: ['e'], file: ['f'] },
  'spark-sql': { options: 'e: f: S master:', code: ['e'], file: ['f'] },
  presto: { options: 'execute: server: catalog: schema: file:', code: ['execute'], file: ['file'] },
  trino: { options: 'execute: server: catalog: schema: file:', code: ['execute'], file: ['file'] },
  cockroach: { options: 'e|execute: host: insecure url: certs-dir: d|database: f|file:', code: ['e'], file: ['f'] },
  mysqlsh: { options: 'e|execute: sql js py uri: f|file:', code: ['e'], file: ['f'] },
  sqlplus: { options: 'S L s', code: [], file: [] },
  isql: { options: 'u: p: q: d: i:', code: ['q'], file: ['i'] },
  usql: { options: 'c: f: w W q', code: ['c'], file: ['f'] },
  turso: { options: '', code: [], file: [], operand: 3 },
};

/** SQL text a client is given, and files of it. */
function clientCode(call: Call): { readonly texts: readonly Field[]; readonly files: readonly Field[] } {
  const client = CLIENTS[call.program];
  if (!client) return { texts: [], files: [] };
  const options = optionsOf(
    call,
    client.options,
    /^(?:sqlite3|duckdb|influx)$/.test(call.program) ? { singleDash: true } : {},
  );
  const texts = client.code.flatMap((name) => options.values(name));
  const operand = client.operand === undefined ? [] : options.operands.slice(client.operand);
  return { texts: [...texts, ...operand], files: client.file.flatMap((name) => options.values(name)) };
}

function losesRows(call: Call): Hit {
  if (asksHelp(call)) return false;
  const { texts, files } = clientCode(call);
  for (const text of texts) {
    const why = textLoss(text.text);
    if (why) return fieldHit(text, why);
  }
  const named = files.find((file) => RISKY_FILE.test(file.text));
  if (named) return fieldHit(named, 'runs a SQL file made to remove data');
  return call.program === 'bq' || call.program === 'turso'
    ? false
    : stdinLoss(call.stdin, texts.length > 0 || files.length > 0);
}

const RISKY_FILE =
  /(?:^|[/_.-])(?:drop|truncate|wipe|purge|destroy|delete|teardown|nuke|reset|clean(?:up)?)(?:[/_.-]|\d|$)/i;

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

function textLoss(text: string): string | null {
  for (const statement of sqlStatements(text)) {
    const why = sqlLoss(statement);
    if (why) return why;
  }
  return null;
}

const SHELL_LINE =
  /(?:^|[\n;]|\s)(?:\\!|\\o\s*\||\\g\s*\||\\copy\b[^\n]*\bprogram\b|\\i\s|\\ir\s)|^\s*\.(?:shell|system|load|open|output\s*\||once\s*\||import\s*\|)|(?:^|\n)\s*(?:system|!!|source|pager)\s+\S|^\s*\\[!.]/im;

/** `\! cmd`, `.shell cmd`: a client's way out to a shell. */
function runsShell(call: Call): Hit {
  const { texts } = clientCode(call);
  const hit = texts.find((text) => SHELL_LINE.test(text.text));
  if (hit) return fieldHit(hit);
  return call.stdin.text !== null && call.stdin.kind !== 'none' && SHELL_LINE.test(call.stdin.text);
}

const REDIS_LOSS =
  /^(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG|SWAPDB|SLAVEOF|REPLICAOF|FAILOVER|BGREWRITEAOF|EVAL|EVALSHA|UNLINK|DEL|RESTORE|MIGRATE|RESET)$/i;

function losesStore(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 'h: p: a: n: u: i: r: s: x c: user: pass: tls cacert: cert: key: d:');
  switch (call.program) {
    case 'redis-cli':
      return redisLoss(operands, call);
    case 'mongosh':
      return mongoLoss(
        [...knownArgs(call), call.stdin.kind === 'none' ? '' : (call.stdin.text ?? 'drop()')].join('\n'),
      );
    case 'mongorestore':
    case 'pg_restore':
      return hasArg(call, '--drop', '-c', '--clean');
    case 'dropdb':
    case 'dropuser':
    case 'pg_dropcluster':
    case 'pg_resetwal':
    case 'dropuser-all':
      return operands.length > 0;
    case 'pg_ctl':
      return isVerb(operandsOf(call, 'D: l: m: o: t: w'), ['stop', 'restart', 'kill', 'promote']);
    case 'pg_ctlcluster':
      return operands.some((word) => /^(?:stop|restart|promote)$/.test(word));
    case 'mysqladmin':
      return operandsOf(call, 'h: u: p? P: S:').some((word) =>
        /^(?:drop|shutdown|flush-.*|kill|stop-.*|password|refresh|reload)$/.test(word),
      );
    case 'influxd':
      return operands[0] === 'restore';
    case 'kafka-topics':
    case 'kafka-topics.sh':
      return hasArg(call, '--delete');
    case 'kafka-delete-records':
    case 'kafka-delete-records.sh':
      return true;
    case 'kafka-consumer-groups':
    case 'kafka-consumer-groups.sh':
      return hasArg(call, '--delete', '--reset-offsets') && hasArg(call, '--execute', '--delete');
    case 'rpk':
      return isVerb(operands, ['topic delete|trim-prefix', 'group delete', 'cluster maintenance enable']);
    case 'nodetool':
      return isVerb(operands, [
        'drain',
        'decommission',
        'removenode',
        'clearsnapshot',
        'stopdaemon',
        'assassinate',
        'truncatehints',
      ]);
    case 'cbq':
      return knownArgs(call).some((arg) => textLoss(arg) !== null);
    case 'memcflush':
    case 'memrm':
      return true;
    default:
      return false;
  }
}

function redisLoss(operands: readonly string[], call: Call): Hit {
  const [verb, second] = operands;
  if (verb !== undefined) {
    if (REDIS_LOSS.test(verb))
      return !(
        /^(?:DEL|UNLINK)$/i.test(verb) &&
        operands.length === 2 &&
        isKnown(second ?? '') &&
        !call.frame.appended
      );
    if (/^CONFIG$/i.test(verb)) return /^(?:SET|REWRITE|RESETSTAT)$/i.test(second ?? '');
    if (/^(?:SCRIPT|FUNCTION|CLUSTER|ACL|CLIENT|MODULE|MEMORY|XGROUP)$/i.test(verb))
      return /^(?:FLUSH|DELETE|RESET|DELUSER|SETUSER|KILL|FORGET|LOAD|UNLOAD|FAILOVER|DESTROY|PURGE)$/i.test(
        second ?? '',
      );
    return false;
  }
  const text = call.stdin.kind === 'none' ? '' : call.stdin.text;
  return text === null
    ? { why: 'runs store commands that hermod cannot see' }
    : /^\s*(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEL|UNLINK)\b/im.test(text);
}

function mongoLoss(text: string): boolean {
  return (
    /\b(?:dropDatabase|dropIndexes?|dropAllUsers|dropUser|dropRole|drop|remove|deleteMany|findAndRemove|shutdownServer|fsyncLock|renameCollection|dropAllRoles)\s*\(/.test(
      text,
    ) && !/\bremove\s*\(\s*\{\s*_id/.test(text)
  );
}

/** Framework commands that drop or empty a database. */
const FRAMEWORK: Readonly<Record<string, readonly string[]>> = {
  rails: [
    'db:drop',
    'db:reset',
    'db:drop:all',
    'db:purge',
    'db:migrate:reset',
    'db:schema:load',
    'db:truncate_all',
    'db:rollback',
    'db:seed:replant',
    'destroy',
    'db:migrate:down',
    'db:structure:load',
    'db:setup',
  ],
  rake: [
    'db:drop',
    'db:reset',
    'db:drop:all',
    'db:purge',
    'db:migrate:reset',
    'db:schema:load',
    'db:truncate_all',
    'db:rollback',
    'db:migrate:down',
  ],
  'django-admin': ['flush', 'reset_db'],
  artisan: [
    'migrate:fresh',
    'migrate:reset',
    'migrate:refresh',
    'migrate:rollback',
    'db:wipe',
    'queue:flush',
    'queue:clear',
    'down',
  ],
  prisma: ['migrate reset', 'db drop'],
  alembic: ['downgrade'],
  flask: ['db downgrade', 'db drop', 'drop-db', 'drop_db', 'reset-db'],
  knex: ['migrate:rollback', 'migrate:down'],
  sequelize: ['db:drop', 'db:migrate:undo', 'db:migrate:undo:all', 'db:seed:undo', 'db:seed:undo:all'],
  'sequelize-cli': ['db:drop', 'db:migrate:undo', 'db:migrate:undo:all', 'db:seed:undo', 'db:seed:undo:all'],
  typeorm: ['schema:drop', 'migration:revert'],
  'drizzle-kit': ['drop'],
  mix: ['ecto.drop', 'ecto.reset', 'ecto.rollback'],
  diesel: ['database reset|drop', 'migration revert|redo'],
  sqlx: ['database drop|reset', 'migrate revert', 'db drop|reset'],
  'sea-orm-cli': ['migrate down|fresh|refresh|reset'],
  dbmate: ['drop', 'down', 'rollback'],
  migrate: ['drop', 'down', 'force'],
  goose: ['reset', 'down', 'down-to'],
  atlas: ['schema clean', 'migrate down'],
  flyway: ['clean', 'undo'],
  liquibase: ['dropAll', 'drop-all', 'rollback', 'rollbackCount', 'rollback-count'],
  doctrine: ['orm:schema-tool:drop', 'database:drop'],
  console: ['doctrine:database:drop', 'doctrine:schema:drop', 'doctrine:fixtures:load'],
  wp: [
    'db drop|reset|clean',
    'site empty|delete',
    'post delete',
    'plugin delete|uninstall',
    'user delete',
    'theme delete',
  ],
  drush: ['sql:drop', 'sql-drop', 'site:install', 'sqlq', 'entity:delete'],
  dotnet: ['ef database drop', 'ef migrations remove'],
  supabase: ['db reset', 'projects delete', 'branches delete', 'stop'],
  firebase: ['firestore:delete', 'database:remove', 'hosting:disable', 'functions:delete'],
  'manage.py': ['flush', 'reset_db', 'sqlclear'],
  hasura: ['metadata clear', 'migrate delete'],
  strapi: [],
  payload: ['migrate:fresh', 'migrate:reset'],
  medusa: [],
  solr: ['delete'],
  elasticdump: [],
};

function dropsByFramework(call: Call): Hit {
  if (asksHelp(call, true) || hasArg(call, '--dry-run', '--pretend', '--sql', '-sql')) return false;
  const words = operandsOf(
    call,
    'e: env: database: connection: url: c|config: schema: n|name: path: source: dir: f: p: db: settings:',
  );
  const verbs = FRAMEWORK[call.program] ?? [];
  if (call.program === 'prisma' && isVerb(words, ['db push']))
    return hasArg(call, '--force-reset', '--accept-data-loss');
  if (call.program === 'rake' || call.program === 'rails' || call.program === 'mix')
    return (
      words.some((word) => verbs.includes(word) && word !== 'destroy') || words[0] === 'destroy' || words[0] === 'd'
    );
  if (isVerb(words, verbs)) return true;
  return scriptDrops(call, words);
}

/** `python manage.py flush`, `php artisan migrate:fresh`. */
function scriptDrops(call: Call, words: readonly string[]): boolean {
  const [script, ...rest] = words;
  if (call.program === 'python')
    return /(?:^|\/)manage\.py$/.test(script ?? '') && isVerb(rest, FRAMEWORK['manage.py'] as readonly string[]);
  if (call.program === 'php')
    return (
      (/(?:^|\/)artisan$/.test(script ?? '') && isVerb(rest, FRAMEWORK['artisan'] as readonly string[])) ||
      (/(?:^|\/)console$/.test(script ?? '') && isVerb(rest, FRAMEWORK['console'] as readonly string[]))
    );
  return false;
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
    ],
    notMatch: [
      'psql -c "SELECT 1"',
      'mysql -e "SHOW TABLES"',
      'sqlite3 a.db "DELETE FROM t WHERE id = 1"',
      'psql -c "select \'drop table x\'"',
      'psql -f schema.sql',
      'psql -l',
      'sqlite3 a.db .tables',
    ],
  },
  {
    id: 'sql.shell',
    grade: 'dangerous',
    programs: Object.keys(CLIENTS),
    test: runsShell,
    why: 'leaves the database client for a shell',
    match: ['psql -c "\\\\! ls"', 'sqlite3 a.db ".shell ls"', 'mysql -e "\\\\! ls"', 'sqlite3 a.db ".system ls"'],
    notMatch: ['psql -c "\\\\dt"', 'sqlite3 a.db ".schema"', 'psql -c "select 1"'],
  },
  {
    id: 'sql.store',
    grade: 'dangerous',
    programs: [
      'redis-cli',
      'mongosh',
      'mongorestore',
      'pg_restore',
      'dropdb',
      'dropuser',
      'pg_dropcluster',
      'pg_resetwal',
      'pg_ctl',
      'pg_ctlcluster',
      'mysqladmin',
      'influxd',
      'kafka-topics',
      'kafka-topics.sh',
      'kafka-delete-records',
      'kafka-delete-records.sh',
      'kafka-consumer-groups',
      'kafka-consumer-groups.sh',
      'rpk',
      'nodetool',
      'cbq',
      'memcflush',
      'memrm',
    ],
    test: losesStore,
    why: 'flushes, drops or stops a data store',
    smart: true,
    match: [
      'redis-cli FLUSHALL',
      'mongosh --eval "db.dropDatabase()"',
      'dropdb prod',
      'redis-cli -n 1 flushdb',
      'mysqladmin drop x',
      'kafka-topics.sh --delete --topic t',
    ],
    notMatch: [
      'redis-cli GET x',
      'redis-cli ping',
      'mongosh --eval "db.stats()"',
      'mysqladmin status',
      'kafka-topics --list',
      'pg_restore -l a.dump',
    ],
  },
  {
    id: 'sql.framework',
    grade: 'dangerous',
    programs: [...Object.keys(FRAMEWORK), 'python', 'php'],
    test: dropsByFramework,
    why: 'drops or rolls back a database through a framework',
    smart: true,
    match: [
      'rails db:drop',
      'bundle exec rake db:reset',
      'python manage.py flush',
      'php artisan migrate:fresh',
      'npx prisma migrate reset',
      'alembic downgrade base',
      'mix ecto.drop',
    ],
    notMatch: [
      'rails db:migrate',
      'python manage.py migrate',
      'php artisan migrate',
      'npx prisma generate',
      'alembic upgrade head',
      'rails routes',
    ],
  },
];
