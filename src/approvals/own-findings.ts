import type { Change, Finding, PathUse, Tool } from '../contract/tool.ts';

const dangerous = { grade: 'dangerous', smart: false } as const;
const whole = (text: string) => [0, text.length] as const;

/** A script as a whole, where no scan clears it. */
export function scriptFinding(source: string): Finding {
  const count = source.split('\n').length;
  const why = `runs a script of ${count} ${count === 1 ? 'line' : 'lines'}`;
  return { ...dangerous, rule: 'code.script', span: whole(source), why, personOnly: false };
}

/** A tool that changes something and says nothing about what. */
export function toolFinding({ name, effects }: Tool, text: string): Finding {
  const why = effects === 'exec' ? `${name} may run anything` : `${name} changes something outside`;
  return { ...dangerous, rule: 'tool.call', span: whole(text), why, personOnly: false };
}

/** Writing outside the work roots is asked; so is reading, unless the operator opened it. */
export function outsideFinding(
  uses: readonly PathUse[],
  text: string,
  place: { readonly roots: readonly string[]; readonly readOutside: boolean },
): Finding | undefined {
  const found = uses.find(
    ({ path, use }) => (use === 'write' || !place.readOutside) && !place.roots.some((root) => inside(path, root)),
  );
  if (!found) return undefined;
  const why = `${found.use === 'write' ? 'writes' : 'reads'} ${found.path}, outside the work folders`;
  return { ...dangerous, rule: 'files.outside', span: whole(text), why, personOnly: false };
}

/** A change that lasts, in a turn that read text of strangers; jobs are kept paused instead. */
export function taintFinding(
  change: Change | undefined,
  source: string | undefined,
  text: string,
): Finding | undefined {
  if (source === undefined || change === undefined || change === 'job') return undefined;
  const why = `lasts after this turn, which read text from ${source}`;
  return { ...dangerous, rule: 'untrusted.change', span: whole(text), why, personOnly: true };
}

const QUESTIONS: Readonly<Record<Exclude<Change, 'job'>, string>> = {
  memory: 'Save this note?',
  skill: 'Save this skill?',
  project: 'Write this file?',
  send: 'Send this?',
};

export function taintTitle(change: Exclude<Change, 'job'>, source: string): string {
  return `This turn read text from ${source}. ${QUESTIONS[change]}`;
}

const inside = (path: string, root: string) => path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
