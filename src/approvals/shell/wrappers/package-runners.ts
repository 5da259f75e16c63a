import type { Call } from '../call.ts';
import type { Field } from '../field.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel } from './inner.ts';
import { RUNS_CODE } from './inner.ts';
import { afterVerb, either, shellText } from './peel-makers.ts';

/** Tools of node projects that rules or wrappers know, by the name of their program. */
const NODE_TOOLS: ReadonlySet<string> = new Set(
  'prisma typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm knex sequelize sequelize-cli drizzle-kit mikro-orm cdk cdktf cdk8s wrangler vercel netlify sls serverless sst firebase supabase railway flyctl heroku pulumi eas expo semantic-release changeset gh-pages np release-it vsce ovsx lerna rimraf del-cli shx cross-env cross-env-shell dotenv dotenvx env-cmd tsx ts-node node nodemon concurrently npx pm2'.split(
    ' ',
  ),
);

/** Packages that are not named as the program they hold. */
const BINARIES: ReadonlyMap<string, string> = new Map([
  ['aws-cdk', 'cdk'],
  ['cdktf-cli', 'cdktf'],
  ['firebase-tools', 'firebase'],
  ['netlify-cli', 'netlify'],
  ['sequelize-cli', 'sequelize'],
  ['dotenv-cli', 'dotenv'],
  ['eas-cli', 'eas'],
  ['@anthropic-ai/claude-code', 'claude'],
  ['@openai/codex', 'codex'],
  ['@google/gemini-cli', 'gemini'],
  ['@github/copilot', 'copilot'],
  ['@qwen-code/qwen-code', 'qwen'],
  ['@railway/cli', 'railway'],
  ['@mikro-orm/cli', 'mikro-orm'],
  ['@vscode/vsce', 'vsce'],
  ['@changesets/cli', 'changeset'],
  ['@dotenvx/dotenvx', 'dotenvx'],
  ['@cloudflare/wrangler', 'wrangler'],
  ['awscli', 'aws'],
  ['azure-cli', 'az'],
  ['httpie', 'http'],
]);

function binaryOf(name: string): string {
  return BINARIES.get(name) ?? name;
}

const UV_TOOL =
  'from: with: with-editable: with-requirements: p|python: spec: index-url: index: i: U|upgrade isolated q|quiet v|verbose refresh no-cache n verify: pip-args: suffix: system-site-packages fetch-missing-python env-file: offline no-config';

/** `uvx tool words`, `uv tool run tool words`, `pipx run tool words`. */
function pythonTool(...verbs: readonly string[]): Peel {
  return (call) => {
    const rest = behindVerbs(call, verbs, UV_TOOL);
    const [tool, ...words] = rest ?? [];
    if (!tool) return [];
    const name = { ...tool, text: binaryOf(tool.text.replace(/(?:@|==).*$/, '')) };
    return [{ run: { kind: 'argv', argv: [name, ...words] }, wrapper: { program: call.program }, bar: RUNS_CODE }];
  };
}

const UV_RUN =
  'with: extra: group: p|python: no-sync isolated frozen locked env-file: project: directory: m|module q|quiet v|verbose all-extras no-project script s';

/** `uv run words`; what is no program's name is a script of Python: a file, or `-` for stdin. */
const uvRun: Peel = (call) => {
  const [inner] = afterVerb(['run'], UV_RUN)(call);
  const first = inner?.run.kind === 'argv' ? inner.run.argv[0] : undefined;
  if (inner?.run.kind !== 'argv' || !first) return [];
  const script = first.text === '-' || /\.pyw?$/.test(first.text);
  const argv = script ? [{ ...first, raw: '', text: 'python' }, ...inner.run.argv] : inner.run.argv;
  return [{ ...inner, run: { kind: 'argv', argv } }];
};

/** What stands behind the verbs and the options between and after them; null where the verbs are others. */
function behindVerbs(call: Call, verbs: readonly string[], grammar: string): readonly Field[] | null {
  let rest = parseOptions(call.args, grammar, { stop: true }).operands;
  for (const verb of verbs) {
    if (rest[0]?.text !== verb) return null;
    rest = parseOptions(rest.slice(1), grammar, { stop: true }).operands;
  }
  return rest;
}

const NPX =
  'y|yes no|no-install q|quiet p|package: c|call: w|workspace: ignore-existing prefer-online shell: n|node-arg: bun silent b';

const npx: Peel = (call) => {
  const options = parseOptions(call.args, NPX, { stop: true });
  const text = options.value('c');
  if (text) return [shellText(call, text)];
  const [first, ...rest] = options.operands;
  if (!first) return [];
  const name = { ...first, text: binaryOf(first.text.replace(/(?<=.)@[\w.^~*-]+$/, '')) };
  return [{ run: { kind: 'argv', argv: [name, ...rest] }, wrapper: { program: call.program }, bar: RUNS_CODE }];
};

const NPM =
  'r|recursive w|workspace: F|filter: C|dir|prefix: c|shell-mode workspace-root workspaces ws parallel silent s y|yes package: call: T|top-level B|binaries-only cwd: no-bail if-present include: exclude: reporter: stream resume-from: workspace-concurrency:';

const npm: Peel = (call) => {
  const options = parseOptions(call.args, NPM, { stop: true });
  const [verb, ...rest] = options.operands;
  if (verb?.text === 'exec' || verb?.text === 'x' || verb?.text === 'dlx') {
    const words = parseOptions(rest, NPM, { stop: true });
    const text = call.program === 'pnpm' && (options.has('c') || words.has('c')) ? words.operands[0] : undefined;
    return text ? [shellText(call, text)] : npx({ ...call, args: rest[0]?.text === '--' ? rest.slice(1) : rest });
  }
  if (call.program === 'npm') return [];
  if (call.program === 'yarn' && /^workspaces?$/.test(verb?.text ?? ''))
    return npm({ ...call, args: behindWorkspace(rest) });
  return bareRunner(call, verb?.text === 'run' ? parseOptions(rest, NPM, { stop: true }).operands : options.operands);
};

/** `yarn workspace name words`, `yarn workspaces foreach [options] words`. */
function behindWorkspace(rest: readonly Field[]): readonly Field[] {
  const options =
    'A|all R|recursive W|worktree from: include: exclude: p|parallel i|interlaced j|jobs: t|topological v|verbose since?';
  return parseOptions(rest.slice(1), options, { stop: true }).operands;
}

/** `bun x words`; another first word may be a script of the project. */
const bun: Peel = (call) => {
  const options = parseOptions(
    call.args,
    'bun b silent cwd: env-file: F|filter: hot watch smol r|preload: if-present',
    { stop: true },
  );
  const [verb, ...rest] = options.operands;
  if (verb?.text === 'x') return npx({ ...call, args: rest });
  return bareRunner(
    call,
    verb?.text === 'run' ? parseOptions(rest, 'bun b silent', { stop: true }).operands : options.operands,
  );
};

/** pnpm and yarn run what no verb and no script of the project is named as: taken for one only where the name is a tool's. */
function bareRunner(call: Call, argv: readonly Field[]): readonly Inner[] {
  if (!NODE_TOOLS.has(argv[0]?.text ?? '')) return [];
  return [{ run: { kind: 'argv', argv }, wrapper: { program: call.program }, bar: RUNS_CODE }];
}

export const packagePeels: Readonly<Record<string, Peel>> = {
  npx,
  bunx: npx,
  pnpx: npx,
  pnx: npx,
  npm,
  bun,
  pnpm: npm,
  yarn: npm,
  uvx: pythonTool(),
  pipx: pythonTool('run'),
  uv: either(pythonTool('tool', 'run'), uvRun),
};
