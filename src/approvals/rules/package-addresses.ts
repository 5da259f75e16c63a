import type { Call } from '../shell/call.ts';
import type { Hit, Rule } from './rule.ts';

const ADDRESS = /^(?:(?:git\+)?(?:https?|ssh|git|file):\/\/|git@|github:|gist:|gitlab:|bitbucket:|sourcehut:)/;
const PACKAGE = /^(?:-p|--package|--from|--spec|--with)$/;

/** Verbs behind which the program runs a package; none where it always does. */
const RUNS_PACKAGE: Readonly<Record<string, RegExp | null>> = {
  npx: null,
  bunx: null,
  uvx: null,
  uv: /^(?:run|tool run)\b/,
  pipx: /^run\b/,
  npm: /^(?:exec|x|create|init)\b/,
  pnpm: /^(?:exec|x|dlx|create|init)\b/,
  yarn: /^(?:exec|x|dlx|create|init)\b/,
  nix: /^(?:run|shell|develop)\b/,
  'nix-shell': null,
  bun: /^(?!(?:add|install|i|create|pm|publish)\b)/,
};

/** `npx https://..`, `uvx --from git+https://..`, `nix run github:..`: code that no registry stands for. */
function runsAddress(call: Call): Hit {
  if (call.program === 'go') return runsModule(call);
  if (call.program === 'npx' || call.program === 'bunx') {
    const first = call.args.find(({ text }) => !text.startsWith('-'));
    if (first && /^[A-Za-z\d][\w-]*\/[\w.-]+(?:#.*)?$/.test(first.text)) return { span: first.span };
  }
  const at = call.args.findIndex(({ text }) => ADDRESS.test(text.replace(/^--(?:package|from|spec|with)=/, '')));
  const hit = call.args[at];
  if (!hit) return false;
  const operands = call.args.filter(({ text }) => !text.startsWith('-'));
  const verb = RUNS_PACKAGE[call.program];
  if (verb && !verb.test(operands.map(({ text }) => text).join(' '))) return false;
  const named = hit.text.startsWith('--') || PACKAGE.test(call.args[at - 1]?.text ?? '');
  if (call.program === 'bun' && /^(?:run|x)$/.test(operands[0]?.text ?? ''))
    return operands[1] === hit && { span: hit.span };
  const verbs =
    verb === null || call.program === 'bun' ? 0 : call.program === 'uv' && operands[0]?.text === 'tool' ? 2 : 1;
  return (named || operands.indexOf(hit) === verbs) && { span: hit.span };
}

/** `go run host/module@version`, but not those of Go itself. */
function runsModule(call: Call): Hit {
  const [verb, ...rest] = call.args;
  const hit = verb?.text === 'run' ? rest.find(({ text }) => !text.startsWith('-')) : undefined;
  const foreign = hit && /^[\w-]+(?:\.[\w-]+)+\/.*@/.test(hit.text) && !/^(?:google\.)?golang\.org\//.test(hit.text);
  return foreign ? { span: hit.span } : false;
}

export const packageAddressRules: readonly Rule[] = [
  {
    id: 'code.address',
    grade: 'dangerous',
    programs: [...Object.keys(RUNS_PACKAGE), 'go'],
    test: runsAddress,
    why: 'runs a package from an address and not from a registry',
    match: [
      'npx https://x.example/a.tgz',
      'npx github:a/b',
      'npx a/b',
      'npm exec git+https://x.example/a.git',
      'pnpm dlx github:a/b',
      'npx --package=git+https://x.example/a.git t',
      'uvx --from git+https://x.example/a tool',
      'uv run https://x.example/i.py',
      'pipx run --spec git+https://x.example/a tool',
      'nix run github:a/b',
      'go run github.com/a/b@latest',
    ],
    notMatch: [
      'npx cowsay hi',
      'npx @a/b',
      'npx ./b/c',
      'npx wait-on http://localhost:3000',
      'npm exec tsc',
      'npm install github:a/b',
      'uv run pytest --base-url http://localhost',
      'uv tool install git+https://x.example/a',
      'nix run nixpkgs#hello',
      'go run ./cmd/a@x',
      'go run golang.org/x/tools/cmd/stringer@latest',
      'bun run dev',
    ],
  },
];
