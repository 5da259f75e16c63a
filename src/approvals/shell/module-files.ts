import type { Call } from './call.ts';
import { optionsOf } from './call.ts';
import type { Field } from './field.ts';
import { inlineCode } from './inline-code.ts';
import { entryOf } from './lookup.ts';
import { within } from './walker.ts';

/** Files that may hold the modules a call loads: by options, and by name out of code it is given. */
export function moduleFiles(call: Call): readonly Field[] {
  return within(entryOf(READERS, call.program)?.(call) ?? [], MAX_FILES);
}

const READERS: Readonly<Record<string, (call: Call) => readonly Field[]>> = {
  node: (call) => {
    const options = optionsOf(
      call,
      'r|require: import: loader: experimental-loader: C|conditions: e|eval: p|print: env-file: title: input-type:',
    );
    const given = ['r', 'import', 'loader', 'experimental-loader'].flatMap((name) => options.values(name));
    return [...given, ...named(call, NODE_IMPORT)].flatMap((field) =>
      spelled(field, ['', '.js', '.cjs', '.mjs', '.ts', '/index.js']),
    );
  },
  python: (call) => {
    const at = call.args.findIndex(({ text }) => /^-[bBdEhiIOqsSuvVxP]*m/.test(text));
    const attached = /^-\w*?m(.+)$/.exec(call.args[at]?.text ?? '')?.[1];
    const module = attached ? { ...(call.args[at] as Field), text: attached } : call.args[at + 1];
    const given = at >= 0 && module ? [module] : named(call, PYTHON_IMPORT);
    return given
      .flatMap((field) => field.text.split(',').map((text) => ({ ...field, text: text.trim().replace(/\s.*$/s, '') })))
      .flatMap((field) => spelled(slashed(field, '.'), ['.py', '/__init__.py', '/__main__.py']));
  },
  ruby: (call) =>
    optionsOf(call, 'r: e: I: C: E: K: W: x: F:')
      .values('r')
      .flatMap((field) => spelled(field, ['', '.rb'])),
  perl: (call) => {
    const options = optionsOf(call, 'M: m: I: e: E: F? i? 0? l? C? D? x?');
    const folders = ['', ...options.values('I').map(({ text }) => `${text}/`), 'lib/'];
    return [...options.values('M'), ...options.values('m')].flatMap((field) => {
      const module = slashed({ ...field, text: field.text.replace(/^-|[=\s].*$/gs, '') }, '::');
      return folders.map((folder) => ({ ...module, text: `${folder}${module.text}.pm` }));
    });
  },
  lua: (call) =>
    optionsOf(call, 'l: e:')
      .values('l')
      .flatMap((field) => spelled(slashed(field, '.'), ['.lua'])),
};

const NODE_IMPORT = /\b(?:require|import)\s*\(\s*['"`](\.[^'"`]*)|\b(?:from|import)\s*['"](\.[^'"]*)/g;
const PYTHON_IMPORT = /(?:^|[\n;])[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+([\w.]+)[ \t]+import\b)/g;
const MAX_FILES = 1_000;

/** What the pattern finds in the code of a call. */
function named(call: Call, pattern: RegExp): readonly Field[] {
  const code = inlineCode(call);
  const piped = code.stdin && call.stdin.text !== null ? [{ ...call.argv0, text: call.stdin.text }] : [];
  return [...code.texts, ...piped].flatMap((field) =>
    [...field.text.matchAll(pattern)].map((match) => ({
      ...field,
      raw: '',
      text: (match[1] ?? match[2]) as string,
    })),
  );
}

function spelled(field: Field, endings: readonly string[]): readonly Field[] {
  return endings.map((ending) => (ending === '' ? field : { ...field, raw: '', text: `${field.text}${ending}` }));
}

function slashed(field: Field, separator: string): Field {
  return { ...field, raw: '', text: field.text.split(separator).filter(Boolean).join('/') };
}
