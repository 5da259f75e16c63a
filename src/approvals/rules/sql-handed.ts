import { UNKNOWN } from '../shell/marks.ts';

/** As `sqlStatements` gives them. */
type Tokens = readonly string[];

/** A text that a statement has the server run as SQL, as far as it is known, and whether it is a block's. */
export interface Handed {
  readonly text: string;
  readonly block: boolean;
}

const RUNNERS = /^(?:SP_EXECUTESQL|SP_MSFOREACH(?:TABLE|DB|_WORKER)|SP_PREPEXEC|SP_PREPARE|SP_EXECUTE_REMOTE)$/;
/** Statements that only name `EXECUTE`. */
const NAMING = /^(?:CREATE|ALTER|GRANT|REVOKE|COMMENT|DROP|DEALLOCATE)$/;
/** A text ends there: what it gets and gives follows. */
const TEXT_END = /^(?:USING|INTO|LOOP|AT|WITH)$/;

/** Variables whose texts are looked up. */
const MAX_VARIABLES = 100;

/** `DO`, `EXECUTE`, `EXEC(..)`, `sp_executesql`, `PREPARE .. FROM`: texts run as SQL. */
export function handedTexts(statements: readonly Tokens[], inBlock: boolean): readonly Handed[] {
  const out: Handed[] = [];
  const variables = new Set<string>();
  for (const statement of statements) {
    const body = statement[0] === 'DO' ? statement.find((token) => /^['"]/.test(token)) : undefined;
    if (body !== undefined) out.push({ text: body.slice(1), block: true });
    const from = NAMING.test(statement[0] ?? '') ? -1 : textStart(statement, inBlock);
    if (from < 0) continue;
    const name = variableOf(statement.slice(from, from + 4));
    if (name !== null) variables.add(name);
    else out.push(handed(statement.slice(from)));
  }
  if (variables.size > MAX_VARIABLES) return [...out, { text: UNKNOWN, block: false }];
  for (const name of variables) {
    const given = statements.map((statement) => assigned(statement, name)).filter((value) => value !== null);
    out.push(...(given.length === 0 ? [{ text: UNKNOWN, block: false }] : given.map(handed)));
  }
  return out;
}

/** Where the text begins in a statement that runs one. */
function textStart(statement: Tokens, inBlock: boolean): number {
  if (statement[0] === 'PREPARE') return statement[2] === 'FROM' ? 3 : -1;
  for (const [i, token] of statement.entries()) {
    if (RUNNERS.test(token)) return i + 1;
    if (token !== 'EXECUTE' && token !== 'EXEC') continue;
    const next = statement[i + 1] ?? '';
    if (/^(?:IMMEDIATE|STATEMENT)$/.test(next)) return i + 2;
    if (next === '(' && statement[i - 1] !== 'INTO') return i + 1;
    if (inBlock && !/^(?:ON|FUNCTION|PROCEDURE)$/.test(next)) return i + 1;
  }
  return -1;
}

/** `@name` and nothing else. */
function variableOf(expression: Tokens): string | null {
  const [at, name, end] = expression.filter((token) => token !== '(' && token !== ')');
  return at === '@' && name !== undefined && (end === undefined || end === ',' || TEXT_END.test(end)) ? name : null;
}

/** `SET @name = ..`, `DECLARE @name nvarchar(max) = ..`: what is given to it. */
function assigned(statement: Tokens, name: string): Tokens | null {
  const at = statement.findIndex((token, i) => token === '@' && statement[i + 1] === name);
  const sign = at < 0 ? -1 : statement.indexOf('=', at);
  return sign < 0 ? null : statement.slice(sign + 1);
}

function handed(expression: Tokens): Handed {
  return { text: joined(expression), block: false };
}

/** What an expression comes to: its strings, with a mark for all that is not known. */
function joined(expression: Tokens): string {
  let text = '';
  let depth = 0;
  for (const [i, token] of expression.entries()) {
    if (depth === 0 && (token === ',' || TEXT_END.test(token))) break;
    // `@stmt = N'..'`: the argument's name.
    if (token === '=' && expression[0] === '@' && i === 2) text = '';
    else if (/^['"]/.test(token)) text += token.slice(1);
    else if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (/^\w/.test(token) && !/^['"(]/.test(expression[i + 1] ?? '') && !text.endsWith(UNKNOWN)) text += UNKNOWN;
  }
  return text;
}

/** Whether the start of a text that is run is not known: then so is what it does. */
export function isOpenText(text: string): boolean {
  return /^[\s(]*(?:\w*[\uE000%]|$)/.test(text);
}
