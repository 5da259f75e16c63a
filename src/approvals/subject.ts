import { createHash } from 'node:crypto';
import type { RunContext } from '../contract/run.ts';
import type { Finding, PathUse, Tool } from '../contract/tool.ts';
import type { Guard } from '../store/approvals.ts';
import { canonicalJson } from '../store/audit.ts';
import type { Analysis, Facts } from './analysis.ts';
import { denyTexts } from './deny-rules.ts';
import { type CallShape, digestShape, shellShape } from './grant-cover.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import { realUses } from './real-paths.ts';

/** The detector, as the gate needs it. Pure; a large text may take a detour over a worker thread. */
export interface Detector {
  analyze(command: string, facts: Facts): Analysis | Promise<Analysis>;
  scanCode(language: string, source: string, facts: Facts): Analysis | Promise<Analysis>;
  gradePaths(uses: readonly PathUse[], facts: Facts): readonly Finding[];
  /** Whether more words cannot widen what a rule flags. */
  shapeOf(rule: string): 'exact' | 'prefix';
}

/** One call as it is judged: which guard, which text, what was found. */
export interface Subject {
  readonly guard: Guard;
  readonly tool: Tool;
  readonly input: unknown;
  /** The exact text judged, shown and digested. */
  readonly command: string;
  readonly language: string | undefined;
  readonly cwd: string;
  readonly backend: string;
  readonly isolated: boolean;
  readonly findings: readonly Finding[];
  readonly analysis: Analysis | undefined;
  readonly sudoStdin: boolean;
  readonly denyTexts: readonly string[];
  readonly digest: string;
  readonly shape: CallShape;
}

export interface SubjectPlace {
  readonly facts: Facts;
  readonly backend: { readonly name: string; readonly isolated: boolean };
  readonly config: Pick<ApprovalsConfig, 'execute_code'>;
  readonly readOutside: boolean;
  /** Where the turn read untrusted text, or undefined. */
  readonly taint: string | undefined;
  /** A word that the card would not show as it is. */
  readonly hides: (word: string) => boolean;
}

export async function subjectOf(
  tool: Tool,
  input: unknown,
  run: RunContext | undefined,
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const command = tool.command?.(input);
  if (command !== undefined) return shellSubject(tool, input, command, run, detector, place);
  const code = tool.code?.(input);
  if (code !== undefined) return codeSubject(tool, input, code, detector, place);
  return toolSubject(
    tool,
    input,
    await realUses(tool.paths?.(input) ?? [], place.facts.cwd, place.facts.home),
    detector,
    place,
  );
}

async function shellSubject(
  tool: Tool,
  input: unknown,
  command: string,
  run: RunContext | undefined,
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const cwd = (run && tool.cwd?.(input, run)) ?? place.facts.cwd;
  const analysis = await detector.analyze(command, { ...place.facts, cwd });
  const own = [...analysis.findings, ...ownFindings(tool, input, command, place)];
  const { name: backend, isolated } = place.backend;
  const assignments = analysis.commands.flatMap((one) => one.assignments);
  return {
    guard: 'shell',
    tool,
    input,
    command,
    language: undefined,
    cwd,
    backend,
    isolated,
    findings: own,
    analysis,
    sudoStdin: analysis.sudoStdin,
    denyTexts: denyTexts(command, analysis),
    digest: digestOf({ guard: 'shell', command, cwd, assignments, backend }),
    shape: shellShape({ ...analysis, findings: own }, { backend, shapeOf: detector.shapeOf }, place.hides),
  };
}

async function codeSubject(
  tool: Tool,
  input: unknown,
  { language, source }: { readonly language: string; readonly source: string },
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const { cwd } = place.facts;
  const analysis = await detector.scanCode(language, source, place.facts);
  const { name: backend, isolated } = place.backend;
  const digest = digestOf({ guard: 'code', command: source, language, cwd, backend });
  const whole = place.config.execute_code === 'ask' || !analysis.readable ? [scriptFinding(source)] : [];
  const findings = [...analysis.findings, ...whole, ...ownFindings(tool, input, source, place)];
  return {
    guard: 'code',
    tool,
    input,
    command: source,
    language,
    cwd,
    backend,
    isolated,
    findings,
    analysis,
    sudoStdin: analysis.sudoStdin,
    denyTexts: [...denyTexts(source, undefined), ...denyTexts(source, analysis), `tool:${tool.name}`],
    digest,
    shape: digestShape(findings, { cwd, backend, digest }, 'it runs code'),
  };
}

function toolSubject(
  tool: Tool,
  input: unknown,
  uses: readonly PathUse[],
  detector: Detector,
  place: SubjectPlace,
): Subject {
  const { cwd } = place.facts;
  const command = `${tool.name} ${JSON.stringify(input, null, 2)}`;
  const digest = digestOf({ guard: 'tool', tool: tool.name, input });
  const judged = tool.paths !== undefined || tool.findings !== undefined;
  const whole = !judged && (tool.effects === 'write' || tool.effects === 'exec') ? [toolFinding(tool, command)] : [];
  const findings = [
    ...detector.gradePaths(uses, place.facts),
    ...outside(uses, command, place),
    ...whole,
    ...ownFindings(tool, input, command, place),
  ];
  return {
    guard: 'tool',
    tool,
    input,
    command,
    language: 'json',
    cwd,
    backend: 'local',
    isolated: false,
    findings: strictestFirst(findings),
    analysis: undefined,
    sudoStdin: false,
    denyTexts: [`tool:${tool.name}`],
    digest,
    shape: digestShape(findings, { cwd, backend: 'local', digest }, 'it is no command'),
  };
}

/** What the tool itself says, and a protected change in a turn that read untrusted text. */
function ownFindings(tool: Tool, input: unknown, command: string, { taint }: SubjectPlace): readonly Finding[] {
  const change = tool.change?.(input);
  const tainted = taint !== undefined && change !== undefined && change !== 'job';
  return [...(tool.findings?.(input) ?? []), ...(tainted ? [taintFinding(taint, command)] : [])];
}

const whole = (text: string) => [0, text.length] as const;
const dangerous = { grade: 'dangerous', smart: false } as const;

function scriptFinding(source: string): Finding {
  const count = source.split('\n').length;
  const why = `runs a script of ${count} ${count === 1 ? 'line' : 'lines'}`;
  return { ...dangerous, rule: 'code.script', span: whole(source), why, personOnly: false };
}

function toolFinding({ name, effects }: Tool, text: string): Finding {
  const why = effects === 'exec' ? `${name} may run anything` : `${name} changes something outside`;
  return { ...dangerous, rule: 'tool.call', span: whole(text), why, personOnly: false };
}

function taintFinding(source: string, text: string): Finding {
  const why = `changes what lasts after this turn read text from ${source}`;
  return { ...dangerous, rule: 'untrusted.change', span: whole(text), why, personOnly: true };
}

/** Writing outside the work roots is asked; so is reading, unless the operator opened it. */
function outside(uses: readonly PathUse[], text: string, { facts, readOutside }: SubjectPlace): readonly Finding[] {
  const found = uses.find(
    ({ path, use }) => (use === 'write' || !readOutside) && !facts.roots.some((root) => inside(path, root)),
  );
  if (!found) return [];
  const why = `${found.use === 'write' ? 'writes' : 'reads'} ${found.path}, outside the work folders`;
  return [{ ...dangerous, rule: 'files.outside', span: whole(text), why, personOnly: false, smart: true }];
}

const inside = (path: string, root: string) => path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);

function strictestFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => Number(b.grade === 'hardline') - Number(a.grade === 'hardline'));
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
