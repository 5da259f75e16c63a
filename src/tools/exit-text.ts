import type { ChildEnd } from './child.ts';

export const MAX_TIMEOUT_S = 600;

/** Whether the end of a command is no failure. */
export function succeeded(end: ChildEnd, command: string): boolean {
  return end.kind === 'exited' && (end.code === 0 || (end.code === 1 && saysNo(command)));
}

/** Programs whose 1 means "nothing found" or "there are differences". */
function saysNo(command: string): boolean {
  const last =
    command
      .trimEnd()
      .split(/[\n;|]|&&/)
      .at(-1)
      ?.trim() ?? '';
  return /^(?:\S*\/)?(?:grep|egrep|fgrep|rg|diff|cmp|git\s+grep|git\s+diff)(?:\s|$)/.test(last);
}

const HINTS: Readonly<Record<number, string>> = {
  126: 'found, but it cannot be executed',
  127: 'the command was not found',
  137: 'killed from outside, perhaps for want of memory',
};

/** What is to be said of the end of a command after its output. */
export function remarks(end: ChildEnd, command: string, limitS: number): readonly string[] {
  switch (end.kind) {
    case 'missing':
      return [`Not run: the shell could not be started (${end.message}).`];
    case 'killed':
      return [`[${reasonText(end.why, limitS)}]`];
    case 'exited':
      return [exitText(end.code, command), leftText(end.left)].filter((line) => line !== '');
  }
}

function reasonText(why: string, limitS: number): string {
  if (why === 'limit') return `killed after ${limitS} s; timeout_s may be up to ${MAX_TIMEOUT_S}`;
  return why === 'flood' ? 'killed: it wrote more than 200 MB' : 'stopped';
}

function exitText(code: number, command: string): string {
  if (code === 0) return '';
  const hint =
    code === 255 && /\bssh\b/.test(command) ? 'ssh could not connect, or the other side ended so' : HINTS[code];
  return hint === undefined ? `[exit ${code}]` : `[exit ${code}: ${hint}]`;
}

function leftText(left: readonly number[]): string {
  if (left.length === 0) return '';
  const pids = left.slice(0, 10).join(', ');
  return `[still running in the background: pid ${pids}; its output from now on is lost, send it to a file to keep it]`;
}
