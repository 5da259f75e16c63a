import type { Field } from '../shell/field.ts';
import { UNKNOWN } from '../shell/marks.ts';
import type { Place, Sink } from './effects.ts';
import { readPath, writePath } from './effects.ts';
import type { Lexicon, Token } from './tokens.ts';
import { tokenize } from './tokens.ts';

const LEXICON: Lexicon = {
  line: ['#'],
  quotes: '"',
  newlines: true,
  regex: true,
  nameStart: /[A-Za-z_@$]/,
  namePart: /\w/,
};

/** What gawk opens as a connection. */
const NETWORK_FILE = /^\/inet[46]?\/(?:$|tcp|udp)/;

/** awk programs: `system()`, commands behind `|` and before `getline`, files behind `>`. Strings side by side are joined. */
export function scanAwk(source: string, sink: Sink, args: readonly Field[] = []): void {
  const tokens = tokenize(source, LEXICON);
  const variables = givenVariables(args);
  const socket = tokens.find(({ kind, text }) => kind === 'string' && NETWORK_FILE.test(text));
  if (socket) sink.report('net.socket', socket);
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const next = tokens[i + 1];
    if (token.kind === 'name' && next?.text === '=' && next.kind === 'op')
      variables.set(token.text, textFrom(tokens, i + 2, variables).text);
    else if (token.kind === 'name' && token.text === 'system' && next?.text === '(')
      run(textFrom(tokens, i + 2, variables), sink);
    else if (token.kind === 'name' && (token.text === 'printf' || token.text === 'print'))
      i = output(tokens, i, variables, sink);
    else if (token.kind === 'op' && (token.text === '|' || token.text === '|&')) piped(tokens, i, variables, sink);
    else if (token.kind === 'name' && token.text === 'getline' && next?.text === '<')
      reads(textFrom(tokens, i + 2, variables), sink);
    else if (token.kind === 'name' && token.text === 'getline' && tokens[i + 2]?.text === '<')
      reads(textFrom(tokens, i + 3, variables), sink);
    else if (token.kind === 'name' && /^@(?:load|include)$/.test(token.text)) sink.report('code.native', token);
    else if (token.kind === 'op' && token.text === '@' && next?.kind === 'name') sink.report('code.dynamic', token);
  }
}

/** `-v name=value`. */
function givenVariables(args: readonly Field[]): Map<string, string> {
  const given = args.flatMap(({ text }, i) => {
    const flag = /^(?:-v|--assign)$/.test(args[i - 1]?.text ?? '') || /^(?:-v|--assign=)/.test(text);
    const match = flag ? /^(?:-v|--assign=)?([A-Za-z_]\w*)=(.*)$/s.exec(text) : null;
    return match ? [[match[1] as string, match[2] as string] as const] : [];
  });
  return new Map(given);
}

interface Text extends Place {
  readonly text: string;
  readonly next: number;
}

/** Strings, numbers and known names up to a separator, joined. */
function textFrom(tokens: readonly Token[], start: number, variables: ReadonlyMap<string, string>): Text {
  let text = '';
  let i = start;
  let depth = 0;
  for (; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind === 'newline') break;
    if (token.kind === 'op') {
      if (token.text === '(') depth++;
      else if (token.text === ')' && depth-- === 0) break;
      else if (/^[;}{,|>&?]/.test(token.text) && depth <= 0) break;
      else if (token.text !== ')' && depth <= 0) text += UNKNOWN;
    } else if (token.kind === 'string' || token.kind === 'number') text += token.text;
    else if (token.kind === 'name') text += variables.get(token.text) ?? UNKNOWN;
  }
  const last = tokens[Math.max(start, i - 1)];
  return { text, next: i, pos: tokens[start]?.pos ?? 0, end: last?.end ?? tokens[start]?.end ?? 0 };
}

function run(text: Text, sink: Sink): void {
  if (text.text === '' || text.text.includes(UNKNOWN)) sink.report('code.spawn', text);
  if (text.text !== '') sink.shell(text.text, text);
}

function reads(text: Text, sink: Sink): void {
  readPath({ name: '', args: [], named: new Map(), on: undefined, called: true, at: text, sink }, text.text);
}

/** `print ... > "file"`, `print ... | "cmd"`; a comparison in parentheses is none. */
function output(tokens: readonly Token[], at: number, variables: ReadonlyMap<string, string>, sink: Sink): number {
  let depth = 0;
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind === 'newline' || (token.kind === 'op' && /^[;}]$/.test(token.text))) return i;
    if (token.kind !== 'op') continue;
    if (token.text === '(') depth++;
    else if (token.text === ')') depth--;
    else if (depth === 0 && (token.text === '>' || token.text === '>>')) {
      const target = textFrom(tokens, i + 1, variables);
      writePath(
        { name: '', args: [], named: new Map(), on: undefined, called: true, at: target, sink },
        target.text === '' ? UNKNOWN : target.text,
      );
      return target.next;
    } else if (depth === 0 && (token.text === '|' || token.text === '|&')) {
      const command = textFrom(tokens, i + 1, variables);
      run(command, sink);
      if (isShell(command.text)) printedTo(textFrom(tokens, at + 1, variables), sink);
      return command.next;
    }
  }
  return tokens.length;
}

function isShell(command: string): boolean {
  return /^\s*(?:\S*\/)?(?:ba|da|z|k|a)?sh(?:\s+-\w+)*\s*$/.test(command);
}

/** What is printed into a shell is run there. */
function printedTo(text: Text, sink: Sink): void {
  if (text.text !== '' && !text.text.includes(UNKNOWN)) sink.shell(text.text, text);
}

/** `"cmd" | getline`. */
function piped(tokens: readonly Token[], at: number, variables: ReadonlyMap<string, string>, sink: Sink): void {
  if (tokens[at + 1]?.text !== 'getline') return;
  let start = at;
  while (
    start > 0 &&
    !(
      tokens[start - 1]?.kind === 'newline' ||
      (tokens[start - 1]?.kind === 'op' && /^[;{}(!=&]/.test((tokens[start - 1] as Token).text)) ||
      /^(?:while|if)$/.test((tokens[start - 1] as Token).text)
    )
  )
    start--;
  run(textFrom(tokens, start, variables), sink);
}
