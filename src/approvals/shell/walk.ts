import type { Finding } from '../../contract/tool.ts';
import type { Facts, KnownWord, ResolvedCommand } from '../analysis.ts';
import type { NamedRule } from '../rules/rule.ts';
import type { Call, Frame, LiveCall } from './call.ts';
import { Docket, type Rules } from './docket.ts';
import { type Field, knownText, type Span } from './field.ts';
import { invoke } from './invoke.ts';
import { locateIn } from './locate.ts';
import { isKnown } from './marks.ts';
import { walkNode, walkStatements } from './nodes.ts';
import type { Command, CommandNode, ParsedScript, Statement } from './parse.ts';
import { MAX_DEPTH, parseScript } from './parse.ts';
import { keepsDescriptors } from './redirects.ts';
import { runSimple } from './simple-command.ts';
import type { Source } from './source.ts';
import { EMPTY_SOURCE, NO_SOURCE } from './source.ts';
import type { Locate, ShellState } from './state.ts';
import type { Walker } from './walker.ts';
import { OverLimit } from './walker.ts';
import type { WordScope } from './word-scope.ts';
import { expandText } from './words.ts';

/** The rules, indexed for the walk. */
export interface RuleBook extends Rules {
  readonly byId: ReadonlyMap<string, NamedRule>;
  /** Names a pattern in the place of a program is held against. */
  readonly programs: readonly string[];
}

export type CodeScan = (language: string, text: Field, call: LiveCall, walker: Walker) => readonly string[];

const MAX_COMMANDS = 2_000;
const MAX_WORDS = 10_000;
/** More are not kept: the text then counts as unreadable, as the rest could be worse. */
const MAX_FINDINGS = 500;
const UNREADABLE = 'shell.unreadable';
/** Characters of other languages, all scans together: a file written once can be run hundreds of times. */
const MAX_CODE = 80_000;

interface Noted {
  order: number;
  finding: Finding;
}

function isSame(a: Finding, b: Finding): boolean {
  return a.rule === b.rule && a.span[1] === b.span[1] && a.grade === b.grade;
}

/** One walk over one text: collects findings, resolved commands and what bars a grant. */
export class Walk implements Walker {
  readonly facts: Facts;
  readonly book: RuleBook;
  readonly commands: ResolvedCommand[] = [];
  readonly codeLines: string[] = [];
  readonly bars: string[] = [];
  sudoStdin = false;
  readable = true;
  /** A word of a recorded command came out of an expansion. */
  expandedWords = false;
  /** Simple commands as written; several of them bar a grant. */
  written = 0;
  readonly #scan: CodeScan;
  readonly #docket: Docket;
  readonly #found: Noted[] = [];
  /** By where they begin. */
  readonly #seen = new Map<number, Noted[]>();
  #lastScope: { readonly frame: Frame; readonly scope: WordScope } | undefined;
  #cut = false;
  #commands = 0;
  #words = 0;
  #code = 0;

  constructor(facts: Facts, book: RuleBook, scan: CodeScan) {
    this.facts = facts;
    this.book = book;
    this.#scan = scan;
    this.#docket = new Docket(book);
  }

  /** In the order of the text. */
  get findings(): readonly Finding[] {
    return this.#found.toSorted((a, b) => a.order - b.order).map(({ finding }) => finding);
  }

  text(text: Field, state: ShellState, frame: Frame, stdin: Source = NO_SOURCE): Source {
    const script = frame.depth >= MAX_DEPTH ? null : parseScript(text.text);
    if (!script) {
      this.unreadable(text.span, frame);
      return { kind: 'pipe', text: null, taint: 0 };
    }
    const inner = { ...frame, depth: frame.depth + 1, locate: locateIn(text) };
    return this.statements(script.commands, state, inner, stdin);
  }

  unreadable(span: Span, frame: Frame): void {
    this.readable = false;
    this.report(UNREADABLE, span, frame);
  }

  statements(list: readonly Statement[], state: ShellState, frame: Frame, stdin: Source): Source {
    return walkStatements(this, list, state, frame, stdin);
  }

  node(node: CommandNode, state: ShellState, frame: Frame, stdin: Source, piped: boolean): Source {
    if (node.type === 'Command') return this.simple(node, state, frame, stdin, piped);
    if (frame.depth >= MAX_DEPTH) throw new OverLimit();
    return walkNode(this, node, state, { ...frame, depth: frame.depth + 1 }, stdin, piped);
  }

  simple(node: Command, state: ShellState, frame: Frame, stdin: Source, piped: boolean): Source {
    this.written++;
    const { descriptors } = state;
    const out = runSimple(this, node, state, frame, stdin, piped);
    if (node.redirects.length > 0 && !keepsDescriptors(node)) state.descriptors = descriptors;
    return out;
  }

  invoke(call: LiveCall): Source {
    return invoke(this, call);
  }

  scope(state: ShellState, frame: Frame): WordScope {
    const last = this.#lastScope;
    if (last && last.frame === frame && last.scope.state === state) return last.scope;
    const scope: WordScope = {
      state,
      facts: this.facts,
      locate: frame.locate,
      substitute: (script, at, stdin) => this.#substitute(script, at, state, frame, stdin),
      spend: (words) => this.spend(0, words),
      text: (word) => expandText(word, scope),
    };
    this.#lastScope = { frame, scope };
    return scope;
  }

  #substitute(
    script: ParsedScript | undefined,
    at: Span,
    state: ShellState,
    frame: Frame,
    stdin: Source = NO_SOURCE,
  ): Source {
    this.bar('it has a substitution');
    if (!script) return EMPTY_SOURCE;
    if (script.errors?.length) {
      this.unreadable(at, frame);
      return { kind: 'pipe', text: null, taint: 0 };
    }
    if (frame.depth >= MAX_DEPTH) throw new OverLimit();
    const locate: Locate = script.source === undefined ? frame.locate : () => at;
    return this.statements(
      script.commands,
      state.fork(),
      { ...frame, depth: frame.depth + 1, locate, captured: true },
      stdin,
    );
  }

  code(language: string, text: Field, call: LiveCall): void {
    this.#code += text.text.length;
    if (this.#code > MAX_CODE) throw new OverLimit();
    this.codeLines.push(...this.#scan(language, text, call, this));
  }

  judge(call: LiveCall): void {
    this.#docket.add(call);
  }

  /** Asks the rules about all that was met; false where a limit was passed. */
  settle(): boolean {
    const whole = this.#docket.settle(({ rule, hit, call, place }) => {
      const more = hit === true ? {} : hit;
      if (rule.id === 'priv.sudo-stdin') this.sudoStdin = true;
      this.#report(rule.id, more.span ?? call.span, call.frame, more.why, 2 * place + 2);
    });
    return whole && !this.#cut;
  }

  report(id: string, span: Span, frame: Frame, why?: string): void {
    this.#report(id, span, frame, why, 2 * this.#docket.size + 1);
  }

  #report(id: string, span: Span, frame: Frame, why: string | undefined, order: number): void {
    const finding = this.#findingOf(id, span, frame, why);
    const here = this.#seen.get(span[0]);
    const same = here?.find((one) => isSame(one.finding, finding));
    if (same && same.order > order) Object.assign(same, { order, finding });
    if (same) return;
    if (this.#found.length >= MAX_FINDINGS && finding.grade !== 'hardline' && id !== UNREADABLE) {
      this.#cut = true;
      return;
    }
    const found = { order, finding };
    if (here) here.push(found);
    else this.#seen.set(span[0], [found]);
    this.#found.push(found);
  }

  #findingOf(id: string, span: Span, frame: Frame, why: string | undefined): Finding {
    const rule = this.book.byId.get(id);
    if (!rule) throw new Error(`no rule ${id}`);
    const contained = frame.container !== null && !frame.container.mapped;
    const grade = rule.grade === 'hardline' && contained ? 'dangerous' : rule.grade;
    const { personOnly = false, smart = false } = rule;
    return { rule: id, grade, span, why: why ?? rule.why, personOnly, smart };
  }

  candidates(test: (name: string) => boolean): readonly string[] {
    return this.book.programs.filter(test);
  }

  record(call: LiveCall): void {
    const argv: KnownWord[] = [knownText(call.argv0)];
    this.expandedWords ||= call.argv0.expanded;
    for (const arg of call.args) {
      argv.push(knownText(arg));
      this.expandedWords ||= arg.expanded;
    }
    this.commands.push({
      argv,
      program: isKnown(call.argv0.text) ? call.argv0.text.slice(call.argv0.text.lastIndexOf('/') + 1) : null,
      wrappers: call.frame.wrappers,
      cwd: call.state.cwd,
      assignments: call.assignments,
      opened: call.files.length > 0 ? openedBy(call) : undefined,
      span: call.span,
    });
  }

  bar(reason: string): void {
    if (!this.bars.includes(reason)) this.bars.push(reason);
  }

  spend(commands: number, words: number): void {
    this.#commands += commands;
    this.#words += words;
    if (this.#commands > MAX_COMMANDS || this.#words > MAX_WORDS) throw new OverLimit();
  }
}

function openedBy({ files }: Call): NonNullable<ResolvedCommand['opened']> {
  return files
    .filter(({ target }) => isKnown(target.text))
    .map(({ use, target }) => ({ use: use === 'read' ? 'read' : 'write', path: target.text }));
}
