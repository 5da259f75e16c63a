import { UNKNOWN } from './marks.ts';
import { type Goal, reached } from './recipes.ts';

/** Variables of make that nobody has to set; those of the environment stay what the shell makes of them. */
const BUILT_IN: Readonly<Record<string, string>> = {
  MAKE: 'make',
  CC: 'cc',
  CXX: 'c++',
  CPP: 'cc -E',
  LD: 'ld',
  AR: 'ar',
  AS: 'as',
  FC: 'f77',
  RM: 'rm -f',
  SHELL: '/bin/sh',
  CURDIR: '$PWD',
  PWD: '$PWD',
  HOME: '$HOME',
  USER: '$USER',
  TMPDIR: '$TMPDIR',
};

const SKIPPED = /^\s*(?:ifeq|ifneq|ifdef|ifndef|else|endif|-?include|sinclude|unexport|vpath|define|endef)\b/;
const ASSIGNMENT = /^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(?::{0,3}|\?|\+|!)=\s*(.*)$/;
/** `goal: NAME = value`: for that goal, and for what it needs. */
const OF_GOAL = /^[^\s:=#][^:=#]*:\s*(?:private\s+)?((?:(?:export|override)\s+)*[\w.-]+\s*(?::{0,3}|\?|\+|!)=.*)$/;
const RULE = /^([^\s:=#][^:=#]*):{1,2}(?!=)([^=;]*)(?:;(.*))?$/;
const SHELL = '$(shell ';
/** Of a file that expands without end the rest counts as any text. */
const MAX_EXPANSIONS = 2_000;
const MAX_EXPANDED = 50_000;

/** The shell lines that make runs out of a makefile for these words: for the goals among them, and while it reads the file. */
export function makeLines(text: string, words: readonly string[]): readonly string[] {
  return new Makefile(text, words).lines();
}

class Makefile {
  readonly #values = new Map<string, string>();
  /** Variables with a value of a goal's own; given another one as well, they are not followed. */
  readonly #ofGoals = new Set<string>();
  readonly #goals: Goal[] = [];
  readonly #read: string[] = [];
  readonly #names: readonly string[];
  #budget = MAX_EXPANSIONS;
  #expanded = 0;

  constructor(text: string, words: readonly string[]) {
    this.#names = words.filter((word) => !word.includes('='));
    let lines: string[] = [];
    for (const line of text.replace(/\\\n[ \t]*/g, ' ').split('\n')) {
      if (line.startsWith('\t')) lines.push(line);
      else if (!/^\s*(?:#|$)/.test(line) && !SKIPPED.test(line)) lines = this.#statement(line) ?? [];
    }
    for (const word of words) this.#assign(word);
  }

  lines(): readonly string[] {
    const goals = reached(this.#goals, this.#names.length > 0 ? this.#names : this.#defaults());
    const oneShell = this.#goals.some(({ names }) => names.includes('.ONESHELL'));
    const run = goals.flatMap((goal) => {
      const lines = goal.lines.map((line) => this.#expand(line, goal, 0).replace(/^[\s@+-]+/, ''));
      return oneShell ? [lines.join('\n')] : lines;
    });
    return [...this.#read.map((line) => this.#expand(line, null, 0)), ...run].filter(
      (line) => line !== '' && !line.startsWith('#'),
    );
  }

  #defaults(): readonly string[] {
    return (this.#values.get('.DEFAULT_GOAL') ?? '').split(/\s+/).filter(Boolean);
  }

  /** The list that the lines below a rule go to. */
  #statement(line: string): string[] | undefined {
    if (this.#assign(line)) return undefined;
    const rule = RULE.exec(line);
    if (!rule) {
      const own = OF_GOAL.exec(line)?.[1];
      if (own === undefined) this.#noteShell(line);
      else this.#assign(own, true);
      return undefined;
    }
    const [, names = '', needs = '', inline] = rule;
    const lines = inline === undefined ? [] : [inline];
    const words = (of: string) =>
      this.#expand(of.replace(/#.*$/, ''), null, 0)
        .split(/[\s|]+/)
        .filter(Boolean);
    this.#goals.push({ names: words(names), needs: words(needs), lines });
    return lines;
  }

  #assign(line: string, ofGoal = false): boolean {
    const match = ASSIGNMENT.exec(line);
    if (!match) return false;
    const [whole, name = '', value = ''] = match;
    const plain = value.replace(/(?:^|\s)#.*$/, '');
    const operator = whole.slice(0, whole.length - value.length).trimEnd();
    if (operator.endsWith('!=')) this.#read.push(plain);
    else this.#noteShell(plain);
    const before = this.#values.get(name);
    if (operator.endsWith('+=') && before !== undefined) this.#values.set(name, `${before} ${plain}`);
    else if (!operator.endsWith('?=') || before === undefined)
      this.#values.set(name, operator.endsWith('!=') ? `$(shell ${plain})` : plain);
    if (ofGoal) this.#ofGoals.add(name);
    if (before !== undefined && this.#ofGoals.has(name)) this.#values.set(name, UNKNOWN);
    return true;
  }

  /** `$(shell text)` runs while the file is read. */
  #noteShell(line: string): void {
    for (let at = line.indexOf(SHELL); at >= 0; ) {
      const end = closing(line, at + 1);
      if (end < 0) return;
      this.#read.push(line.slice(at + SHELL.length, end));
      at = line.indexOf(SHELL, end);
    }
  }

  /** `$x`, `$(x)`, `${x}` by what they stand for; `$$` is the shell's. */
  #expand(text: string, goal: Goal | null, depth: number): string {
    let out = '';
    let at = 0;
    for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', at)) {
      out += text.slice(at, dollar);
      const next = text[dollar + 1] ?? '';
      const end = next === '(' || next === '{' ? closing(text, dollar + 1) : dollar + 1;
      if (end < 0) return out + UNKNOWN;
      const name = end === dollar + 1 ? next : text.slice(dollar + 2, end);
      out += next === '$' ? '$' : this.#value(name, goal, depth + 1);
      at = end + 1;
    }
    return out + text.slice(at);
  }

  #value(name: string, goal: Goal | null, depth: number): string {
    if (this.#budget-- <= 0 || this.#expanded > MAX_EXPANDED || depth > 20) return UNKNOWN;
    const [, call = '', rest = ''] = /^([a-z-]+)\s+(.*)$/s.exec(name) ?? [];
    if (call === 'shell')
      return /^(?:which|command -v)\s+([\w.-]+)\s*$/.exec(rest)?.[1] ?? `$(${this.#expand(rest, goal, depth)})`;
    if (call === 'info' || call === 'warning' || call === 'error') return '';
    if (call === 'wildcard' || call === 'strip') return this.#expand(rest, goal, depth);
    if (call !== '') return UNKNOWN;
    if (/^[@<^+?*%]/.test(name)) return automatic(name, goal);
    const [, plain = name, from, to = ''] = /^([\w.-]+):([^=]*)=(.*)$/.exec(name) ?? [];
    const value = this.#values.get(plain);
    if (value === undefined) return BUILT_IN[plain] ?? '';
    const expanded = this.#expand(value, goal, depth);
    this.#expanded += expanded.length;
    return from === undefined ? expanded : suffixed(expanded, from.replace('%', ''), to.replace('%', ''));
  }
}

function suffixed(words: string, from: string, to: string): string {
  return words
    .split(/\s+/)
    .map((word) => (word.endsWith(from) ? word.slice(0, word.length - from.length) + to : word))
    .join(' ');
}

function automatic(name: string, goal: Goal | null): string {
  if (name.length > 1) return '.';
  if (name === '@') return goal?.names[0] ?? '';
  if (name === '<') return goal?.needs[0] ?? '';
  return name === '*' || name === '%' ? 'stem' : (goal?.needs.join(' ') ?? '');
}

/** Where the bracket that opens there is closed. */
function closing(text: string, open: number): number {
  const [begin, end] = text[open] === '(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === begin) depth++;
    else if (text[at] === end && --depth === 0) return at;
  }
  return -1;
}
