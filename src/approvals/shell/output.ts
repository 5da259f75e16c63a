import type { Call } from './call.ts';
import { hasArg, optionsOf, pathsOf } from './call.ts';
import { decodedOutput } from './decode.ts';
import { diskNames } from './disk-names.ts';
import { printsDump } from './dumps.ts';
import { printsFetched } from './fetchers.ts';
import type { Field } from './field.ts';
import { findRoots } from './find-words.ts';
import { listedTaint } from './listings.ts';
import { entryOf } from './lookup.ts';
import { isKnown, UNKNOWN } from './marks.ts';
import { formatPath, isNamed } from './paths.ts';
import { isEnvFile, isPrivateFile, secretAt } from './places.ts';
import { echoOutput, printfOutput } from './print-output.ts';
import type { Source } from './source.ts';
import { EMPTY_SOURCE } from './source.ts';
import { TAINT } from './taint.ts';
import { trimEnd } from './trim.ts';

const FETCHERS = new Set([
  'curl',
  'wget',
  'fetch',
  'http',
  'https',
  'xh',
  'xhs',
  'curlie',
  'lynx',
  'w3m',
  'links',
  'elinks',
  'nc',
  'socat',
  'telnet',
  'ssh',
  'ftp',
  'lftp',
  'aria2c',
  'axel',
  'invoke-webrequest',
  'iwr',
  'irm',
  'invoke-restmethod',
  'dig',
  'nslookup',
  'host',
  'websocat',
  'openssl-s_client',
  'gh',
  'ipfs',
  'rclone',
  'smbclient',
  'tftp',
]);
const SILENT = new Set([
  'cd',
  'true',
  ':',
  'mkdir',
  'touch',
  'chmod',
  'chown',
  'export',
  'sleep',
  'set',
  'shopt',
  'unset',
  'read',
  'rm',
  'rmdir',
  'pushd',
  'wait',
  'mv',
  'cp',
  'ln',
  'test',
  '[',
]);

/** What a command writes to stdout, as far as it can be told without running it. */
export function outputOf(call: Call): Source {
  if (writesToFile(call)) return EMPTY_SOURCE;
  const known = constantOutput(call);
  const taint = inheritedTaint(call);
  if (known !== undefined)
    return {
      kind: 'pipe',
      text: known,
      taint: call.program === 'echo' || call.program === 'printf' ? argTaint(call) : taint,
    };
  if (SILENT.has(call.program) && (taint & TAINT.environ) === 0) return { kind: 'pipe', text: '', taint: TAINT.none };
  if (call.program !== 'find') return { kind: 'pipe', text: null, taint };
  return { kind: 'pipe', text: null, taint, roots: findRoots(call).map((root) => root.text) };
}

function writesToFile(call: Call): boolean {
  return call.files.some(
    (file) =>
      file.use !== 'read' &&
      (file.fd === 1 || file.fd === null) &&
      !/^\/dev\/(?:stdout|stderr|tty|fd\/\d+)$/.test(file.target.text),
  );
}

function argTaint(call: Call): number {
  return call.args.reduce((all, arg) => all | arg.taint, 0);
}

function inheritedTaint(call: Call): number {
  let taint = call.stdin.taint | argTaint(call) | listedTaint(call);
  if (FETCHERS.has(call.program) || printsFetched(call)) taint |= TAINT.fetched;
  if (printsDump(call)) taint |= TAINT.dump;
  if (decodedOutput(call, null) !== undefined) taint |= TAINT.decoded;
  if (printsEnvironment(call)) taint |= TAINT.environ;
  if (readsInWords(call)) taint |= TAINT.secret;
  if (call.program === 'jobs') taint |= TAINT.child;
  for (const arg of call.args) taint |= fileTaint(call, arg) | (arg.content?.taint ?? 0);
  for (const file of call.files) if (file.use === 'read') taint |= fileTaint(call, file.target);
  return taint;
}

const DECLARING = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);

/** The whole environment in code given as a word; one variable of it is none of these. */
const ENVIRONMENTS: Readonly<Record<string, RegExp>> = {
  node: /(?<!\}\s{0,4}=\s{0,4})\bprocess\.env\b(?!\s*[.?[])/,
  bun: /(?<!\}\s{0,4}=\s{0,4})\b(?:process|Bun)\.env\b(?!\s*[.?[])/,
  deno: /\bDeno\.env\.toObject\b/,
  python: /\bos\.environb?\b(?!\s*(?:\[|\.(?:get|setdefault|pop)\b))/,
  ruby: /\bENV\b(?!\s*(?:\[|\.(?:fetch|key)|\w))/,
  perl: /%ENV\b|\bkeys\s+%ENV\b/,
  php: /\$_ENV\b(?!\s*\[)|\bgetenv\(\s*\)/,
  awk: /\bin\s+ENVIRON\b/,
  jq: /(?<![.\w$"])env\b(?!\s{0,4}[.:"[},])|\$ENV\b(?![.[])/,
};

/** jq's `--arg name value`: neither is code. */
function isNamedValue(args: readonly Field[], at: number): boolean {
  return [at - 1, at - 2].some((i) => /^--(?:arg|argjson|slurpfile|rawfile)$/.test(args[i]?.text ?? ''));
}

/** Code that names an environment file, and `git show HEAD:.env`. */
function readsInWords({ program, args }: Call): boolean {
  if (program === 'git') return args.some(({ text }) => /^[^\s:]+:(?:[^:]*\/)?\.env$/.test(text));
  return (
    entryOf(ENVIRONMENTS, program) !== undefined &&
    args.some(({ text }) => /["'`](?:[^"'`\s]*\/)?\.env["'`]/.test(text))
  );
}

/** `env`, `set`, `export -p`, `declare`, `compgen -v` print variables; with other words they change something. */
function printsEnvironment(call: Call): boolean {
  const { program, args } = call;
  if (program === 'env' || program === 'printenv') return true;
  if (program === 'set') return args.length === 0;
  const dumped = entryOf(ENVIRONMENTS, program);
  if (dumped) return args.some(({ text }, i) => dumped.test(text) && !isNamedValue(args, i));
  return DECLARING.has(program) && args.every(({ text }) => /^-[pxgr]+$/.test(text));
}

/** What reading the file that a word names would bring into the pipeline. */
export function fileTaint(call: Call, field: Field): number {
  if (field.text.length < 2 || field.text.startsWith('-')) return TAINT.none;
  let taint: number = TAINT.none;
  for (const path of pathsOf(call, field)) {
    if (secretAt(path, call.facts) !== null || isEnvFile(path)) taint |= TAINT.secret;
    else if (isPrivateFile(path, call.facts)) taint |= TAINT.private;
    if (!isNamed(path)) continue;
    const name = formatPath(path);
    taint |= call.state.files.get(name)?.taint ?? 0;
    if (call.facts.fetched.includes(name)) taint |= TAINT.fetched;
  }
  return taint;
}

/** The constant text, null where unknown though the program is known, undefined for other programs. */
function constantOutput(call: Call): string | null | undefined {
  switch (call.program) {
    case 'echo':
      return echoOutput(call.args);
    case 'printf':
      return printfOutput(call.args);
    case 'cat':
      return catOutput(call);
    case 'tee':
      return call.stdin.text;
    case 'pwd':
      return `${call.state.cwd ?? UNKNOWN}\n`;
    case 'whoami':
      return call.frame.wrappers.some((wrapper) => wrapper.identity) ? null : `${call.facts.user}\n`;
    case 'basename':
    case 'dirname':
      return pathPart(call);
    case 'which':
      return programPath(call.args[0]);
    case 'command':
    case 'type':
      return lookupOutput(call);
    case 'ls':
      return listedNames(call) ?? diskNames(call) ?? null;
    case 'realpath':
    case 'readlink':
      return realPath(call);
    case 'true':
    case ':':
      return '';
    default:
      return diskNames(call) ?? decodedOutput(call, call.stdin.text);
  }
}

function catOutput(call: Call): string | null {
  const options = optionsOf(call, 'A e E n b s t T u v');
  if (options.has('A', 'e', 'E', 'n', 'b', 't', 'T', 'v')) return null;
  const { operands } = options;
  if (operands.length === 0 || (operands.length === 1 && operands[0]?.text === '-')) return call.stdin.text;
  let text = '';
  for (const operand of operands) {
    const [path, more] = pathsOf(call, operand);
    const content =
      operand.content?.text ??
      (path && !more && isNamed(path) ? call.state.files.get(formatPath(path))?.text : undefined);
    if (content === undefined || content === null) return null;
    text += content;
  }
  return text;
}

function pathPart(call: Call): string | null {
  const operand = optionsOf(call, 'a s: z').operands[0];
  if (!operand || !isKnown(operand.text)) return null;
  const trimmed = trimEnd(operand.text, '/') || '/';
  const slash = trimmed.lastIndexOf('/');
  if (call.program === 'basename') return `${trimmed === '/' ? '/' : trimmed.slice(slash + 1)}\n`;
  return `${slash < 0 ? '.' : trimmed.slice(0, slash) || '/'}\n`;
}

/** `ls -d` prints the names it is given. */
function listedNames(call: Call): string | null {
  if (!hasArg(call, '-d', '-1d', '-d1', '--directory')) return null;
  const operands = call.args.filter(({ text }) => !text.startsWith('-'));
  return operands.length > 0 ? operands.map(({ text }) => `${text}\n`).join('') : null;
}

function lookupOutput(call: Call): string | null {
  const flag = call.args[0]?.text ?? '';
  return /^-[vVpP]+$/.test(flag) ? programPath(call.args[1]) : null;
}

function programPath(field: Field | undefined): string | null {
  return field && /^[\w.+-]+$/.test(field.text) ? `/usr/bin/${field.text}\n` : null;
}

function realPath(call: Call): string | null {
  const operand = optionsOf(call, 'f|canonicalize e m n q s z L P').operands[0];
  const [path, more] = operand ? pathsOf(call, operand) : [];
  return path && !more && isNamed(path) ? `${formatPath(path)}\n` : null;
}
