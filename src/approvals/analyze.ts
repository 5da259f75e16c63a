import type { Finding, Grade } from '../contract/tool.ts';
import type { Analysis, Facts } from './analysis.ts';
import { scanInline } from './code-scan/scan.ts';
import { ruleBook } from './rules/all.ts';
import type { Frame, LiveCall } from './shell/call.ts';
import { newCall } from './shell/call.ts';
import { compareReadings } from './shell/differing.ts';
import type { Field, Span } from './shell/field.ts';
import { literalField } from './shell/field.ts';
import { replaceMarks } from './shell/marks.ts';
import type { Statement } from './shell/parse.ts';
import { MAX_LENGTH, parseScript } from './shell/parse.ts';
import { hiddenSpans, withoutHidden } from './shell/raw-look.ts';
import { NO_SOURCE } from './shell/source.ts';
import { ShellState } from './shell/state.ts';
import { Walk } from './shell/walk.ts';
import { isLimit } from './shell/walker.ts';

/** Texts longer than this are judged in a worker thread (deep-analyzer.ts): half of what could hold the event loop for 50 ms. */
export const INLINE_LENGTH = 8_192;

/**
 * What a shell text would do. Pure; never throws. Text that cannot be read, or is over a limit, is `shell.unreadable`: asked, never
 * safe, never run on anybody's behalf without a person.
 */
export function analyze(command: string, facts: Facts): Analysis {
  const source = replaceMarks(command);
  const hidden = hiddenSpans(source);
  if (hidden.length === 0) return finish(walkText(source, facts), source);
  const [whole, bare] = walkBoth(source, withoutHidden(source), facts);
  for (const span of hidden.slice(0, 20)) whole.report('shell.hidden-text', span, topFrame(source.length));
  return merge(finish(whole, source), finish(bare, source), source.length);
}

/**
 * What a whole script of another language would do, by a scan of its tokens; shell scripts are analysed as shell text. Pure; never
 * throws; a script in a language it cannot read is `code.unread`.
 */
export function scanCode(language: string, source: string, facts: Facts): Analysis {
  if (/^(?:sh|bash|shell|zsh|dash|ksh)$/i.test(language))
    return { ...analyze(source, facts), grantBar: 'it runs code' };
  const walk = new Walk(facts, ruleBook, scanInline);
  const frame = topFrame(source.length);
  const whole: Span = [0, source.length];
  const text = literalField(replaceMarks(source), whole);
  for (const span of hiddenSpans(text.text).slice(0, 20)) walk.report('shell.hidden-text', span, frame);
  if (source.length > MAX_LENGTH) walk.unreadable(whole, frame);
  else
    guarded(
      walk,
      () => walk.code(language.toLowerCase(), text, scriptCall(language, text, facts, frame)),
      source.length,
    );
  return { ...finish(walk, source), commands: walk.commands, grantBar: 'it runs code' };
}

function scriptCall(language: string, text: Field, facts: Facts, frame: Frame): LiveCall {
  const { span } = text;
  const state = new ShellState(facts.cwd);
  const base = { assignments: [], files: [], stdin: NO_SOURCE, piped: false, state, frame, facts, span };
  return newCall(base, language, literalField(language, span), []);
}

/** The analysis of a text that nobody could judge. */
export function unreadable(text: string, facts: Facts): Analysis {
  const walk = new Walk(facts, ruleBook, scanInline);
  walk.unreadable([0, text.length], topFrame(text.length));
  return finish(walk, text);
}

/** A limit passed, or a stack too deep: what was found stays, and the text counts as unreadable. */
function guarded(walk: Walk, run: () => void, length = 0): void {
  try {
    run();
  } catch (error) {
    if (!isLimit(error)) throw error;
    walk.unreadable([0, length], topFrame(length));
  }
}

/** The parser may place an end behind a text that stops in the middle of something. */
function topFrame(length: number): Frame {
  return {
    wrappers: [],
    container: null,
    remote: false,
    found: false,
    captured: false,
    scripted: false,
    appended: false,
    depth: 0,
    calls: [],
    locate: (pos, end) => [Math.min(pos, length), Math.min(end, length)],
  };
}

function walkText(source: string, facts: Facts): Walk {
  const walk = new Walk(facts, ruleBook, scanInline);
  const frame = topFrame(source.length);
  const script = source.length > MAX_LENGTH ? null : parseScript(source);
  if (!script) {
    walk.unreadable([0, source.length], frame);
    return walk;
  }
  const state = new ShellState(facts.cwd);
  guarded(walk, () => walk.statements(script.commands, state, frame, NO_SOURCE), source.length);
  guarded(walk, () => runTraps(state), source.length);
  return walk;
}

/** What traps say once more, with the values that all of the text leaves behind. */
function runTraps(state: ShellState): void {
  for (const run of [...(state.traps ?? [])]) run(state);
}

/** A text as it is and as it looks. What is the same in both is walked once, as long as the shell is then in the same state. */
function walkBoth(source: string, look: string, facts: Facts): readonly [Walk, Walk] {
  const readings = compareReadings(source, look);
  if (!readings) return [walkText(source, facts), walkText(look, facts)];
  const walks = [new Walk(facts, ruleBook, scanInline), new Walk(facts, ruleBook, scanInline)] as const;
  const state = new ShellState(facts.cwd);
  const go = (walk: Walk, list: readonly Statement[], where: ShellState, { length }: string) =>
    guarded(walk, () => walk.statements(list, where, topFrame(length), NO_SOURCE), length);
  const [whole, bare] = walks;
  go(whole, readings.before, state, source);
  const other = state.copy();
  go(whole, readings.first, state, source);
  go(bare, readings.second, other, look);
  const same = state.equals(other);
  go(whole, readings.firstRest, state, source);
  if (!same) go(bare, readings.secondRest, other, look);
  guarded(whole, () => runTraps(state), source.length);
  if (!same) guarded(bare, () => runTraps(other), look.length);
  return walks;
}

function finish(walk: Walk, { length }: string): Analysis {
  if (!walk.settle()) walk.unreadable([0, length], topFrame(length));
  const findings = walk.findings.toSorted(strictestFirst);
  return {
    grade: gradeOf(findings),
    findings,
    commands: walk.commands,
    readable: walk.readable,
    sudoStdin: walk.sudoStdin,
    grantBar: grantBar(walk),
    code: walk.codeLines,
  };
}

function strictestFirst(a: Finding, b: Finding): number {
  if (a.grade !== b.grade) return a.grade === 'hardline' ? -1 : 1;
  return a.span[0] - b.span[0] || a.span[1] - b.span[1];
}

export function gradeOf(findings: readonly Finding[]): Grade {
  return findings.some((finding) => finding.grade === 'hardline')
    ? 'hardline'
    : findings.length > 0
      ? 'dangerous'
      : 'safe';
}

/** Variables that decide what a program loads or where it is found. */
const STEERING =
  /^(?:PATH|LD_.*|DYLD_.*|GIT_.*|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|IFS|PYTHON.*|PERL5.*|RUBY.*|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|HOME|SHELL|PAGER|EDITOR|VISUAL|BROWSER|PROMPT_COMMAND|CDPATH|GLOBIGNORE|SHELLOPTS|BASHOPTS|LESSOPEN|SSH_.*|DOCKER_HOST|KUBECONFIG|AWS_.*|npm_config_.*|RUSTC_WRAPPER|CC|CXX|MAKEFLAGS|TMPDIR|LC_.*|LANG.*|XDG_.*|HERMOD_.*|HERMES_.*)$/i;

/** Why no standing grant can cover the text, or null for one literal simple command. */
function grantBar(walk: Walk): string | null {
  if (!walk.readable) return 'hermod cannot read it';
  if (walk.written > 1 || walk.commands.length > 1)
    return walk.bars.includes('it is a pipeline') ? 'it is a pipeline' : 'it has several commands';
  const [bar] = walk.bars;
  if (bar !== undefined) return bar;
  const command = walk.commands[0];
  if (!command) return 'it has no command';
  if (command.argv.some((word) => word === null)) return 'a word is only known when it runs';
  if (command.assignments.some(([name]) => STEERING.test(name)))
    return 'it sets a variable that steers what programs load';
  if (walk.expandedWords) return 'a word comes out of an expansion';
  return null;
}

/** Both readings count: the text as it is and as it looks. */
function merge(whole: Analysis, bare: Analysis, length: number): Analysis {
  const known = new Set(whole.findings.map((finding) => `${finding.rule} ${finding.grade}`));
  const more = bare.findings
    .filter((finding) => !known.has(`${finding.rule} ${finding.grade}`))
    .map((finding): Finding => ({ ...finding, span: [0, length] }));
  const findings = [...whole.findings, ...more].sort(strictestFirst);
  return {
    ...whole,
    grade: gradeOf(findings),
    findings,
    commands: [...whole.commands, ...bare.commands],
    readable: whole.readable && bare.readable,
    sudoStdin: whole.sudoStdin || bare.sudoStdin,
    grantBar: 'it holds hidden characters',
    code: [...whole.code, ...bare.code],
  };
}
