import { UNKNOWN } from '../shell/marks.ts';
import { judgeCmdlet, resolveCmdlet } from './cmdlets.ts';
import type { Place, Sink } from './effects.ts';
import { writePath } from './effects.ts';

const RUNS =
  /\b(?:iex|invoke-expression|invoke-command|icm|start-process|saps|add-type|invoke-wmimethod|invoke-cimmethod|new-object\s+(?:-comobject|system\.management)|downloadstring|downloadfile|downloaddata|frombase64string|invoke-restmethod\s[^|;]*\|\s*iex|set-executionpolicy|getmethod|register-(?:\w+event|scheduledtask|scheduledjob)|enter-pssession|start-job|unblock-file|add-mppreference)\b|\[(?:system\.)?(?:scriptblock\]::create|reflection|management\.automation|diagnostics\.process\]::start)|\.invoke\w*\s*\(/i;
const FETCHES =
  /\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|downloadfile|net\.webclient|start-bitstransfer)\b/i;

/** PowerShell text: every statement as a program with words; what runs other code is asked. */
export function scanPowershell(source: string, sink: Sink): void {
  const whole = { pos: 0, end: source.length };
  if (RUNS.test(source)) sink.report(FETCHES.test(source) ? 'code.remote' : 'code.dynamic', whole);
  if (
    /\[(?:System\.)?IO\.(?:File|Directory)\]::(?:Delete|Move|WriteAll\w+)/i.test(source) ||
    /\.Delete\s*\(/i.test(source)
  )
    sink.report('fs.delete', whole);
  if (/\.(?:Kill|Terminate)\s*\(/i.test(source)) sink.report('proc.kill', whole);
  const aliases = new Map<string, string>();
  const statements = new Reader(source, sink.facts.home).read();
  if (statements.length > MAX_STATEMENTS) sink.report('code.unread', whole);
  for (const statement of statements.slice(0, MAX_STATEMENTS)) judge(statement, aliases, sink, whole);
}

/** One command with what is known of how it stands there. */
interface Statement {
  readonly words: Word[];
  /** Behind the call operator `&`: the first word is a command whatever it looks like. */
  called: boolean;
  /** A pipe brings it what it works on. */
  readonly piped: boolean;
  readonly written: string[];
}

interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

function judge(statement: Statement, aliases: Map<string, string>, sink: Sink, at: Place): void {
  if (statement.written.length > MAX_WRITTEN) sink.report('code.unread', at);
  for (const target of statement.written.slice(0, MAX_WRITTEN))
    writePath({ name: '>', args: [], named: new Map(), on: undefined, called: true, at, sink }, target);
  const words = assigned(statement.words);
  const [first] = words;
  if (!first) {
    if (statement.called) sink.report('code.hidden-command', at);
    return;
  }
  if (!statement.called && isExpression(first)) return;
  if (/[*?]/.test(first.text) && first.text.length > 1) sink.report('code.hidden-command', at);
  const texts = words.map((word) => word.text);
  const name = aliases.get((texts[0] as string).toLowerCase()) ?? (texts[0] as string);
  const command = resolveCmdlet(name, texts.slice(1), statement.piped);
  if (command.alias) aliases.set(command.alias.name.toLowerCase(), command.alias.value);
  judgeCmdlet(name, texts, sink, at);
  if (command.words.length > 0) sink.argv(command.words, at);
}

/** `$x = command` without its left side. */
function assigned(words: readonly Word[]): readonly Word[] {
  return /^[-+*/%?]*=$/.test(words[1]?.text ?? '') ? words.slice(2) : words;
}

/** A variable, a number, a text, a type or a literal: no command is looked up for it. */
function isExpression({ text, quoted }: Word): boolean {
  return quoted || text.startsWith(UNKNOWN) || /^(?:[$@[\d]|[-+]?\d)/.test(text);
}

const MAX_STATEMENTS = 200;
const MAX_WRITTEN = 20;
const MAX_NESTED = 8;

/** Words of each statement; quotes group, a backtick escapes, variables stay unknown but for the home. */
class Reader {
  readonly #source: string;
  readonly #home: string;
  readonly #nested: number;
  readonly #out: Statement[] = [];
  #statement: Statement = fresh(false);
  #word = '';
  #quoted = false;
  #redirects = false;
  #at = 0;

  constructor(source: string, home: string, nested = 0) {
    this.#source = source;
    this.#nested = nested;
    this.#home = home;
  }

  read(): readonly Statement[] {
    for (this.#at = 0; this.#at < this.#source.length; this.#at++) this.#step(this.#source[this.#at] as string);
    this.#endStatement(false);
    return this.#out;
  }

  #step(char: string): void {
    if (char === '"' || char === "'") this.#quote(char);
    else if (char === '`') this.#word += this.#source[++this.#at] ?? '';
    else if (char === '>') this.#redirect();
    else if (char === '&') this.#ampersand();
    else if (/[;|\n{}()]/.test(char)) this.#separate(char);
    else if (/[\s,]/.test(char)) this.#endWord();
    else this.#word += char;
  }

  #quote(quote: string): void {
    this.#quoted ||= this.#word === '';
    for (this.#at++; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at] as string;
      if (char === quote) return;
      if (quote === '"' && char === '$' && this.#source[this.#at + 1] === '(') this.#inner();
      this.#word += char === '`' && quote === '"' ? (this.#source[++this.#at] ?? '') : char;
    }
  }

  /** `"$( commands )"`: read on their own, and their text with the rest. */
  #inner(): void {
    if (this.#out.length > MAX_STATEMENTS) return;
    if (this.#nested >= MAX_NESTED) return void this.#out.push({ ...fresh(false), called: true });
    const from = this.#at + 2;
    let depth = 1;
    let to = from;
    for (; to < this.#source.length && depth > 0; to++)
      depth += this.#source[to] === '(' ? 1 : this.#source[to] === ')' ? -1 : 0;
    this.#out.push(...new Reader(this.#source.slice(from, to - 1), this.#home, this.#nested + 1).read());
    this.#at = to - 1;
    this.#word += UNKNOWN;
  }

  /** `2>` and `*>` name the stream; `>&1` joins two. */
  #redirect(): void {
    if (/^[\d*]$/.test(this.#word)) this.#word = '';
    this.#endWord();
    while (this.#source[this.#at + 1] === '>') this.#at++;
    if (this.#source[this.#at + 1] === '&') this.#at += 2;
    else this.#redirects = true;
  }

  #ampersand(): void {
    this.#endStatement(false);
    if (this.#source[this.#at + 1] !== '&') this.#statement.called = true;
    else this.#at++;
  }

  #separate(char: string): void {
    if (char === '(' && this.#statement.called && this.#statement.words.length === 0 && this.#word === '')
      this.#out.push(this.#statement);
    this.#endStatement(char === '|');
  }

  #endWord(): void {
    if (this.#word !== '' || this.#quoted) {
      const text = this.#known(this.#word);
      if (this.#redirects) {
        if (!/^\$null$/i.test(this.#word)) this.#statement.written.push(text);
        this.#redirects = false;
      } else this.#statement.words.push({ text, quoted: this.#quoted });
    }
    this.#word = '';
    this.#quoted = false;
  }

  #endStatement(piped: boolean): void {
    this.#endWord();
    this.#redirects = false;
    const { words, written } = this.#statement;
    if (words.length > 0 || written.length > 0) this.#out.push(this.#statement);
    this.#statement = fresh(piped);
  }

  #known(word: string): string {
    if (/^\$profile\b/i.test(word)) return `${this.#home}/.profile`;
    const home = /^(?:~|\$\{?HOME\}?|\$\{?env:(?:USERPROFILE|HOME)\}?)(?=$|[\\/])/i.exec(word)?.[0];
    if (home !== undefined) return this.#home + word.slice(home.length).replaceAll('\\', '/');
    if (/^\$env:(?:SystemRoot|SystemDrive|windir)/i.test(word)) return word;
    return (/^\.{1,2}\\/.test(word) ? word.replaceAll('\\', '/') : word).replace(/\$[\w:{}]+/g, UNKNOWN);
  }
}

function fresh(piped: boolean): Statement {
  return { words: [], called: false, piped, written: [] };
}
