import type { LiveCall } from './call.ts';
import { optionsOf, pathsOf } from './call.ts';
import type { Field } from './field.ts';
import { SET_SCRIPTS } from './file-effects.ts';
import { justTexts } from './justfile.ts';
import { entryOf } from './lookup.ts';
import { makeLines } from './makefile.ts';
import { display } from './marks.ts';
import { moduleFiles } from './module-files.ts';
import { formatPath } from './paths.ts';
import { INTERPRETERS } from './program-names.ts';
import { packageScripts } from './project-scripts.ts';
import type { Walker } from './walker.ts';
import { firstWritten, writtenText, writtenTexts } from './written-text.ts';

/** Texts of one language that a program runs out of a file it was told, or finds by itself. */
interface Orders {
  readonly language: string;
  readonly texts: readonly Field[];
  /** Where they run, if not where the program was started. */
  readonly folder?: Field | undefined;
}

/** Judges what this text wrote into the files that the program obeys: that it was written and run is no reason to ask. */
export function judgeWritten(walker: Walker, call: LiveCall): void {
  if (call.state.files.size === 0) return;
  const orders = entryOf(READERS, call.program)?.(call);
  if (!orders || orders.texts.length === 0) return;
  walker.bar('it runs code');
  for (const text of orders.texts) {
    if (orders.language !== 'sh') walker.code(orders.language, text, call);
    else walker.text(text, stateIn(call, orders.folder), insideOf(call));
  }
}

function stateIn(call: LiveCall, folder: Field | undefined): LiveCall['state'] {
  const state = call.state.spawn();
  if (folder) state.cwds = pathsOf(call, folder).map(formatPath);
  return state;
}

function insideOf({ frame, program }: LiveCall): LiveCall['frame'] {
  return { ...frame, wrappers: [...frame.wrappers, { program }] };
}

const MAKE =
  'f|file|makefile: C|directory: I: j? l? n|just-print|dry-run q|question o: W: eval|E: B d e i k p r R s S t v w';
const NPM =
  'r|recursive w|workspace: F|filter: C|dir|prefix|cwd: workspaces parallel silent s if-present ignore-scripts';
const JUST = 'f|justfile: d|working-directory: set: shell: l|list n|dry-run summary show: q|quiet v|verbose';

const READERS: Readonly<Record<string, (call: LiveCall) => Orders | undefined>> = {
  make: (call) => {
    const options = optionsOf(call, MAKE);
    const folder = options.value('C');
    const files = options.values('f');
    const found = files.map((file) =>
      writtenText(call, folder ? { ...file, text: `${folder.text}/${file.text}` } : file),
    );
    const texts = files.length > 0 ? found : [firstWritten(call, ['GNUmakefile', 'makefile', 'Makefile'], folder)];
    const words = options.operands.map(({ text }) => text);
    if (options.has('n', 'q')) return undefined;
    return { ...lines(texts, (text) => makeLines(text, words)), folder };
  },
  just: (call) => {
    const options = optionsOf(call, JUST);
    if (options.has('l', 'n', 'summary', 'show')) return undefined;
    const file = options.value('f');
    const text = file ? writtenText(call, file) : firstWritten(call, ['justfile', 'Justfile', '.justfile']);
    return lines([text], (all) =>
      justTexts(
        all,
        options.operands.map((word) => word.text),
      ),
    );
  },
  npm: scripts,
  pnpm: scripts,
  yarn: scripts,
  bun: scripts,
  direnv: (call) => {
    const text = firstWritten(call, ['.envrc', '.env']);
    const loads = call.args.some((arg) => /^(?:allow|permit|grant|exec|reload|export)$/.test(arg.text));
    return text && loads ? { language: 'sh', texts: [text] } : undefined;
  },
  pytest: (call) => python(call, ['conftest.py'], TEST_FOLDERS),
  pip: (call) =>
    call.args.some(({ text }) => /^\.(?:\/|\[|$)/.test(display(text))) ? python(call, ['setup.py']) : undefined,
  python: modules,
  node: modules,
  ruby: modules,
  perl: modules,
  lua: modules,
};

function scripts(call: LiveCall): Orders | undefined {
  const options = optionsOf(call, NPM);
  const [verb, ...words] = options.operands;
  if (!verb && call.program !== 'yarn') return undefined;
  const folder = options.value('C');
  const files = [firstWritten(call, ['package.json'], folder), firstWritten(call, [SET_SCRIPTS], folder)];
  const read = (text: string) =>
    packageScripts(
      text,
      verb?.text ?? '',
      words.map((word) => word.text),
    );
  return { ...lines(files, read), folder };
}

/** Where pytest lets tests write. */
const TEST_FOLDERS = 'import pathlib\ntmp_path = pathlib.Path("tests")\ntmpdir = tmp_path\n';

function python(call: LiveCall, names: readonly string[], before = ''): Orders {
  const file = firstWritten(call, names);
  return { language: 'python', texts: file ? [{ ...file, text: `${before}${file.text}` }] : [] };
}

function modules(call: LiveCall): Orders {
  return { language: INTERPRETERS[call.program] as string, texts: writtenTexts(call, moduleFiles(call)) };
}

function lines(files: readonly (Field | undefined)[], read: (text: string) => readonly string[]): Orders {
  const texts = files.flatMap((file) => (file ? read(file.text).map((text) => ({ ...file, text })) : []));
  return { language: 'sh', texts };
}
