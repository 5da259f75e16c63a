import { sqlLoss, sqlStatements } from '../rules/sql-text.ts';
import type { Effect } from './effects.ts';
import { constantText } from './values.ts';

/** SQL given to a database library. */
export const sqlEffect: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (text === null) return undefined;
  for (const statement of sqlStatements(text)) {
    const why = sqlLoss(statement);
    if (why) use.sink.report('sql.loss', use.at, why);
  }
  return undefined;
};
