import type { Change, Finding, PathUse, Tool } from '../contract/tool.ts';

/** A finding that only the gate can make: it knows the tool, the turn and the work folders. Ids are stable. */
export interface GateRule {
  readonly id: string;
  readonly grade: 'dangerous';
  readonly personOnly: boolean;
  readonly smart: false;
  readonly shape: 'exact';
  /** One sentence without a closing dot. */
  readonly why: string;
}

const rule = (id: string, why: string, personOnly = false): GateRule => {
  return { id, grade: 'dangerous', personOnly, smart: false, shape: 'exact', why };
};

const SCRIPT = rule('code.script', 'runs a script');
const TOOL = rule('tool.call', 'calls a tool that changes something and says nothing about what');
const OUTSIDE = rule('files.outside', 'reads or writes outside the work folders');
const UNTRUSTED = rule('untrusted.change', 'makes a lasting change after this turn read text of strangers', true);
const REPEAT = rule('turn.repeat', 'repeats a call of this turn whose outcome nobody knows', true);

/** Beside the detector's rules in every list of rules. */
export const gateRules: readonly GateRule[] = [SCRIPT, TOOL, OUTSIDE, UNTRUSTED, REPEAT];

function made({ id, grade, personOnly, smart }: GateRule, text: string, why: string): Finding {
  return { rule: id, grade, personOnly, smart, span: [0, text.length], why };
}

/** A script as a whole, where no scan clears it. */
export function scriptFinding(source: string): Finding {
  const count = source.split('\n').length;
  return made(SCRIPT, source, `runs a script of ${count} ${count === 1 ? 'line' : 'lines'}`);
}

/** A tool that changes something and says nothing about what. */
export function toolFinding({ name, effects }: Tool, text: string): Finding {
  return made(TOOL, text, effects === 'exec' ? `${name} may run anything` : `${name} changes something outside`);
}

/** Writing outside the work roots is asked; so is reading, unless the operator opened it. */
export function outsideFinding(
  { path, use }: PathUse,
  text: string,
  { roots, readOutside }: { readonly roots: readonly string[]; readonly readOutside: boolean },
): Finding | undefined {
  if ((use === 'read' && readOutside) || roots.some((root) => inside(path, root))) return undefined;
  return made(OUTSIDE, text, `${use === 'write' ? 'writes' : 'reads'} ${path}, outside the work folders`);
}

/** A change that lasts, in a turn that read text of strangers; jobs are kept paused instead. */
export function taintFinding(
  change: Change | undefined,
  source: string | undefined,
  text: string,
): Finding | undefined {
  if (source === undefined || change === undefined || change === 'job') return undefined;
  return made(UNTRUSTED, text, `lasts after this turn, which read text from ${source}`);
}

/** The same flagged call of this turn was cut off before. */
export function repeatFinding(text: string): Finding {
  return made(REPEAT, text, 'was cut off before in this turn, and nobody knows whether it took effect');
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
