import type { Call } from '../call.ts';
import { optionsOf } from '../call.ts';
import type { Field } from '../field.ts';
import { moduleFiles } from '../module-files.ts';
import type { Options } from '../options.ts';
import { parseOptions } from '../options.ts';
import { within } from '../walker.ts';
import { writtenTexts } from '../written-text.ts';
import type { Inner, Peel } from './inner.ts';
import { holds, joinFields, plain, RUNS_CODE, splitWords } from './inner.ts';
import { packagePeels } from './package-runners.ts';
import { afterDashes, afterVerb, either, MAX_TEXTS, shellText, textOperands, textOption } from './peel-makers.ts';
import { tmux } from './tmux.ts';

/** The words an alias stands for: `git -c alias.p='push -f' p`, and what `git config alias.p 'push -f'` will run. */
function aliasOf(options: Options, verb: Field | undefined, rest: readonly Field[]): readonly Field[] | null {
  if (!verb) return null;
  if (verb.text === 'config') {
    const at = rest.findIndex(({ text }) => text.startsWith('alias.'));
    const value = at < 0 || rest.some(({ text }) => /^(?:--)?(?:get|unset)/.test(text)) ? undefined : rest[at + 1];
    return value && !value.text.startsWith('!') ? splitWords(value) : null;
  }
  const set = options.values('c').find(({ text }) => text.startsWith(`alias.${verb.text}=`));
  const value = set ? set.text.slice(verb.text.length + 7) : '';
  return !set || value === '' || value.startsWith('!')
    ? null
    : [...splitWords({ ...set, raw: '', text: value }), ...rest];
}

/** `git rebase --exec text`, `bisect run words`, `submodule foreach text`, `filter-branch --tree-filter text`. */
const git: Peel = (call) => {
  const options = parseOptions(call.args, GIT_GLOBAL, { stop: true });
  const [verb, ...rest] = options.operands;
  const alias = aliasOf(options, verb, rest);
  if (alias)
    return [{ run: { kind: 'argv', argv: [call.argv0, ...alias] }, wrapper: { program: 'git' }, bar: RUNS_CODE }];
  if (verb?.text === 'rebase')
    return parseOptions(rest, 'x|exec: onto: s|strategy: X|strategy-option: i|interactive')
      .values('x')
      .map((text) => shellText(call, text));
  if (verb?.text === 'bisect' && rest[0]?.text === 'run' && rest.length > 1)
    return [{ run: { kind: 'argv', argv: rest.slice(1) }, wrapper: { program: 'git' }, bar: RUNS_CODE }];
  if (verb?.text === 'submodule' && rest.some((arg) => arg.text === 'foreach')) {
    const after = parseOptions(rest.slice(rest.findIndex((arg) => arg.text === 'foreach') + 1), 'recursive q|quiet', {
      stop: true,
    }).operands;
    return after.length > 0 ? [shellText(call, joinFields(after, call))] : [];
  }
  if (verb?.text === 'filter-repo') return callbacks(rest);
  if (verb?.text !== 'filter-branch') return [];
  const filters = parseOptions(
    rest,
    'f|force tree-filter: index-filter: msg-filter: env-filter: commit-filter: parent-filter: tag-name-filter: setup: subdirectory-filter: prune-empty d: original:',
  );
  return [
    'tree-filter',
    'index-filter',
    'msg-filter',
    'env-filter',
    'commit-filter',
    'parent-filter',
    'tag-name-filter',
    'setup',
  ]
    .flatMap((name) => filters.values(name))
    .map((text) => shellText(call, text));
};

const CALLBACK = /^--(?:blob|commit|tag|reset|file-info|filename|message|name|email|refname)-callback(?:=(.*))?$/s;

/** `git filter-repo --blob-callback text` runs Python. */
function callbacks(rest: readonly Field[]): readonly Inner[] {
  return rest.flatMap((arg, i): readonly Inner[] => {
    const match = CALLBACK.exec(arg.text);
    const text = match && (match[1] === undefined ? rest[i + 1] : { ...arg, raw: '', text: match[1] });
    return text
      ? [{ run: { kind: 'code', language: 'python', text }, wrapper: { program: 'git' }, bar: RUNS_CODE }]
      : [];
  });
}

export const GIT_GLOBAL =
  'C: c: git-dir: work-tree: namespace: exec-path? p|paginate P|no-pager bare no-replace-objects literal-pathspecs super-prefix: config-env: no-optional-locks attr-source: html-path version help';

const screen: Peel = (call) => {
  const options = parseOptions(call.args, 'A a c: d D e: f h: i l L m O p: q Q r R s: S: t: T: U v w wipe x X', {
    stop: true,
  });
  const rest = options.operands;
  if (rest.length === 0 || (options.has('r', 'x') && !options.has('X'))) return [];
  if (options.has('X'))
    return rest[0]?.text === 'stuff' && rest[1]
      ? [shellText(call, rest[1])]
      : rest[0]?.text === 'exec' || rest[0]?.text === 'screen'
        ? [{ run: { kind: 'argv', argv: rest.slice(1) }, wrapper: { program: 'screen' }, bar: RUNS_CODE }]
        : [];
  return [{ run: { kind: 'argv', argv: rest }, wrapper: { program: 'screen' }, bar: RUNS_CODE }];
};

/** `cmd /c text`, also `/k` and with switches before; `&` and `|` part its commands. */
const cmd: Peel = (call) => {
  const at = call.args.findIndex((arg) => /^\/[ckr]$/i.test(arg.text));
  const rest = at < 0 ? [] : call.args.slice(at + 1);
  const words = rest.length === 1 ? splitCommand(rest[0] as Field) : rest;
  const lists: Field[][] = [[]];
  for (const word of words) {
    if (/^[&|]+$/.test(word.text)) lists.push([]);
    else (lists.at(-1) as Field[]).push(word);
  }
  const wrapper = { program: 'cmd' };
  return lists
    .filter((argv) => argv.length > 0)
    .map((argv) => ({ run: { kind: 'argv', argv }, wrapper, bar: RUNS_CODE }));
};

/** One text as cmd reads it: words parted by blanks, quotes grouping, operators on their own. */
function splitCommand(field: Field): readonly Field[] {
  const words = field.text.match(/"[^"]*"|[&|]+|[^\s&|"]+/g) ?? [];
  return words.map((text) => ({ ...field, raw: '', text: text.replace(/^"(.*)"$/s, '$1') }));
}

const wsl: Peel = (call) => {
  const options = parseOptions(
    call.args,
    'd|distribution: u|user: cd: e|exec shell-type: system l|list s|set-default: t|terminate: shutdown unregister: export: import: install update v|version status',
    { stop: true },
  );
  return options.operands.length > 0
    ? [{ run: { kind: 'argv', argv: options.operands }, wrapper: { program: 'wsl', identity: 'wsl' }, bar: RUNS_CODE }]
    : [];
};

/** `python -m module words` is the module's own command; these run code they are given. */
const python: Peel = (call) => {
  const at = call.args.findIndex((arg) => !/^-[bBdEhiIOqsSuvVxP]+$/.test(arg.text));
  const flag = call.args[at]?.text ?? '';
  const attached = /^-[bBdEhiIOqsSuvVxP]*m(.+)$/.exec(flag);
  const rest = call.args.slice(at + 1);
  const module = attached ? { ...(call.args[at] as Field), text: attached[1] as string } : rest[0];
  if (!/^-[bBdEhiIOqsSuvVxP]*m/.test(flag) || !module) return [];
  if (/^(?:timeit|pdb|cProfile|profile|trace|runpy|code)$/.test(module.text)) return [];
  const [written] = call.state.files.size > 0 ? writtenTexts(call, moduleFiles(call)) : [];
  const wrapper = { program: call.program };
  if (written) return [{ run: { kind: 'code', language: 'python', text: written }, wrapper, bar: RUNS_CODE }];
  const argv = [module, ...(attached ? rest : rest.slice(1))];
  return [{ run: { kind: 'argv', argv }, wrapper, bar: RUNS_CODE }];
};

/** `nix run nixpkgs#tool -- words`: the tool by the name of its package. */
function nixRun(call: Call): readonly Inner[] {
  const cut = call.args.findIndex(({ text }) => text === '--');
  const flake = call.args.find(({ text }, i) => i < cut && /^[\w./:-]+#[\w.-]+$/.test(text));
  if (cut < 0 || !flake) return [];
  const name = { ...flake, raw: '', text: flake.text.replace(/^.*[#.]/s, '') };
  return [
    { run: { kind: 'argv', argv: [name, ...call.args.slice(cut + 1)] }, wrapper: { program: 'nix' }, bar: RUNS_CODE },
  ];
}

/** `sops exec-env file text`, `sops exec-file file text`. */
function execSops(call: Call): readonly Inner[] {
  const [verb, , text] = parseOptions(
    call.args,
    'user: background pristine same-process no-fifo filename: output-type:',
  ).operands;
  return (verb?.text === 'exec-env' || verb?.text === 'exec-file') && text ? [shellText(call, text)] : [];
}

const BWRAP_NO_VALUE =
  /^--(?:unshare-\w+(?:-try)?|share-net|die-with-parent|new-session|as-pid-1|clearenv|disable-userns|assert-userns-disabled|help|version|level-prefix)$/;
const BWRAP_TWO_VALUES =
  /^--(?:(?:dev-|ro-)?bind(?:-try|-fd)?|ro-bind-data|bind-data|file|symlink|setenv|chmod|overlay-src|ro-overlay|tmp-overlay)$/;

/** bubblewrap's options take none, one or two words each; what it mounts is not followed. */
function bwrap(call: Call): readonly Inner[] {
  let at = 0;
  while (call.args[at]?.text.startsWith('--')) {
    const { text } = call.args[at] as Field;
    at += text === '--' ? 1 : BWRAP_NO_VALUE.test(text) ? 1 : BWRAP_TWO_VALUES.test(text) ? 3 : 2;
    if (text === '--') break;
  }
  const argv = call.args.slice(at);
  return argv.length > 0
    ? [{ run: { kind: 'argv', argv }, wrapper: { program: 'bwrap', identity: 'bwrap' }, bar: RUNS_CODE }]
    : [];
}

export const runnerPeels: Readonly<Record<string, Peel>> = {
  ...packagePeels,
  python,
  git,
  tmux,
  screen,
  cmd,
  wsl,
  k3s: holds('kubectl', 'crictl', 'ctr'),
  k0s: holds('kubectl', 'ctr'),
  microk8s: holds('kubectl', 'helm', 'helm3', 'ctr'),
  rancher: holds('kubectl'),
  rke2: holds('kubectl', 'crictl', 'ctr'),
  mprocs: textOperands('c|config: s|server: names: npm ctl:'),
  launchctl: (call) => {
    const [verb, who, ...argv] = call.args;
    if (!/^(?:asuser|bsexec)$/.test(verb?.text ?? '') || argv.length === 0) return [];
    const wrapper = { program: 'launchctl', identity: `launchctl:${who?.text ?? ''}` };
    return [{ run: { kind: 'argv', argv }, wrapper }];
  },
  poetry: afterVerb(['run'], 'C|directory: P|project: q|quiet n|no-interaction'),
  pipenv: afterVerb(['run'], ''),
  pdm: afterVerb(['run'], 'p: e: '),
  hatch: afterVerb(['run'], 'e|env:'),
  rye: afterVerb(['run'], ''),
  pixi: afterVerb(
    ['run', 'exec', 'x'],
    'e|environment: manifest-path: s|spec: w|with: c|channel: frozen locked clean-env v q',
  ),
  devbox: afterVerb(['run'], 'c|config: e|env: env-file: pure q|quiet'),
  foreman: afterVerb(['run'], 'e|env: f|procfile:'),
  honcho: afterVerb(['run'], 'e|env: f|procfile:'),
  bundle: afterVerb(['exec'], 'keep-file-descriptors gemfile:'),
  conda: afterVerb(['run'], 'n|name: p|prefix: v|verbose no-capture-output live-stream cwd: dev debug-wrapper-scripts'),
  mamba: afterVerb(['run'], 'n|name: p|prefix: no-capture-output'),
  micromamba: afterVerb(['run'], 'n|name: p|prefix:'),
  pyenv: afterVerb(['exec'], ''),
  rbenv: afterVerb(['exec'], ''),
  nvm: afterVerb(['exec'], '', 1),
  fnm: afterVerb(['exec'], 'using:'),
  volta: afterVerb(['run'], 'node: npm: yarn:'),
  direnv: afterVerb(['exec'], '', 1),
  asdf: afterVerb(['exec'], ''),
  rtx: either(afterDashes('exec', 'x'), textOption('c|command: j: C|cd:', 'c')),
  mise: either(afterDashes('exec', 'x'), textOption('c|command: j: C|cd:', 'c')),
  op: afterDashes('run'),
  doppler: either(afterDashes('run'), textOption('command: p|project: c|config: t|token:', 'command')),
  infisical: afterDashes('run'),
  lerna: either(afterDashes('exec'), afterVerb(['exec'], 'scope: ignore: concurrency: since: stream parallel no-bail')),
  teller: afterDashes('run'),
  berglas: afterDashes('exec'),
  'aws-okta': afterDashes('exec'),
  saml2aws: afterDashes('exec'),
  guix: afterDashes('shell', 'environment'),
  flox: afterDashes('activate'),
  sops: execSops,
  bwrap,
  bubblewrap: bwrap,
  chamber: afterDashes('exec'),
  envchain: plain({ options: '', skip: 1 }),
  'with-contenv': plain({ options: '' }),
  corepack: plain({ options: '' }),
  turbo: () => [],
  dotenvx: afterDashes('run'),
  'nix-shell': textOption('p|packages: run: command: A|attr: I: i: pure keep: E|expr:', 'run', 'command'),
  nix: (call) => {
    if (call.args[0]?.text === 'run') return nixRun(call);
    const at = call.args.findIndex((arg) => arg.text === '-c' || arg.text === '--command');
    const rest = at < 0 ? [] : call.args.slice(at + 1);
    return rest.length > 0 ? [{ run: { kind: 'argv', argv: rest }, wrapper: { program: 'nix' }, bar: RUNS_CODE }] : [];
  },
  entr: (call) => {
    const options = parseOptions(call.args, 'a c d n p r s x z', { stop: true });
    if (options.operands.length === 0) return [];
    if (options.has('s')) return [shellText(call, options.operands[0] as Field)];
    return [{ run: { kind: 'argv', argv: options.operands }, wrapper: { program: 'entr' }, bar: RUNS_CODE }];
  },
  nodemon: textOption('x|exec: w|watch: e|ext: i|ignore: q|quiet delay: config: signal: L', 'x'),
  watchexec: (call) => {
    const options = parseOptions(
      call.args,
      'w|watch: e|exts: f|filter: i|ignore: r|restart c|clear? s|signal: d|debounce: p|postpone n|no-shell shell: on-busy-update: o: v',
      { stop: true },
    );
    return options.operands.length > 0 ? [shellText(call, joinFields(options.operands, call))] : [];
  },
  hyperfine: (call) => {
    const options = parseOptions(
      call.args,
      'w|warmup: m|min-runs: M|max-runs: r|runs: s|setup: p|prepare: c|cleanup: C|conclude: P|parameter-scan: L|parameter-list: D: S|shell: N i|ignore-failure style: export-json: export-csv: export-markdown: show-output output: input: n|command-name: u|time-unit:',
    );
    const texts = [...options.operands, ...['s', 'p', 'c', 'C'].flatMap((name) => options.values(name))];
    return within(texts, MAX_TEXTS).map((text) => shellText(call, text));
  },
  concurrently: textOperands(
    'n|names: c|prefix-colors: k|kill-others s|success: r|raw p|prefix: kill-others-on-fail g|group m|max-processes: hide: t:',
  ),
  sg: (call) => {
    const text = call.args.at(-1);
    return call.args.length > 1 && text ? [shellText(call, text)] : [];
  },
  rustup: afterVerb(['run'], 'install', 1),
  xdotool: afterVerb(['exec'], 'sync terminator:'),
  ksu: (call) => {
    const at = call.args.findIndex((arg) => arg.text === '-e' || arg.text === '-a');
    const rest = at < 0 ? [] : call.args.slice(at + 1);
    if (rest.length === 0) return [];
    return [{ run: { kind: 'argv', argv: rest }, wrapper: { program: 'ksu', identity: 'ksu:root' }, bar: RUNS_CODE }];
  },
  pidstat: textOption('e: p: T: u d r s t w l h', 'e'),
  genie: textOption('c|command: s|shell i u', 'c'),
  tmate: textOption('c: S: f: F n: k:', 'c'),
  expect: (call) => {
    const text = optionsOf(call, 'c: d D: f: i n N v b').value('c');
    return text
      ? [{ run: { kind: 'code', language: 'tcl', text }, wrapper: { program: 'expect' }, bar: RUNS_CODE }]
      : [];
  },
};
