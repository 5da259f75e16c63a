// Loaded before the daemon. The file `dies-at` in its home holds a pattern and a number: from the first statement on that matches
// the pattern and finds or changes a row, statements are counted, and before that many the process is gone.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const file = join(process.env.HERMOD_HOME ?? '', 'dies-at');

if (isMainThread && existsSync(file)) {
  const Database = createRequire(import.meta.url)('better-sqlite3');
  const { from, statement: at } = JSON.parse(readFileSync(file, 'utf8'));
  const begins = new RegExp(from);
  const { prepare } = Database.prototype;
  let left = at;
  let counting = false;

  const found = (result) => (Array.isArray(result) ? result.length > 0 : (result?.changes ?? 0) > 0);

  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    for (const name of ['run', 'get', 'all']) {
      const real = statement[name];
      statement[name] = (...args) => {
        if (counting && --left < 0) process.kill(process.pid, 'SIGKILL');
        const result = real.apply(statement, args);
        counting ||= begins.test(sql) && found(result);
        return result;
      };
    }
    return statement;
  };
}
