import { enterFolder } from '../shell/builtins.ts';
import type { LiveCall } from '../shell/call.ts';
import { pathsOf } from '../shell/call.ts';
import type { Field, Span } from '../shell/field.ts';
import { literalField } from '../shell/field.ts';
import { noteWritten } from '../shell/file-effects.ts';
import { locateIn } from '../shell/locate.ts';
import { entryOf } from '../shell/lookup.ts';
import { throughLinks } from '../shell/made-links.ts';
import { UNKNOWN } from '../shell/marks.ts';
import { makeCalls } from '../shell/simple-command.ts';
import type { ShellState } from '../shell/state.ts';
import type { Walker } from '../shell/walker.ts';
import { scanAwk } from './awk.ts';
import { Budget } from './budget.ts';
import type { Place, Sink } from './effects.ts';
import { shellLines } from './ipython.ts';
import { javascript } from './javascript.ts';
import { jxa } from './jxa.ts';
import type { Language } from './language.ts';
import { lua } from './lua.ts';
import { perl } from './perl.ts';
import { php } from './php.ts';
import { scanPowershell } from './powershell.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { Scanner } from './scanner.ts';
import { judgeLiterals } from './secret-literals.ts';
import { Unreadable } from './tokens.ts';
import { judgeWalked } from './tree-effects.ts';
import { scanWords } from './words.ts';

const LANGUAGES: Readonly<Record<string, Language>> = {
  python,
  python3: python,
  py: python,
  js: javascript,
  javascript,
  typescript: javascript,
  ts: javascript,
  node: javascript,
  mjs: javascript,
  jxa,
  perl,
  ruby,
  rb: ruby,
  php,
  lua,
};

/** Following values is paid for in words of the walk, so that many scripts cost no more than a few. */
const PER_WORD = 10;

/** Reading what a script hands to shells is paid for as well. */
const LETTERS = 100;

/** Judges code of another language within a walk; returns its lines for deny rules. */
export function scanInline(language: string, text: Field, call: LiveCall, walker: Walker): readonly string[] {
  const sink = sinkOf(language, text, call, walker);
  const known = entryOf(LANGUAGES, language);
  judgeLiterals(text.text, sink);
  try {
    if (language === 'ipython') new Scanner(python, sink).run(shellLines(text.text, sink));
    else if (known) new Scanner(known, sink).run(text.text);
    else if (language === 'awk') scanAwk(text.text, sink, call.args);
    else if (language === 'powershell') scanPowershell(text.text, sink);
    else scanWords(language, text.text, sink);
    judgeWalked(sink);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    sink.report('code.unread', { pos: 0, end: text.text.length }, 'runs code that hermod cannot read');
  }
  if (sink.budget.over)
    sink.report('code.unread', { pos: 0, end: text.text.length }, 'runs code with more values than hermod follows');
  walker.spend(0, Math.floor(sink.budget.spent / PER_WORD));
  return text.text.split('\n');
}

function sinkOf(language: string, text: Field, call: LiveCall, walker: Walker): Sink {
  const locate = locateIn(text);
  const span = ({ pos, end }: Place): Span => locate(pos, end);
  const frame = {
    ...call.frame,
    scripted: true,
    depth: call.frame.depth + 1,
    wrappers: [...call.frame.wrappers, { program: language }],
  };
  const state = call.state.fork();
  return {
    facts: walker.facts,
    report: (rule, at, why) => walker.report(rule, span(at), call.frame, why),
    shell: (code, at, folder) => {
      walker.spend(0, Math.floor(code.length / LETTERS));
      walker.text(literalField(code, span(at), { raw: '' }), spawned(state, folder), frame);
    },
    argv: (words, at, folder) => {
      const [argv0, ...args] = words.map((word) => literalField(word, span(at)));
      if (!argv0) return;
      walker.spend(1, words.length);
      for (const next of makeCalls(argv0, args, { ...call, frame, files: [], state: spawned(state, folder) }, walker))
        walker.invoke(next);
    },
    paths: (path) =>
      pathsOf({ ...call, state }, literalField(path, text.span)).map((place) => throughLinks(place, state)),
    wrote: (path) => noteWritten(state, literalField(path, text.span)),
    cwd: () => state.cwd ?? UNKNOWN,
    enter: (folder) => enterFolder(state, folder),
    seen: { walked: [], opaque: false },
    budget: new Budget(),
  };
}

/** The shell of a child process, in a folder of its own where it is given one. */
function spawned(state: ShellState, folder: string | undefined): ShellState {
  const child = state.spawn();
  if (folder !== undefined) enterFolder(child, folder);
  return child;
}
