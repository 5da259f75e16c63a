import type { Frame } from './call.ts';
import { newCall } from './call.ts';
import type { Field } from './field.ts';
import { literalField } from './field.ts';
import { beginFiles, settleFiles } from './file-effects.ts';
import { findBomb } from './fork-bomb.ts';
import { runsInIndex } from './indexes.ts';
import type {
  AndOr,
  CommandNode,
  CompoundList,
  FunctionNode,
  Pipeline,
  Statement,
  TestExpression,
  Word,
} from './parse.ts';
import { openFiles } from './redirects.ts';
import type { Source } from './source.ts';
import { EMPTY_SOURCE, joinSources, NO_SOURCE, UNKNOWN_SOURCE } from './source.ts';
import type { Piece, ShellState } from './state.ts';
import type { Walker } from './walker.ts';
import { expandText, expandWord, walkSubstitutions } from './words.ts';

const NO_FIELDS: readonly Field[] = [];
const MAX_LOOP_VALUES = 16;

export function walkStatements(
  walker: Walker,
  list: readonly Statement[],
  state: ShellState,
  frame: Frame,
  stdin: Source,
): Source {
  let out: Source = EMPTY_SOURCE;
  for (const statement of list) {
    const where = statement.background ? state.fork() : state;
    if (statement.background) walker.bar('it runs in the background');
    out = joinSources(out, walkList(walker, statement.command, where, frame, stdin));
  }
  return out;
}

function walkList(
  walker: Walker,
  node: Pipeline | AndOr | CommandNode,
  state: ShellState,
  frame: Frame,
  stdin: Source,
  piped = false,
): Source {
  if (node.type === 'AndOr') return walkAndOr(walker, node, state, frame, stdin, piped);
  if (node.type === 'Pipeline') return walkPipeline(walker, node, state, frame, stdin);
  return walker.node(node, state, frame, stdin, piped);
}

/** What stands behind `||` runs where what is before it failed, a `cd` among it. */
function walkAndOr(
  walker: Walker,
  node: AndOr,
  state: ShellState,
  frame: Frame,
  stdin: Source,
  piped: boolean,
): Source {
  const { cwds } = state;
  let out: Source = EMPTY_SOURCE;
  for (const [i, command] of node.commands.entries()) {
    const tried = state.cwds;
    const otherwise = i > 0 && node.operators[i - 1] === '||';
    if (otherwise) state.mayBeIn(cwds);
    out = joinSources(out, walkList(walker, command, state, frame, stdin, piped));
    if (otherwise && leaves(command)) state.cwds = tried;
    else if (otherwise) state.mayBeIn(tried);
  }
  return out;
}

/** Whether nothing behind it runs: `|| exit 1`, `|| { echo no; return; }`. */
function leaves(node: Pipeline | AndOr | CommandNode): boolean {
  if (node.type === 'Command') return /^(?:exit|return|break|continue|die)$/.test(node.name?.value ?? '');
  const last = node.type === 'BraceGroup' ? node.body.commands.at(-1)?.command : undefined;
  return last !== undefined && leaves(last);
}

/** Every part is a subshell of its own; a single one, as behind `time` or `!`, is not. */
function walkPipeline(walker: Walker, node: Pipeline, state: ShellState, frame: Frame, stdin: Source): Source {
  if (node.commands.length > 1) walker.bar('it is a pipeline');
  const several = node.commands.length > 1;
  let source = stdin;
  node.commands.forEach((command, i) => {
    const piped = i < node.commands.length - 1;
    source = walker.node(
      command,
      several ? state.fork() : state,
      piped ? { ...frame, captured: true } : frame,
      source,
      piped,
    );
    if (piped && source.kind === 'none') source = EMPTY_SOURCE;
    if (piped) source = { ...source, kind: 'pipe' };
  });
  return source;
}

export function walkNode(
  walker: Walker,
  node: CommandNode,
  state: ShellState,
  frame: Frame,
  stdin: Source,
  piped: boolean,
): Source {
  switch (node.type) {
    case 'Command':
      return walker.simple(node, state, frame, stdin, piped);
    case 'Redirected': {
      const { descriptors } = state;
      const opened = openFiles(walker, node.redirects, state, frame, stdin);
      walker.invoke(bareCall(walker, opened.files, state, { ...frame, captured: !isSilent(node.command) }, node));
      const files = beginFiles(opened.files, state);
      const used = files.some((file) => file.use !== 'read') ? { ...frame, captured: true } : frame;
      const out = walker.node(node.command, state, used, opened.stdin, piped);
      const left = settleFiles(files, out, state, walker.facts);
      state.descriptors = descriptors;
      return left;
    }
    case 'Subshell':
      return list(walker, node.body, state.fork(), frame, stdin);
    case 'BraceGroup':
      return list(walker, node.body, state, frame, stdin);
    case 'Function':
      return define(walker, node, state, frame);
    case 'Coproc':
      walker.bar('it runs in the background');
      return node.body.type === 'CompoundList'
        ? list(walker, node.body, state.fork(), frame, UNKNOWN_SOURCE)
        : walker.node(node.body, state.fork(), frame, UNKNOWN_SOURCE, true);
    default:
      walker.bar('it has several commands');
      return walkControl(walker, node, state, frame, stdin);
  }
}

type Control = Exclude<
  CommandNode,
  { type: 'Command' | 'Redirected' | 'Subshell' | 'BraceGroup' | 'Function' | 'Coproc' }
>;

function walkControl(walker: Walker, node: Control, state: ShellState, frame: Frame, stdin: Source): Source {
  const scope = walker.scope(state, frame);
  switch (node.type) {
    case 'If': {
      list(walker, node.clause, state, frame, stdin);
      const branches: CompoundList[] = [node.then];
      for (const elif of node.elif) {
        list(walker, elif.clause, state, frame, stdin);
        branches.push(elif.then);
      }
      if (node.else) branches.push(node.else);
      return walkBranches(walker, branches, state, frame, stdin);
    }
    case 'While':
      list(walker, node.clause, state, frame, stdin);
      return walkBranches(walker, [node.body], state, frame, stdin);
    case 'For':
    case 'Select':
      bindLoop(walker, node.name.value, node.wordlist, state, frame);
      return walkBranches(walker, [node.body], state, frame, stdin);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) if (part) walkSubstitutions(part, scope);
      return walkBranches(walker, [node.body], state, frame, stdin);
    case 'Case':
      expandText(node.word, scope);
      for (const item of node.items) for (const pattern of item.pattern) expandText(pattern, scope);
      return walkBranches(
        walker,
        node.items.map((item) => item.body),
        state,
        frame,
        stdin,
      );
    case 'TestCommand':
      walkSubstitutions(node.expression, scope);
      for (const word of evaluated(node.expression))
        if (expandText(word, scope).some(({ text }) => runsInIndex(text)))
          walker.report('code.index', frame.locate(word.pos, word.end), frame);
      return EMPTY_SOURCE;
    case 'ArithmeticCommand':
      if (node.expression) walkSubstitutions(node.expression, scope);
      return EMPTY_SOURCE;
  }
}

/** Words that `[[ ]]` takes for names or numbers, so that an index in them is evaluated. */
function evaluated(node: TestExpression): readonly Word[] {
  switch (node.type) {
    case 'TestUnary':
      return /^-[vR]$/.test(node.operator) ? [node.operand] : [];
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) ? [node.left, node.right] : [];
    case 'TestLogical':
      return node.operands.flatMap(evaluated);
    case 'TestNot':
      return evaluated(node.operand);
    case 'TestGroup':
      return evaluated(node.expression);
  }
}

function list(walker: Walker, body: CompoundList, state: ShellState, frame: Frame, stdin: Source): Source {
  return walker.statements(body.commands, state, frame, stdin);
}

/** Any of them may run, or none: afterwards every outcome is possible. */
function walkBranches(
  walker: Walker,
  bodies: readonly CompoundList[],
  state: ShellState,
  frame: Frame,
  stdin: Source,
): Source {
  let out: Source = EMPTY_SOURCE;
  const after = bodies.map((body) => {
    const branch = state.fork();
    out = joinSources(out, list(walker, body, branch, frame, stdin));
    return branch;
  });
  state.merge(after);
  return { ...out, text: null };
}

function bindLoop(
  walker: Walker,
  name: string,
  words: readonly Word[] | undefined,
  state: ShellState,
  frame: Frame,
): void {
  const scope = walker.scope(state, frame);
  const values: Piece[] = [];
  if (!words) values.push(...(state.args ?? [{ text: '\uE000', taint: 0 }]));
  for (const word of words ?? [])
    for (const fields of expandWord(word, scope))
      for (const field of fields) values.push({ text: field.text, taint: field.taint });
  const kept =
    values.length > MAX_LOOP_VALUES ? [...values.slice(0, MAX_LOOP_VALUES - 1), { text: '\uE000', taint: 0 }] : values;
  state.setVar(name, kept);
}

/** A function is walked when defined, with unknown parameters, and again at each call with the real ones. */
function define(walker: Walker, node: FunctionNode, state: ShellState, frame: Frame): Source {
  walker.bar('it has several commands');
  const name = node.name.value;
  state.setFunction(name, { node, locate: frame.locate });
  if (findBomb(name, state.functions)) walker.report('shell.bomb', frame.locate(node.pos, node.end), frame);
  const inner = state.fork();
  inner.args = null;
  const calls = { ...frame, calls: [...frame.calls, name] };
  if (node.body.type === 'CompoundList') list(walker, node.body, inner, calls, NO_SOURCE);
  else walker.node(node.body, inner, calls, NO_SOURCE, false);
  return EMPTY_SOURCE;
}

/** A group that prints nothing, so that the files it opens are left empty. */
function isSilent(node: CommandNode): boolean {
  if (node.type !== 'Subshell' && node.type !== 'BraceGroup') return false;
  return node.body.commands.every(
    ({ command }) => command.type === 'Command' && /^(?::|true)?$/.test(command.name?.value ?? ''),
  );
}

/** The files a group of commands opens: what the group prints fills them. */
function bareCall(
  walker: Walker,
  files: ReturnType<typeof openFiles>['files'],
  state: ShellState,
  frame: Frame,
  node: { readonly pos: number; readonly end: number },
) {
  const span = frame.locate(node.pos, node.end);
  const base = { assignments: [], files, stdin: NO_SOURCE, piped: false, state, frame, facts: walker.facts, span };
  return newCall(base, '', literalField('', span), NO_FIELDS);
}
