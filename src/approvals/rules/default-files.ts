import type { Call } from '../shell/call.ts';
import { isDownloaded, isInTrees, placesNamed } from '../shell/file-effects.ts';
import { entryOf } from '../shell/lookup.ts';
import { TAINT } from '../shell/taint.ts';
import { fieldHit } from './matching.ts';
import type { Hit } from './rule.ts';

/** Files a program obeys though nobody names them. */
interface Own {
  /** Their names, in the folder it runs in or in one that a word names. */
  readonly names: RegExp;
  /** The words with which it does so. */
  readonly when?: RegExp;
  /** Files that it runs where a word names them. */
  readonly given?: RegExp;
}

function row(programs: string, names: string, more: Omit<Own, 'names'> = {}): readonly (readonly [string, Own])[] {
  const own = { names: new RegExp(`^(?:${names})$`), ...more };
  return programs.split(' ').map((program) => [program, own]);
}

function verbs(list: string): RegExp {
  return new RegExp(`(?:^| )(?:${list})(?= |$)`);
}

const COMPOSED = String.raw`(?:docker-)?compose(?:\.override)?\.ya?ml`;

/** What carries out a plan. */
const PLANNED: Readonly<Record<string, Own>> = Object.fromEntries([
  ...row('docker', String.raw`${COMPOSED}|(?:Dockerfile|Containerfile)(?:\.\w+)?`, {
    when: verbs('up|run|build|create|watch|start|bake'),
  }),
  ...row('docker-compose', COMPOSED, { when: verbs('up|run|build|create|watch|start') }),
  ...row('pulumi', String.raw`Pulumi(?:\.\w+)?\.ya?ml`, { when: verbs('up|update|preview|destroy|refresh|import') }),
]);

/** What builds, tests and starts projects. */
const BUILT: Readonly<Record<string, Own>> = Object.fromEntries([
  ...row('make bmake', 'GNUmakefile|[mM]akefile'),
  ...row('just', String.raw`\.?[jJ]ustfile`, { when: /^(?!.*--(?:list|summary|show|dump|evaluate)\b)/ }),
  ...row('task', String.raw`[tT]askfile(?:\.dist)?\.ya?ml`),
  ...row('rake', String.raw`[rR]akefile(?:\.rb)?`),
  ...row('npm pnpm', String.raw`package\.json|\.pnpmfile\.cjs`, {
    when: verbs(
      'run|run-script|t|tst|test|start|stop|restart|i|in|install|it|install-test|ci|add|rebuild|rb|up|update|link|ln|pack|publish|version|deploy',
    ),
  }),
  ...row('yarn bun', String.raw`package\.json|\.yarnrc\.yml|bunfig\.toml`, {
    when: /^(?!(?:config|info|why|list|help|licenses|outdated|audit|cache|pm)\b)/,
  }),
  ...row('pip', String.raw`setup\.py|setup\.cfg|pyproject\.toml`, {
    when: /\b(?:install|wheel|download)\b.* (?:\.|[^ ]*\/)/,
  }),
  ...row('poetry pdm hatch flit uv', String.raw`setup\.py|pyproject\.toml`, {
    when: verbs('install|build|sync|run|test|lock|publish|add|pip install'),
  }),
  ...row('pytest py.test', String.raw`conftest\.py|pytest\.ini|test_\w*\.py|\w*_test\.py`, { given: /\.py$/ }),
  ...row('tox nox invoke inv fab', String.raw`tox\.ini|noxfile\.py|tasks\.py|fabfile\.py`),
  ...row('scons waf', 'SConstruct|[Ss]construct|wscript'),
  ...row('cargo', String.raw`build\.rs|Cargo\.toml|(?:main|lib)\.rs`, {
    when: verbs('b|build|r|run|t|test|c|check|bench|install|clippy|d|doc|publish|package'),
  }),
  ...row('go', String.raw`[\w.-]+\.go|go\.mod`, { when: verbs('run|test|generate|install'), given: /\.go$/ }),
  ...row('mvn mvnw mvnd', String.raw`pom\.xml`),
  ...row('gradle gradlew', String.raw`(?:build|settings|init)\.gradle(?:\.kts)?`),
  ...row('ant sbt mill lein', String.raw`build\.(?:xml|sbt|sc|mill)|project\.clj`),
  ...row('cmake', String.raw`CMakeLists\.txt|CMakePresets\.json`, { given: /\.cmake$/ }),
  ...row('meson ninja', String.raw`meson\.build|build\.ninja`),
  ...row('bazel bazelisk', String.raw`(?:BUILD|WORKSPACE|MODULE)(?:\.bazel)?`, {
    when: verbs('build|run|test|coverage|fetch|sync'),
  }),
  ...row('composer', String.raw`composer\.json`, {
    when: verbs('i|install|u|update|require|remove|run|run-script|dump-autoload|test'),
  }),
  ...row('bundle', 'Gemfile|gems\\.rb'),
  ...row('gem', String.raw`[\w.-]+\.gemspec`, { when: /^build\b/ }),
  ...row('pod fastlane', 'Podfile|Fastfile'),
  ...row('mix rebar3', String.raw`mix\.exs|rebar\.config`),
  ...row('gulp grunt jake', String.raw`(?:[gG]ulpfile|[gG]runtfile|[jJ]akefile)\.\w+`),
  ...row('webpack rollup vite next', String.raw`(?:webpack|rollup|vite|next)\.config\.\w+`),
  ...row('jest vitest mocha playwright', String.raw`(?:jest|vitest|vite|playwright)\.config\.\w+|\.mocharc\.\w+`, {
    given: /\.[cm]?[jt]sx?$/,
  }),
  ...row('eslint prettier', String.raw`(?:eslint|prettier)\.config\.\w+|\.(?:eslintrc|prettierrc)\.[cm]?[jt]s`),
  ...row('vagrant', 'Vagrantfile', { when: verbs('up|provision|reload|ssh|status|validate|destroy|halt') }),
  ...row('terraform packer', String.raw`[\w.-]+\.(?:tf|tf\.json|pkr\.hcl)|terragrunt\.hcl`, {
    when: verbs('init|plan|apply|destroy|refresh|import|console|test|build'),
  }),
  ...row('skaffold helmfile tilt earthly', String.raw`skaffold\.ya?ml|helmfile\.ya?ml|Tiltfile|Earthfile`),
  ...row('serverless sls cdk sam', String.raw`serverless\.(?:ya?ml|ts|js|json)|cdk\.json|template\.ya?ml`),
  ...row('direnv', String.raw`\.envrc`, { when: verbs('allow|permit|grant|exec|reload|export') }),
  ...row('pre-commit lefthook', String.raw`\.pre-commit-config\.ya?ml|lefthook\.ya?ml`, {
    when: verbs('run|install|install-hooks|autoupdate|try-repo'),
  }),
  ...row('foreman honcho overmind goreman', String.raw`Procfile(?:\.\w+)?`, { when: verbs('s|start|run') }),
  ...row('snakemake nextflow', String.raw`Snakefile|main\.nf|nextflow\.config`, { given: /\.(?:smk|nf)$/ }),
  ...row('nix-build nix-shell nix', String.raw`(?:default|shell|flake)\.nix`, { given: /\.nix$/ }),
  ...row('mise', String.raw`\.?mise\.toml`, { when: verbs('r|run|x|exec|i|install|trust') }),
  ...row('latexmk', String.raw`\.?latexmkrc`),
]);

export const planners: readonly string[] = Object.keys(PLANNED);
export const builders: readonly string[] = Object.keys(BUILT);

/** Options behind which stands a file to be obeyed. */
const OPTION =
  /^(?:-[fcbIstrPM]|--(?:config|file|init-script|build-file|settings-file|taskfile|justfile|makefile|snakefile|gulpfile|rakefile|require|setupFiles))$/;

/** A file that came from a network, and not by a clone, is what the program obeys unasked, or its folder was unpacked from there. */
export function obeysDownload(call: Call): Hit {
  const { state, facts } = call;
  if (state.files.size === 0 && state.unpackedTrees.size === 0 && facts.fetched.length === 0) return false;
  const own = entryOf(PLANNED, call.program) ?? entryOf(BUILT, call.program);
  if (!own || (own.when && !own.when.test(wordsOf(call)))) return false;
  const { given } = own;
  const named = call.args.find(
    (arg, i) =>
      (given?.test(arg.text) || OPTION.test(call.args[i - 1]?.text ?? '')) &&
      placesNamed(call, arg).some((at) => isDownloaded(call, at)),
  );
  if (named) return fieldHit(named);
  if (state.unpackedTrees.size === 0 && !isDownload(call, (file) => own.names.test(baseOf(file)))) return false;
  const folders = new Set(foldersOf(call));
  for (const folder of folders) if (isInTrees(folder, state.unpackedTrees)) return true;
  return isDownload(call, (file) => own.names.test(baseOf(file)) && folders.has(folderOf(file)));
}

function wordsOf({ args }: Call): string {
  return args.map(({ text }) => text).join(' ');
}

function* foldersOf(call: Call): Iterable<string> {
  for (const cwd of call.state.cwds) if (cwd !== null) yield cwd;
  for (const arg of call.args) {
    const text = arg.text.slice(arg.text.startsWith('-') ? arg.text.indexOf('=') + 1 : 0);
    if (!text.startsWith('-')) yield* placesNamed(call, text === arg.text ? arg : { ...arg, text });
  }
}

/** Of more files any may be one. */
const MAX_LOOKED_AT = 200;

/** Whether a single file that came from a network, in this text or in this session, is such a one. */
function isDownload({ state, facts }: Call, test: (file: string) => boolean): boolean {
  if (state.files.size > MAX_LOOKED_AT) return true;
  for (const [file, { taint }] of state.files) if ((taint & TAINT.fetched) !== 0 && test(file)) return true;
  return facts.fetched.some((file) => !state.files.has(file) && test(file));
}

function baseOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/')) || '/';
}
