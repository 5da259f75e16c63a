import { envText } from './effects.ts';
import type { Reading } from './language.ts';
import { bindEach, bindLoop, isEach } from './loops.ts';
import { judgeArguments, judgeHanded, moduleOf } from './modules.ts';
import type { Token } from './tokens.ts';
import type { Given } from './uses.ts';
import { apply, bare, effectOf } from './uses.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, constantText, isComputed, member, onlyParts, textValue } from './values.ts';

/** What stands behind a value: members, calls, indexes. */
export function readChain(scan: Reading, start: Value, judgeNames: boolean): Value {
  let value = start;
  let called = false;
  const from = scan.at - 1;
  for (;;) {
    const token = scan.peek();
    if (token?.kind === 'op' && /^(?:\.|\?\.|->|::|&\.)$/.test(token.text) && isMember(scan, token)) {
      scan.take();
      const next = scan.peek();
      if (next?.kind === 'name') {
        scan.take();
        if (value.kind === 'list' && !isEach(next.text)) judgeHanded(scan, [value], from);
        value = placed(scan, member(affordable(scan, value), next.text));
        called = false;
      } else if (next?.text === '(' || next?.text === '[') continue;
      else return value;
    } else if (token?.text === '(' && token.kind === 'op') {
      scan.take();
      bindEach(scan, value);
      value = call(scan, value, from, ')');
      called = true;
    } else if (token?.text === '[' && token.kind === 'op' && value.kind !== 'unknown' && isIndex(scan, token)) {
      scan.take();
      value = index(scan, value, from);
    } else if (token?.text === '{' && value.kind === 'ref' && value.name === scan.language.braced) {
      const key = scan.peek(1);
      scan.skip(scan.is('}', 2) ? 3 : 1);
      value = placed(scan, member({ kind: 'ref', name: 'ENV' }, key?.text ?? ''));
    } else if (token?.kind === 'string' && isTemplate(scan, token) && effectOf(value, scan.language)) {
      scan.take();
      value = apply(scan, value, { ...bare(from, true), args: [scan.string(token)] });
      called = true;
    } else break;
  }
  bindEach(scan, value);
  return called ? value : endChain(scan, value, from, judgeNames);
}

/** A risky function without parentheses: with arguments, or only named. */
function endChain(scan: Reading, value: Value, from: number, judgeNames: boolean): Value {
  const { language } = scan;
  if (!effectOf(value, language)) return value;
  if (language.bareCalls && startsArgument(scan)) return call(scan, value, from, null);
  return judgeNames ? apply(scan, value, bare(from, language.bareCalls === true && endsHere(scan))) : value;
}

/** Following each of many values is paid for. */
function affordable({ sink }: Reading, value: Value): Value {
  return value.kind !== 'any' || sink.budget.take(value.items.length) ? value : ANYTHING;
}

/** A variable of the environment, or the folder above a path, where they are known. */
function placed(scan: Reading, value: Value): Value {
  if (value.kind === 'any') return { kind: 'any', items: value.items.map((item) => placed(scan, item)) };
  if (value.kind !== 'ref') return value;
  const env = /^(?:os\.environ|process\.env|Bun\.env|ENV)\.(\w+)$/.exec(value.name)?.[1];
  const text = env === undefined ? undefined : envText(env, scan.sink);
  if (text !== undefined) return textValue(text);
  const module = moduleOf(scan, value);
  if (module) return module;
  return value.name === 'pathlib.Path().parent'
    ? { kind: 'ref', name: 'pathlib.Path()', of: textValue(`${asText(value.of)}/..`) }
    : value;
}

/** A dot that joins texts in Perl and PHP is no member access. */
function isMember({ language }: Reading, token: Token): boolean {
  return !(token.text === '.' && language.joins.includes('.'));
}

/** An index stands right behind its value. */
function isIndex(scan: Reading, token: Token): boolean {
  return scan.touches(token) || !scan.language.bareCalls;
}

function isTemplate(scan: Reading, token: Token): boolean {
  return scan.opensWith(token, '`') && scan.touches(token);
}

function endsHere(scan: Reading): boolean {
  const token = scan.peek();
  return token === undefined || token.kind === 'newline' || /^[;})\]]$/.test(token.text);
}

function startsArgument(scan: Reading): boolean {
  const token = scan.peek();
  if (!token || token.kind === 'newline') return false;
  if (token.kind === 'op') return /^[[\\*:]$/.test(token.text) && !scan.touches(token);
  return !(
    token.kind === 'name' &&
    /^(?:if|unless|while|until|or|and|do|then|end|for|foreach|rescue|x|eq|ne|in|as)$/.test(token.text)
  );
}

function index(scan: Reading, value: Value, from: number): Value {
  const list = scan.items(']');
  const key = list.kind === 'list' ? list.items[0] : list;
  if (value.kind === 'record') return value.fields.get(constantText(key) ?? '') ?? ANYTHING;
  if (value.kind === 'list' && key?.kind === 'number') return value.items.at(key.number) ?? ANYTHING;
  if (value.kind !== 'ref') return ANYTHING;
  const picking: Value = { kind: 'ref', name: `${value.name}.[]` };
  if (Object.hasOwn(scan.language.effects, picking.name))
    return apply(scan, picking, { ...bare(from, true), args: key ? [key] : [] });
  const text = constantText(key);
  const named = text !== null && key?.kind === 'text' ? placed(scan, member(value, text)) : undefined;
  if (scan.language.tables?.test(value.name)) apply(scan, value, bare(from, false));
  if (named && !(isComputed(key) && effectOf(named, scan.language))) return named;
  if (named || (key?.kind !== 'number' && scan.language.sensitive.test(value.name)))
    scan.sink.report('code.dynamic', scan.placeFrom(from), 'picks what it calls when it runs');
  return named ?? onlyParts([value]);
}

/** Arguments up to the closing bracket, or where there is none as long as commas follow. */
function call(scan: Reading, value: Value, from: number, close: string | null): Value {
  const args: Value[] = [];
  const named = new Map<string, Value>();
  while (!scan.ended) {
    if (close !== null) scan.skipLines();
    if (close === null ? endsHere(scan) || endsBare(scan) : scan.accept(close)) break;
    if (scan.accept(',')) {
      scan.skipLines();
      continue;
    }
    const before = scan.at;
    argument(scan, args, named);
    if (scan.at === before) scan.take();
    if (close === null && !scan.is(',')) break;
  }
  if (scan.language.callsTexts) return callNamed(scan, value, { args, named, from, called: true });
  judgeArguments(scan, value, [value.kind === 'list' ? value : ANYTHING, ...args, ...named.values()], from);
  return apply(scan, value, { args, named, from, called: true });
}

/** `("system")("ls")`, `implode($parts)("ls")`. */
function callNamed(scan: Reading, value: Value, given: Given): Value {
  const name = constantText(value);
  const isMade = value.kind === 'ref' && scan.language.callsTexts?.test(value.name) === true;
  if (isMade || isComputed(value) || (value.kind === 'text' && name === null))
    scan.sink.report('code.dynamic', scan.placeFrom(given.from), 'picks what it calls when it runs');
  return apply(scan, value.kind === 'text' && name !== null ? { kind: 'ref', name } : value, given);
}

function endsBare(scan: Reading): boolean {
  const token = scan.peek();
  return token?.kind === 'name' && /^(?:if|unless|while|until|or|and|do|then|end|for|foreach|rescue)$/.test(token.text);
}

function argument(scan: Reading, args: Value[], named: Map<string, Value>): void {
  const key = scan.peek();
  const op = scan.peek(1);
  if (key?.kind === 'name' && op?.kind === 'op' && /^(?:=|:)$/.test(op.text) && scan.peek(2)?.text !== ':') {
    scan.skip(2);
    named.set(key.text, scan.expression(true));
    return;
  }
  bindLoop(scan);
  scan.foresee();
  const value = scan.expression(true);
  if (scan.accept('=>')) named.set(asText(value), scan.expression(true));
  else args.push(value);
  while (scan.is('for')) if (!bindLoop(scan)) scan.take();
}
