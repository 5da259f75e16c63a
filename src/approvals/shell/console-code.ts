import type { Call } from './call.ts';
import type { Field } from './field.ts';
import type { InlineCode } from './inline-code.ts';
import { byName } from './lookup.ts';
import { parseOptions } from './options.ts';

/** A console of a framework: code of this language, by option, word or stdin. */
export interface ConsoleCode extends InlineCode {
  readonly language: string;
}

interface Console {
  readonly language: string;
  readonly verbs: readonly string[];
  readonly options: string;
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** The word behind the verb is code, or a file of it. */
  readonly word?: boolean;
  /** Without code it reads stdin. */
  readonly stdin?: boolean;
}

const DJANGO: readonly Console[] = [
  {
    language: 'python',
    verbs: ['shell', 'shell_plus'],
    options: 'c|command: i|interface: settings: v:',
    code: ['c'],
    stdin: true,
  },
];
const ARTISAN: readonly Console[] = [
  { language: 'php', verbs: ['tinker'], options: 'execute: env:', code: ['execute'], stdin: true },
];

const CONSOLES = byName<readonly Console[]>({
  'manage.py': DJANGO,
  'django-admin': DJANGO,
  artisan: ARTISAN,
  rails: [
    { language: 'ruby', verbs: ['runner', 'r'], options: 'e|environment:', code: [], word: true },
    { language: 'ruby', verbs: ['console', 'c'], options: 'e|environment: s|sandbox', code: [], stdin: true },
  ],
  flask: [{ language: 'python', verbs: ['shell'], options: '', code: [], stdin: true }],
  mix: [
    { language: 'elixir', verbs: ['run'], options: 'e|eval: r|require:', code: ['e'] },
    { language: 'elixir', verbs: ['eval'], options: '', code: [], word: true },
  ],
  wp: [{ language: 'php', verbs: ['eval'], options: 'path: url: skip-wordpress', code: [], word: true }],
  drush: [{ language: 'php', verbs: ['eval', 'ev', 'php:eval', 'php-eval'], options: '', code: [], word: true }],
});

/** Interpreters whose first word may be the script of a framework. */
const SCRIPTS = byName<RegExp>({
  python: /(?:^|\/)(manage\.py)$/,
  php: /(?:^|\/)(artisan|wp|drush)$/,
  ruby: /(?:^|\/)(rails)$/,
});

/** The code a framework's console is given: `manage.py shell -c code`, `rails runner code`, `artisan tinker --execute=code`. */
export function consoleCode(call: Call): ConsoleCode | undefined {
  const own = CONSOLES.get(call.program);
  if (own) return among(own, call.args);
  const script = SCRIPTS.get(call.program)?.exec(call.args[0]?.text ?? '')?.[1];
  return script === undefined ? undefined : among(CONSOLES.get(script) ?? [], call.args.slice(1));
}

function among(consoles: readonly Console[], args: readonly Field[]): ConsoleCode | undefined {
  const at = args.findIndex((arg) => !arg.text.startsWith('-'));
  const found = consoles.find(({ verbs }) => verbs.includes(args[at]?.text ?? ''));
  if (!found) return undefined;
  const options = parseOptions(args.slice(at + 1), found.options);
  const [word] = found.word === true ? options.operands : [];
  const { language } = found;
  if (word && /^[\w./-]+\.\w{2,3}$/.test(word.text)) return { language, texts: [], script: word, stdin: false };
  const texts = [...found.code.flatMap((name) => options.values(name)), ...(word && word.text !== '-' ? [word] : [])];
  return { language, texts, stdin: texts.length === 0 && (found.stdin === true || word !== undefined) };
}
