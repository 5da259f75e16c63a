import { UNKNOWN } from '../shell/marks.ts';
import { handedTexts, isOpenText } from './sql-handed.ts';

/** One statement's tokens: words in upper case, strings behind a `'`, quoted names behind a `"`, punctuation as itself. */
type Tokens = readonly string[];

/** What is behind so many, or in so many blocks, counts as only known when it runs. */
const MAX_STATEMENTS = 2_000;
/** Blocks within blocks. */
const MAX_BLOCKS = 3;
/** Stands for a statement that is only known when it runs. */
const OPEN_TEXT: Tokens = [''];

/** Splits SQL into statements, those of texts it has the server run among them. */
export function sqlStatements(given: string, depth = 0, inBlock = false): readonly Tokens[] {
  const statements = ownStatements(given, depth);
  const own = inBlock ? statements.map(insideControl) : statements;
  const handed = handedTexts(own, inBlock).flatMap(({ text, block }) =>
    depth >= MAX_BLOCKS || isOpenText(text) ? [OPEN_TEXT] : sqlStatements(text, depth + 1, block).map(orOpen),
  );
  return handed.length === 0 ? own : [...own, ...handed];
}

function orOpen(statement: Tokens): Tokens {
  return statement[0] === UNKNOWN ? OPEN_TEXT : statement;
}

/** Leaves out comments, what stands in strings, and the lines that only the client obeys. */
function ownStatements(given: string, depth: number): readonly Tokens[] {
  const text = withSemicolons(given);
  const statements: string[][] = [];
  let current: string[] = [];
  const token =
    /--[^\n]*|#[^\n]*|\/\*|'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.)*"?|`[^`]*`?|\$(\w*)\$|[A-Za-z_][\w$]*|\d+(?:\.\d+)?|[;=<>!*(),.\\]|\S/gy;
  let at = 0;
  while (at < text.length) {
    if (statements.length >= MAX_STATEMENTS) return [...statements, OPEN_TEXT];
    token.lastIndex = at;
    const space = /\s*/y;
    space.lastIndex = at;
    space.test(text);
    token.lastIndex = space.lastIndex;
    const match = token.exec(text);
    if (!match) break;
    if (current.length > 0 && text.slice(at, match.index).includes('\n') && endsByLine(current, match[0])) {
      statements.push(current);
      current = [];
    }
    at = token.lastIndex;
    const word = match[0];
    const line = clientLine(text, match.index, current.length === 0);
    if (line) {
      if (current.length > 0) statements.push(current);
      statements.push(...runBy(line.text, current, depth + 1));
      current = [];
      at = line.end;
      continue;
    }
    if (word === '/*') {
      const inner = commentBody(text, at);
      at = inner.end;
      if (inner.code !== '' && depth >= MAX_BLOCKS) statements.push(OPEN_TEXT as string[]);
      else if (inner.code !== '') current.push(...(sqlStatements(inner.code, depth + 1).flat() as string[]));
    } else if (word.startsWith('--') || word.startsWith('#')) continue;
    else if (match[1] !== undefined) {
      const end = text.indexOf(word, at);
      current.push(`'${text.slice(at, end < 0 ? text.length : end)}`);
      at = end < 0 ? text.length : end + word.length;
    } else if (word === '*' && text[at] === '/') {
      // The comment was one within another, and ends only here.
      current = [];
      at++;
    } else if (word === ';') {
      if (current.length > 0) statements.push(current);
      current = [];
    } else current.push(/^['"`]/.test(word) ? quoted(word) : word.toUpperCase());
  }
  if (current.length > 0) statements.push(current);
  return statements;
}

/** Words of clients that take the rest of their line, and need no semicolon. */
const LINES = new Set(
  'USE STATUS SET WHENEVER SPOOL PROMPT CONNECT CONN COLUMN COL TTITLE BTITLE PAUSE DEFINE UNDEFINE REM REMARK CLEAR SHOW PRINT DESC DESCRIBE TEE NOTEE WARNINGS NOWARNING PAGER NOPAGER EXIT QUIT CONSISTENCY PAGING EXPAND TRACING : @'.split(
    ' ',
  ),
);

/** Whether a line end is the end of the statement as well: SQL Server needs no semicolon either. */
function endsByLine([first]: Tokens, next: string): boolean {
  return LINES.has(first ?? '') || (/^(?:drop|truncate)$/i.test(next) && !/^(?:ALTER|CREATE)$/.test(first ?? ''));
}

/** psql's `\\x`, also behind a statement, and SQLite's `.x`: the line up to where SQL goes on. */
function clientLine(text: string, at: number, fresh: boolean): { readonly text: string; readonly end: number } | null {
  const own = text[at] === '\\' || (fresh && text[at] === '.');
  if (!own || !/[A-Za-z?]/.test(text[at + 1] ?? '')) return null;
  const newline = text.indexOf('\n', at);
  const line = text.slice(at, newline < 0 ? text.length : newline);
  const more = text[at] === '.' ? -1 : line.indexOf('\\\\');
  return { text: line, end: at + (more < 0 ? line.length : more + 2) };
}

/** What a client's line runs: the texts a query gives (`\\gexec`), or what stands behind MySQL's `\\G`. */
function runBy(line: string, query: Tokens, depth: number): readonly string[][] {
  const texts = /^\\gexec\b/.test(line)
    ? query.filter((word) => word.startsWith("'")).map((word) => word.slice(1))
    : /^\\g\b/i.test(line)
      ? [line.slice(2)]
      : /^\.restore\s/.test(line)
        ? ['RESTORE DATABASE']
        : [];
  return texts.flatMap((text) => (depth > MAX_BLOCKS ? [OPEN_TEXT] : sqlStatements(text, depth)) as string[][]);
}

/** Ends statements with semicolons that end with a line `GO` or `/`, or with MySQL's `delimiter`. */
function withSemicolons(given: string): string {
  const text = given.replace(/^[ \t]*(?:go|\/)[ \t]*$/gim, ';');
  if (!/^[ \t]*delimiter[ \t]/im.test(text)) return text;
  let mark = ';';
  const lines = text.split('\n').map((line) => {
    const given = /^[ \t]*delimiter[ \t]+(\S+)/i.exec(line)?.[1];
    if (given === undefined) return line.replaceAll(mark, ';');
    mark = given;
    return ';';
  });
  return lines.join('\n');
}

/** What a statement of a block runs, behind `BEGIN`, `THEN` and their kin. */
function insideControl(statement: Tokens): Tokens {
  if (/^(?:DELETE|UPDATE|INSERT|MERGE|WITH)$/.test(statement[0] ?? '')) return statement;
  return statement.slice(statement.findLastIndex((word) => /^(?:BEGIN|THEN|ELSE|LOOP)$/.test(word)) + 1);
}

function quoted(word: string): string {
  const mark = word.charAt(0);
  return `${mark === "'" ? mark : '"'}${word.slice(1, -1).replaceAll(mark + mark, mark)}`;
}

/** MySQL runs what stands in `/*! ... *\/`. */
function commentBody(text: string, at: number): { readonly end: number; readonly code: string } {
  const end = text.indexOf('*/', at);
  const stop = end < 0 ? text.length : end + 2;
  const body = text.slice(at, end < 0 ? text.length : end);
  return { end: stop, code: body.startsWith('!') ? body.replace(/^!\d*/, '') : '' };
}

const DROPPED = new Set([
  'TABLE',
  'DATABASE',
  'SCHEMA',
  'INDEX',
  'VIEW',
  'MATERIALIZED',
  'COLUMN',
  'USER',
  'ROLE',
  'FUNCTION',
  'PROCEDURE',
  'TRIGGER',
  'SEQUENCE',
  'TYPE',
  'EXTENSION',
  'TABLESPACE',
  'KEYSPACE',
  'POLICY',
  'SERVER',
  'PUBLICATION',
  'SUBSCRIPTION',
  'EVENT',
  'PARTITION',
  'CONSTRAINT',
  'OWNED',
  'DOMAIN',
  'GLOBAL',
  'TEMPORARY',
  'TEMP',
  'FOREIGN',
  'DICTIONARY',
  'STAGE',
  'WAREHOUSE',
  'PRIMARY',
  'KEY',
  'AGGREGATE',
  'CAST',
  'COLLATION',
  'LANGUAGE',
  'OPERATOR',
  'RULE',
  'LOGIN',
  'STATISTICS',
  'SYNONYM',
  'PACKAGE',
  'MEASUREMENT',
  'SERIES',
  'RETENTION',
  'SHARD',
  'CONTINUOUS',
  'IF',
]);

/** What a statement would lose, as a sentence; null where it only reads or changes single rows. */
export function sqlLoss(statement: Tokens): string | null {
  const [first, ...rest] = controlled(unexplained(statement));
  if (first === undefined) return null;
  if (first === '') return 'runs SQL that is put together when it runs';
  if (first === 'DROP' && DROPPED.has(rest[0] ?? '')) return `drops a ${(rest[0] as string).toLowerCase()}`;
  if (first === 'DROP' && rest[0] === 'PREPARE') return null;
  if (first === 'DROP') return 'drops something from the database';
  if (first === 'TRUNCATE') return 'empties a table';
  if (first === 'DELETE' || first === 'WITH') return deletesAll(statement);
  if (first === 'UPDATE')
    return statement.includes('SET') && !hasRealWhere(statement) ? 'changes every row of a table' : null;
  if (first === 'ALTER') return alterLoss(statement);
  if (first === 'FLUSH' || first === 'PURGE' || first === 'RESET')
    return first === 'RESET' && !/^(?:MASTER|SLAVE|REPLICA|QUERY)$/.test(rest[0] ?? '')
      ? null
      : 'flushes or purges what the server keeps';
  if (first === 'REVOKE' || first === 'GRANT')
    return first === 'GRANT' && !/ALL|SUPERUSER/.test(rest.join(' '))
      ? null
      : 'changes who may do what in the database';
  if (first === 'CREATE' && /^(?:ROLE|USER)$/.test(rest[0] ?? ''))
    return rest.includes('SUPERUSER') ? 'makes an account that may do everything' : null;
  if (first === 'SET' && rest[0] === 'PASSWORD') return 'changes an account or the server';
  if (first === 'MERGE') return statement.includes('DELETE') ? 'deletes the rows that match' : null;
  if (first === 'RESTORE' && rest[0] === 'DATABASE') return 'replaces a database';
  if (first === 'SHUTDOWN' || first === 'KILL') return 'stops the server or a session';
  if (first === 'COPY' && statement.includes('PROGRAM')) return 'runs a program on the database server';
  if (first === 'EXEC' || first === 'EXECUTE' || first === 'CALL')
    return /XP_CMDSHELL|SP_CONFIGURE/.test(rest.join(' ')) ? 'runs a program on the database server' : null;
  if (first === 'PREPARE') return rest.includes('AS') ? sqlLoss(rest.slice(rest.indexOf('AS') + 1)) : null;
  if (first === 'DO' && /^PL(?:PYTHON\w*|PERLU|TCLU|SH|R)$/.test(rest[rest.indexOf('LANGUAGE') + 1] ?? ''))
    return 'runs a program on the database server';
  return callsLoss(statement);
}

/** `EXPLAIN` only plans, unless it is told to analyse, with or without options; MariaDB's `ANALYZE` runs as well. */
function unexplained(statement: Tokens): Tokens {
  if (!EXPLAINS.test(statement[0] ?? '')) return statement;
  const at = statement.findIndex((word) => ANALYSES.test(word));
  const run = at < 0 ? -1 : statement.findIndex((word, i) => i > at && RUN.test(word));
  return run < 0 ? [] : statement.slice(run);
}

const ANALYSES = /^ANALY[SZ]E$/;
const EXPLAINS = /^(?:EXPLAIN|DESC(?:RIBE)?|ANALY[SZ]E)$/;
const RUN = /^(?:WITH|SELECT|INSERT|UPDATE|DELETE|MERGE|EXECUTE)$/;

const VERB = /^(?:DROP|TRUNCATE|DELETE|UPDATE|ALTER|MERGE|REVOKE|GRANT|CREATE|INSERT|SHUTDOWN|PRINT|EXEC|EXECUTE)$/;

/** What stands behind `IF ..`, `BEGIN` and their kin, outside of brackets. */
function controlled(statement: Tokens): Tokens {
  if (!/^(?:IF|BEGIN|ELSE|WHILE|DECLARE)$/.test(statement[0] ?? '')) return statement;
  let depth = 0;
  const at = statement.findIndex((word) => {
    if (word === '(') depth++;
    else if (word === ')') depth--;
    return depth === 0 && VERB.test(word);
  });
  return at < 0 ? statement : statement.slice(at);
}

function alterLoss(statement: Tokens): string | null {
  if (statement.includes('DROP')) return 'drops a part of a table';
  if (statement.includes('DELETE') || statement.includes('TRUNCATE')) return 'deletes rows';
  if (/^(?:USER|ROLE|SYSTEM)$/.test(statement[1] ?? '')) return 'changes an account or the server';
  return statement.includes('RENAME') && statement[1] === 'DATABASE' ? 'renames a database' : null;
}

function deletesAll(statement: Tokens): string | null {
  const at = statement.indexOf('DELETE');
  if (at < 0) return null;
  return hasRealWhere(statement.slice(at)) ? null : 'deletes every row of a table';
}

/** A condition that is not always true; a join or a limit picks rows, but nobody said which. */
export function hasRealWhere(statement: Tokens): boolean {
  const at = statement.indexOf('WHERE');
  if (at < 0) return false;
  const clause = statement.slice(at + 1).filter((word) => word !== '(' && word !== ')');
  const end = clause.findIndex((word) => /^(?:RETURNING|ORDER|LIMIT)$/.test(word));
  const from = statement[statement.indexOf('FROM') + 1] ?? '';
  return !orParts(end < 0 ? clause : clause.slice(0, end)).some((part) => isAlwaysTrue(part, from));
}

function orParts(clause: Tokens): readonly Tokens[] {
  const parts: string[][] = [[]];
  for (const word of clause) {
    if (word === 'OR') parts.push([]);
    else (parts.at(-1) as string[]).push(word);
  }
  return parts;
}

/** `id > 0`, `id IS NOT NULL`, `1=1`, `'a'='a'`, `TRUE`, `1`, `NOT FALSE`, `id = id`, `1 < 2`, `id IN (SELECT id FROM same)`. */
function isAlwaysTrue(part: Tokens, table: string): boolean {
  if (part.includes('AND')) return split(part, 'AND').every((one) => isAlwaysTrue(one, table));
  const text = part.join(' ');
  if (/^(?:COALESCE |NOT NOT |EXISTS SELECT )?(?:TRUE|NOT FALSE|\d*[1-9]\d*|1 IS NOT NULL|NOT 0)$/.test(text))
    return true;
  if (/^(?:\w+ \. )?(?:ID|ROWID|UUID) (?:IS NOT NULL|> (?:= )?(?:- )?[01]|! = 0|< > 0)$/.test(text)) return true;
  const same = /^(\w+) IN SELECT (?:DISTINCT )?\1 FROM (\w+)$/.exec(text);
  if (same) return same[2] === table;
  const compare = /^(\S+) (=|= =|< >|! =|<|>|< =|> =|LIKE|IS|IN) (\S+)$/.exec(text);
  if (!compare) return false;
  const [, left, op, right] = compare as unknown as [string, string, string, string];
  const constant = (word: string) => /^(?:\d|')/.test(word);
  if (op === 'LIKE') return right === "'%";
  if (op === '=' || op === '= =' || op === '< =' || op === '> =' || op === 'IS')
    return left === right || (constant(left) && constant(right) && op !== '=' && op !== '= =');
  return constant(left) && constant(right) && left !== right;
}

function split(part: Tokens, by: string): readonly Tokens[] {
  const out: string[][] = [[]];
  for (const word of part) {
    if (word === by) out.push([]);
    else (out.at(-1) as string[]).push(word);
  }
  return out;
}

function callsLoss(statement: Tokens): string | null {
  const text = statement.join(' ');
  if (
    /\b(?:PG_TERMINATE_BACKEND|PG_CANCEL_BACKEND|LO_UNLINK|PG_READ_FILE|LO_EXPORT|PG_FILE_WRITE|DBLINK_EXEC|SYS_EXEC|SYS_EVAL|LOAD_EXTENSION|WRITEFILE|EDIT)\b \(/.test(
      text,
    )
  )
    return 'calls a function that reaches beyond the data';
  return /\bINTO (?:OUTFILE|DUMPFILE)\b/.test(text) ? 'writes a file on the database server' : null;
}

/** The first loss in a text of SQL. */
export function textLoss(text: string): string | null {
  for (const statement of sqlStatements(text)) {
    const why = sqlLoss(statement);
    if (why) return why;
  }
  return null;
}
