import { entryOf } from '../shell/lookup.ts';
import type { Effect } from './effects.ts';
import { character, decodes, dynamic, gives, itself, joinsList, native, readsEnv } from './effects.ts';
import { formatsBraces } from './formats.ts';
import type { Language } from './language.ts';
import { pythonFiles } from './python-files.ts';
import { pythonKits } from './python-kits.ts';
import { pythonName, pythonPower } from './python-modules.ts';
import { pythonNetwork } from './python-network.ts';
import { pythonProcesses } from './python-processes.ts';
import { pythonStatement } from './python-statements.ts';
import { ANYTHING, asText, constantText, isComputed, textValue } from './values.ts';

const usesNames: Effect = (use) => {
  const name = use.args[1];
  const known = use.args[0]?.kind === 'ref' ? `${use.args[0].name}.${asText(name)}` : '';
  if (constantText(name) === null || Object.hasOwn(EFFECTS, known)) {
    use.sink.report('code.dynamic', use.at, 'picks what it calls when it runs');
  }
  return known === '' ? undefined : { kind: 'ref', name: known };
};

const imports: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (text === null || isComputed(use.args[0])) dynamic(use);
  return text === null ? undefined : { kind: 'ref', name: text };
};

const splits: Effect = gives((use) => {
  const text = constantText(use.args[0] ?? use.on);
  return text === null
    ? undefined
    : {
        kind: 'list',
        items: text
          .split(/\s+/)
          .filter((word) => word !== '')
          .map((word) => textValue(word.replace(/^(['"])(.*)\1$/, '$2'))),
      };
});

/** `map(os.remove, list)`. */
const mapsEach: Effect = (use) => {
  const [by, list] = use.args;
  // A function that is only named was judged as such, and looks called.
  const effect = by?.kind === 'ref' ? entryOf(EFFECTS, by.name.replace(/\(\)$/, '')) : undefined;
  for (const item of list?.kind === 'list' ? list.items : [ANYTHING]) effect?.({ ...use, args: [item] });
  return undefined;
};

/** Texts, names that are picked when it runs, code that is made, native code; and all the rest. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  ...pythonProcesses,
  ...pythonFiles,
  ...pythonNetwork,
  ...pythonKits,
  'base64.b64decode': decodes('base64'),
  'base64.standard_b64decode': decodes('base64'),
  'base64.urlsafe_b64decode': decodes('base64'),
  'bytes.fromhex': decodes('hex'),
  'bytearray.fromhex': decodes('hex'),
  'binascii.unhexlify': decodes('hex'),
  'binascii.a2b_base64': decodes('base64'),
  chr: character,
  '*.join': joinsList,
  '*.format': formatsBraces,
  map: mapsEach,
  '*.decode': itself,
  '*.encode': itself,
  '*.strip': itself,
  'os.getenv': readsEnv,
  'os.environ.get': readsEnv,
  'json.loads': gives(() => undefined),
  'shlex.split': splits,
  '*.split': splits,
  eval: dynamic,
  exec: dynamic,
  compile: dynamic,
  execfile: dynamic,
  __import__: (use) => {
    dynamic(use);
    return imports(use);
  },
  'importlib.import_module': imports,
  'importlib.__import__': imports,
  'importlib.util.spec_from_file_location': dynamic,
  'importlib.machinery.SourceFileLoader': dynamic,
  'runpy.run_path': dynamic,
  'runpy.run_module': dynamic,
  'code.interact': dynamic,
  'code.InteractiveInterpreter': dynamic,
  'pickle.loads': dynamic,
  'pickle.load': dynamic,
  'marshal.loads': dynamic,
  'yaml.unsafe_load': dynamic,
  'types.FunctionType': dynamic,
  'types.CodeType': dynamic,
  getattr: usesNames,
  vars: gives((use) => use.args[0]),
  setattr: gives(() => undefined),
  'sys.modules': gives(() => undefined),
  '*.__subclasses__': dynamic,
  '*.__globals__': dynamic,
  '*.__builtins__': dynamic,
  '*.__getattribute__': dynamic,
  '*.__code__': dynamic,
  '*.__loader__': dynamic,
  'ctypes.*': native,
  'cffi.*': native,
  '_ctypes.*': native,
  'cython.*': native,
};

export const python: Language = {
  name: 'python',
  givesSeveral: true,
  lexicon: {
    keepsBackslash: true,
    line: ['#'],
    quotes: '\'"',
    triple: true,
    newlines: true,
    interpolation: { open: '{', close: '}', in: '\'"' },
    nameStart: /[\p{L}_]/u,
    namePart: /[\p{L}\p{N}_]/u,
  },
  effects: EFFECTS,
  sameAs: pythonName,
  power: pythonPower,
  tables: /\.__globals__$/,
  modules: { Path: 'pathlib.Path' },
  statement: pythonStatement,
  joins: ['+'],
  skipped:
    /^(?:return|yield|await|async|not|and|or|in|is|if|elif|else|while|for|with|as|lambda|assert|raise|del|print|try|except|finally|pass|global|nonlocal|def|class|from|match|case)$/,
  adjacent: true,
  percentFills: true,
  comprehends: true,
  listings: /^(?:glob\.i?glob|os\.(?:listdir|scandir|f?walk)|pathlib\.Path|psutil\.process_iter)$/,
  sensitive: /^(?:globals|locals|vars|sys\.modules|__builtins__)(?:\(\))?$/,
  endless:
    /\bwhile\s*(?:\(\s*)?(?:True|1|not False|not 0)\b|\biter\s*\(\s*int\s*,|\bfor\b[^\n]*\b(?:itertools\.)?(?:count|cycle|repeat)\s*\(|os\.fork\(\)\s*(?:or|and)\s*os\.fork/,
};
