import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { isKnown } from '../shell/marks.ts';
import { fileSource } from '../shell/redirects.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { textLoss } from './sql-text.ts';

const REDIS_LOSS =
  /^(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG|SWAPDB|SLAVEOF|REPLICAOF|FAILOVER|BGREWRITEAOF|EVAL|EVALSHA|UNLINK|DEL|RESTORE|MIGRATE|RESET)$/i;

function losesStore(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 'h: p: a: n: u: i: r: s: x c: user: pass: tls cacert: cert: key: d:');
  switch (call.program) {
    case 'redis-cli':
      return givesRedisMore(call) || redisLoss(operands, call);
    case 'mongosh':
      return mongoLoss(
        [
          ...knownArgs(call),
          ...scriptTexts(call),
          call.stdin.kind === 'none' ? '' : (call.stdin.text ?? 'drop()'),
        ].join('\n'),
      );
    case 'arangosh':
      return knownArgs(call).some((arg) => /\b_?(?:drop\w*|truncate)\s*\(/.test(arg));
    case 'cypher-shell':
      return [...knownArgs(call), call.stdin.kind === 'none' ? '' : (call.stdin.text ?? '')].some(graphLoss);
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
    case 'influx':
      return isVerb(operands, ['delete', '* delete|rm', 'restore']);
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
    case 'rabbitmqadmin':
      return isVerb(operandsOf(call, 'H: P: u: p: V: f: c: N:'), ['delete|purge|import', 'close *']);
    case 'nats':
      return isVerb(operandsOf(call, 's: context: creds: user: password:'), [
        'stream|str|s rm|purge|restore|delete',
        'consumer|con rm|delete',
        'kv rm|del|purge',
        'object rm|del',
      ]);
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
    case 'nc':
    case 'telnet':
      return (
        call.stdin.kind !== 'none' && /^\s*(?:FLUSHALL|FLUSHDB|SHUTDOWN|flush_all)\b/im.test(call.stdin.text ?? '')
      );
    case 'cbq':
      return knownArgs(call).some((arg) => textLoss(arg) !== null);
    case 'memcached-tool':
      return isVerb(operands, ['* flush_all|flush']);
    case 'memcflush':
    case 'memrm':
      return true;
    default:
      return false;
  }
}

/** What this text wrote to the scripts a shell is told to run. */
function scriptTexts(call: Call): readonly string[] {
  return call.args.flatMap((arg) => {
    const source = arg.content ?? (/\.[cm]?js$/.test(arg.text) ? fileSource(arg, call.state, call) : undefined);
    return source?.text ?? [];
  });
}

/** A script for the server, or a change of its cluster. */
function givesRedisMore(call: Call): boolean {
  const at = call.args.findIndex(({ text }) => text === '--cluster');
  const verb = at < 0 ? '' : (call.args[at + 1]?.text ?? '');
  return hasArg(call, '--eval') || /^(?:del-node|reshard|rebalance|fix|call|import|create)$/.test(verb);
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
    : /^[ \t]*(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEL|UNLINK)\b/im.test(text);
}

/** A command handed over as a document: its name is the first key. */
const MONGO_COMMAND =
  /\b(?:admin|run)Command\s*\(\s*(?:\{\s*)?["']?(?:drop\w*|shutdown|delete|renameCollection|fsync|replSet\w+|killOp|killSessions|compact|convertToCapped|removeShard|setParameter|updateUser|grantRolesToUser|eval)\b/;

function mongoLoss(text: string): boolean {
  return (
    MONGO_COMMAND.test(text) ||
    /\b(?:updateMany|updateAll)\s*\(\s*\{\s*\}/.test(text) ||
    (/\b(?:dropDatabase|dropIndexes?|dropAllUsers|dropUser|dropRole|drop|remove|deleteMany|findAndRemove|shutdownServer|fsyncLock|renameCollection|dropAllRoles)\s*\(/.test(
      text,
    ) &&
      !/\bremove\s*\(\s*\{\s*_id/.test(text))
  );
}

/** Cypher that drops, or deletes nodes that are not picked by a value. */
function graphLoss(text: string): boolean {
  return text.split(';').some((statement) => {
    const plain = statement.replace(/'[^']*'|"[^"]*"/g, "''");
    if (/^\s*DROP\b/i.test(plain)) return true;
    return /\bDELETE\b/i.test(plain) && /\bMATCH\b/i.test(plain) && !/\bWHERE\b|\{/i.test(plain);
  });
}

const ACE = ['db:wipe|db:truncate', 'migration:fresh|migration:reset|migration:refresh|migration:rollback'];

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
  'django-admin': ['flush', 'reset_db', 'migrate * zero'],
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
  'mikro-orm': ['schema:drop|schema:fresh|migration:fresh|migration:down|database:drop'],
  'mikro-orm-esm': ['schema:drop|schema:fresh|migration:fresh|migration:down|database:drop'],
  ace: ACE,
  node: [],
  sail: [],
  mvn: ['flyway:clean|flyway:undo', 'liquibase:dropAll|liquibase:rollback'],
  mvnw: ['flyway:clean|flyway:undo', 'liquibase:dropAll|liquibase:rollback'],
  gradle: ['flywayClean|flywayUndo', 'dropAll'],
  gradlew: ['flywayClean|flywayUndo', 'dropAll'],
  airflow: ['db reset|clean', 'dags|pools|connections|variables|users delete'],
  celery: ['purge', 'amqp queue.purge|queue.delete', 'control shutdown'],
  mix: ['ecto.drop', 'ecto.reset', 'ecto.rollback'],
  diesel: ['database reset|drop', 'migration revert|redo'],
  sqlx: ['database drop|reset', 'migrate revert', 'db drop|reset'],
  'sea-orm-cli': ['migrate down|fresh|refresh|reset'],
  dbmate: ['drop', 'down', 'rollback'],
  migrate: ['drop', 'down', 'force'],
  goose: ['reset|down|down-to|redo', '* * reset|down|down-to|redo'],
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
  drush: ['sql:drop', 'sql-drop', 'site:install', 'sqlq', 'entity:delete', 'user:cancel', 'user-cancel'],
  dotnet: ['ef database drop', 'ef migrations remove'],
  supabase: ['db reset', 'projects delete', 'branches delete', 'stop'],
  firebase: ['firestore:delete', 'database:remove', 'hosting:disable', 'functions:delete'],
  'manage.py': ['flush', 'reset_db', 'sqlclear', 'migrate * zero'],
  hasura: ['metadata clear', 'migrate delete'],
  meteor: ['reset'],
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
  if (call.program === 'migrate' || call.program === 'goose') return isVerb(singleDashed(call), verbs);
  if (call.program === 'celery') return isVerb(operandsOf(call, 'A|app: b|broker: workdir: Q: X:'), verbs);
  if (/^(?:mvnw?|gradlew?)$/.test(call.program)) return words.some((word) => isVerb([word], verbs));
  if (call.program === 'drizzle-kit' && isVerb(words, ['push'])) return hasArg(call, '--force');
  if (call.program === 'hasura' && isVerb(words, ['migrate apply']))
    return knownArgs(call).some((arg) => /^--down(?:=|$)/.test(arg));
  if (call.program === 'prisma' && isVerb(words, ['db push']))
    return hasArg(call, '--force-reset', '--accept-data-loss');
  if (call.program === 'rake' || call.program === 'rails' || call.program === 'mix')
    return (
      words.some((word) => verbs.includes(word) && word !== 'destroy') || words[0] === 'destroy' || words[0] === 'd'
    );
  if (isVerb(words, verbs)) return true;
  return scriptDrops(call, words);
}

/** Go's own option style, `-path x -database y drop -f`. */
function singleDashed(call: Call): readonly string[] {
  const options = optionsOf(call, 'path: database: source: dir: table: prefetch: lock-timeout: timeout:', {
    singleDash: true,
  });
  return options.operands.map((field) => field.text);
}

/** `python manage.py flush`, `php artisan migrate:fresh`. */
function scriptDrops(call: Call, words: readonly string[]): boolean {
  const [script, ...rest] = words;
  if (call.program === 'node') return /(?:^|\/)ace(?:\.js)?$/.test(script ?? '') && isVerb(rest, ACE);
  if (call.program === 'sail')
    return /^(?:artisan|art)$/.test(script ?? '') && isVerb(rest, FRAMEWORK['artisan'] as readonly string[]);
  if (call.program === 'python')
    return /(?:^|\/)manage\.py$/.test(script ?? '') && isVerb(rest, FRAMEWORK['manage.py'] as readonly string[]);
  if (call.program === 'php')
    return (
      (/(?:^|\/)artisan$/.test(script ?? '') && isVerb(rest, FRAMEWORK['artisan'] as readonly string[])) ||
      (/(?:^|\/)console$/.test(script ?? '') && isVerb(rest, FRAMEWORK['console'] as readonly string[]))
    );
  return false;
}

export const storeRules: readonly Rule[] = [
  {
    id: 'sql.store',
    grade: 'dangerous',
    programs: [
      'redis-cli',
      'mongosh',
      'arangosh',
      'cypher-shell',
      'mongorestore',
      'pg_restore',
      'dropdb',
      'dropuser',
      'pg_dropcluster',
      'pg_resetwal',
      'pg_ctl',
      'pg_ctlcluster',
      'mysqladmin',
      'influx',
      'influxd',
      'kafka-topics',
      'kafka-topics.sh',
      'kafka-delete-records',
      'kafka-delete-records.sh',
      'kafka-consumer-groups',
      'kafka-consumer-groups.sh',
      'rabbitmqadmin',
      'nats',
      'rpk',
      'nodetool',
      'cbq',
      'nc',
      'telnet',
      'memcflush',
      'memcached-tool',
      'memrm',
    ],
    test: losesStore,
    why: 'flushes, drops or stops a data store',
    smart: true,
    match: [
      'redis-cli FLUSHALL',
      'mongosh --eval "db.dropDatabase()"',
      "echo 'db.dropDatabase()' > d.js; mongosh app d.js",
      'dropdb prod',
      'redis-cli -n 1 flushdb',
      'redis-cli --cluster del-node h:1 x',
      'mysqladmin drop x',
      'kafka-topics.sh --delete --topic t',
      'influx bucket delete -n x',
      'rabbitmqadmin delete queue name=x',
      'nats stream rm ORDERS',
      'mongosh --eval "db.adminCommand({shutdown:1})"',
      'mongosh --eval \'db.runCommand({drop:"users"})\'',
      "printf 'FLUSHALL\\r\\n' | nc cache 6379",
      "cypher-shell -u neo4j 'MATCH (n) DETACH DELETE n'",
    ],
    notMatch: [
      'redis-cli GET x',
      'redis-cli ping',
      'redis-cli --cluster check h:1',
      'mongosh --eval "db.stats()"',
      "echo 'db.stats()' > d.js; mongosh app d.js",
      'mysqladmin status',
      'kafka-topics --list',
      'pg_restore -l a.dump',
      'mongosh --eval "db.adminCommand({listDatabases:1})"',
      "printf 'PING\\r\\n' | nc cache 6379",
      "cypher-shell 'MATCH (n:User {id: 1}) DETACH DELETE n'",
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
      'migrate -path m -database x drop -f',
      'node ace migration:fresh',
      'mvn flyway:clean',
      'celery -A app purge -f',
    ],
    notMatch: [
      'rails db:migrate',
      'python manage.py migrate',
      'php artisan migrate',
      'npx prisma generate',
      'alembic upgrade head',
      'rails routes',
      'migrate create -ext sql drop_users',
      'node ace migration:run',
      'mvn clean verify',
      'celery -A app worker',
    ],
  },
];
