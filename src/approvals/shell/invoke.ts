import type { Wrapper } from '../analysis.ts';
import { applyBuiltin } from './builtins.ts';
import type { Frame, LiveCall } from './call.ts';
import { commandTexts } from './command-options.ts';
import { reportDynamic } from './dynamic.ts';
import type { Field } from './field.ts';
import { applyFileEffects, beginFiles, settleFiles } from './file-effects.ts';
import { interpret } from './interpret.ts';
import { hasGlob, hasUnknown, isKnown, UNKNOWN } from './marks.ts';
import { outputOf } from './output.ts';
import { MAX_DEPTH } from './parse.ts';
import { makeCalls } from './simple-command.ts';
import type { Source } from './source.ts';
import { joinSources } from './source.ts';
import type { ShellState } from './state.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';
import { OverLimit } from './walker.ts';
import type { Inner } from './wrappers/inner.ts';
import { peel } from './wrappers/peel.ts';

const MAX_FUNCTION_CALLS = 12;

/** Judges one call, then whatever it runs in turn; returns what it prints. */
export function invoke(walker: Walker, call: LiveCall): Source {
  walker.judge(call);
  if (call.program === '') return joinNothing();
  const called = callFunction(walker, call);
  if (called) return settleFiles(call.files, called, call.state, walker.facts);
  const inner = withOptions(peel(call), call);
  const leaf = inner.every((one) => one.beside);
  if (leaf) walker.record(call);
  applyBuiltin(walker, call);
  if (leaf) interpret(walker, call);
  if (isBareExec(call) && call.stdin.kind !== 'none') call.state.open(0, { source: call.stdin });
  let out: Source | null = null;
  for (const one of inner) {
    const next = runInner(walker, call, one);
    if (one.beside) continue;
    out = out ? joinSources(out, next) : next;
  }
  applyFileEffects(walker, call);
  if (leaf) feedReaders(call);
  const files = isBareExec(call) ? beginFiles(call.files, call.state) : call.files;
  if (call.files.length === 0) return out ?? (call.frame.captured ? outputOf(call) : UNUSED);
  return settleFiles(
    files,
    out ?? outputOf({ ...call, files: call.files.filter((file) => file.use === 'read') }),
    call.state,
    walker.facts,
  );
}

/** With what options and variables of ordinary programs would run, judged as well. */
function withOptions(inner: readonly Inner[], call: LiveCall): readonly Inner[] {
  const texts = commandTexts(call);
  return texts.length === 0 ? inner : [...inner, ...texts.map(({ text }) => besideIt(text, call.program))];
}

function besideIt(text: Field, program: string): Inner {
  return { run: { kind: 'shell', text }, wrapper: { program }, bar: 'it runs code', beside: true };
}

/** `exec` without a command: its redirections are the shell's own from here on. */
function isBareExec({ program, args }: LiveCall): boolean {
  return program === 'exec' && args.length === 0;
}

/** Programs named `>( )` among their words write there; what, is only followed for tee. */
function feedReaders(call: LiveCall): void {
  if (call.program === 'tee') return;
  for (const arg of call.args) arg.reader?.({ ...UNUSED, taint: outputOf(call).taint });
}

const UNUSED: Source = { kind: 'pipe', text: null, taint: 0 };

function joinNothing(): Source {
  return { kind: 'none', text: null, taint: 0 };
}

/** A function of this text: its body once more, with the parameters of this call. */
function callFunction(walker: Walker, call: LiveCall): Source | null {
  const { functions } = call.state;
  const fn = functions.size > 0 ? functions.get(call.argv0.text) : undefined;
  if (!fn || call.frame.wrappers.some((wrapper) => wrapper.program === 'command')) return null;
  walker.bar('it has several commands');
  if (goesInCircles(call)) return joinNothing();
  if (call.frame.calls.length > MAX_FUNCTION_CALLS) throw new OverLimit();
  const { state } = call;
  const before = state.args;
  state.args = call.args.map((arg) => ({ text: arg.text, taint: arg.taint }));
  const frame: Frame = { ...call.frame, locate: fn.locate, calls: [...call.frame.calls, call.argv0.text] };
  const body = fn.node.body;
  const out =
    body.type === 'CompoundList'
      ? walker.statements(body.commands, state, frame, call.stdin)
      : walker.node(body, state, frame, call.stdin, call.piped);
  state.args = before;
  return out;
}

/** A function within itself is followed once, as variables may have changed, and further while it is given other known words. */
function goesInCircles({ frame, argv0, args, state }: LiveCall): boolean {
  if (frame.calls.filter((name) => name === argv0.text).length < 2) return false;
  const same = args.length === state.args?.length && args.every(({ text }, i) => text === state.args?.[i]?.text);
  return same || args.every(({ text }) => !isKnown(text));
}

/** Wrappers after which the command still changes this very shell. */
const SAME_SHELL = new Set(['command', 'builtin', 'eval', 'trap', 'time', 'noglob', 'nocorrect']);

function runInner(walker: Walker, call: LiveCall, inner: Inner): Source {
  if (call.frame.depth >= MAX_DEPTH) throw new OverLimit();
  if (inner.bar) walker.bar(inner.bar);
  const state = innerState(call, inner);
  const frame = innerFrame(call, inner);
  if (inner.run.kind === 'code') {
    walker.code(inner.run.language, inner.run.text, { ...call, frame, state });
    return { kind: 'pipe', text: null, taint: call.stdin.taint };
  }
  if (inner.run.kind === 'shell') return runText(walker, call, inner, inner.run.text, state, frame);
  const [argv0, ...args] = inner.run.argv;
  if (!argv0) return joinNothing();
  const base = {
    ...call,
    frame,
    state,
    stdin: inner.stdin ?? call.stdin,
    files: [],
    assignments: [...call.assignments, ...assignmentsOf(inner, state)],
  };
  let out: Source | null = null;
  for (const next of makeCalls(argv0, args, base, walker)) {
    walker.spend(1, next.args.length);
    const source = walker.invoke(next);
    out = out ? joinSources(out, source) : source;
  }
  return out ?? joinNothing();
}

function innerState(call: LiveCall, inner: Inner): ShellState {
  const same = (inner.run.kind === 'shell' && inner.run.sameShell) || SAME_SHELL.has(inner.wrapper.program);
  if (same) return call.state;
  const state = inner.run.kind === 'shell' ? call.state.spawn() : call.state.fork();
  if (inner.run.kind === 'shell') {
    state.args = inner.run.args ?? [];
    if (inner.run.zero) state.setVar('0', [{ text: inner.run.zero.text, taint: inner.run.zero.taint }]);
  }
  if (inner.cwds) state.cwds = inner.cwds;
  return state;
}

/** What it prints goes into a file. */
function isWritten(call: LiveCall): boolean {
  return call.files.some((file) => file.use !== 'read');
}

function innerFrame(call: LiveCall, inner: Inner): Frame {
  const wrapper: Wrapper = inner.wrapper;
  return {
    ...call.frame,
    depth: call.frame.depth + 1,
    wrappers: [...call.frame.wrappers, wrapper],
    captured: call.frame.captured || isWritten(call),
    container: inner.container ?? call.frame.container,
    remote: inner.remote ?? call.frame.remote,
    found: inner.found ?? call.frame.found,
    appended: inner.appended ?? call.frame.appended,
  };
}

function assignmentsOf(inner: Inner, state: ShellState): readonly (readonly [string, string | null])[] {
  return (inner.assignments ?? []).map((field) => {
    const eq = field.text.indexOf('=');
    const value = field.text.slice(eq + 1);
    state.setVar(field.text.slice(0, eq), [{ text: value, taint: field.taint }]);
    return [field.text.slice(0, eq), isKnown(value) ? value : null] as const;
  });
}

/**
 * Shell text behind `-c`, eval and their kin: judged as far as known; what is not constant is asked. Values put into a command for
 * another machine are expected there, and what an option would run has been reported as such.
 */
function runText(walker: Walker, call: LiveCall, inner: Inner, text: Field, state: ShellState, frame: Frame): Source {
  const whole = isUnknown(text.text);
  const expected = inner.beside === true || (inner.remote === true && !whole);
  if (text.content || (text.taint & ~TAINT.named) !== 0 || (hasUnknown(text.text) && !expected))
    reportDynamic(walker, text, frame);
  if (frame.found && hasGlob(firstWord(text.text))) walker.report('code.dynamic', text.span, frame);
  if (whole) return { kind: 'pipe', text: null, taint: text.taint };
  walker.bar('it runs code');
  const source = walker.text(text, state, frame, inner.beside ? undefined : (inner.stdin ?? call.stdin));
  return { ...source, taint: source.taint | call.stdin.taint | (frame.remote ? TAINT.fetched : TAINT.none) };
}

/** A found name in the first word is run as a command. */
function firstWord(text: string): string {
  return /^\s*(\S*)/.exec(text)?.[1] ?? '';
}

function isUnknown(text: string): boolean {
  return text === '' || text === UNKNOWN;
}
