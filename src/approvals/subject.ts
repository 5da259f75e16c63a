import { createHash } from 'node:crypto';
import type { RunContext } from '../contract/run.ts';
import type { Finding, Tool } from '../contract/tool.ts';
import type { Guard } from '../store/approvals.ts';
import { canonicalJson } from '../store/audit.ts';
import type { Analysis, Detector, Facts } from './analysis.ts';
import { denyTexts } from './deny-rules.ts';
import { type CallShape, digestShape, shellShape } from './grant-cover.ts';
import { inputText } from './input-text.ts';
import { linkFindings } from './link-findings.ts';
import { scriptFinding, taintFinding, taintTitle, toolFinding } from './own-findings.ts';
import { pathFindings } from './path-findings.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import type { RealPath } from './real-paths.ts';

/** One call as it is judged: which guard, which text, what was found. */
export interface Subject {
  readonly guard: Guard;
  readonly tool: Tool;
  readonly input: unknown;
  /** The exact text judged, shown and digested. */
  readonly command: string;
  readonly language: string | undefined;
  /** First line of the card, where it is a special one. */
  readonly title: string | undefined;
  readonly cwd: string;
  readonly backend: string;
  /** The call itself runs where it cannot reach the host. */
  readonly isolated: boolean;
  /** Strictest first. */
  readonly findings: readonly Finding[];
  readonly analysis: Analysis | undefined;
  readonly sudoStdin: boolean;
  readonly denyTexts: readonly string[];
  /** SHA-256, hex: the same call, wherever it is seen. */
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
  readonly realPath: RealPath;
}

/** Finds out what a call would do. The tool's own `command`, `code`, `paths` and `findings` are pure; only links are looked up. */
export async function subjectOf(
  tool: Tool,
  input: unknown,
  run: RunContext | undefined,
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const command = tool.command?.(input);
  if (command !== undefined) {
    const cwd = (run && tool.cwd?.(input, run)) ?? place.facts.cwd;
    return shellSubject(tool, input, command, detector, { ...place, facts: { ...place.facts, cwd } });
  }
  const code = tool.code?.(input);
  return code ? codeSubject(tool, input, code, detector, place) : toolSubject(tool, input, detector, place);
}

async function shellSubject(
  tool: Tool,
  input: unknown,
  command: string,
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const { facts, backend, hides } = place;
  const analysis = await detector.analyze(command, facts);
  const links = backend.name === 'local' ? await linkFindings(analysis, facts, detector, place.realPath) : [];
  const findings = ordered([...analysis.findings, ...links, ...ofTool(tool, input, command, place)]);
  const assignments = analysis.commands.flatMap((one) => one.assignments);
  return {
    ...common(tool, input, command, place),
    ...{ guard: 'shell', language: undefined, backend: backend.name, isolated: backend.isolated, findings, analysis },
    sudoStdin: analysis.sudoStdin,
    denyTexts: [...denyTexts(command, analysis), `tool:${tool.name}`],
    digest: digestOf({ guard: 'shell', command, cwd: facts.cwd, assignments, backend: backend.name }),
    shape: shellShape({ ...analysis, findings }, { backend: backend.name, shapeOf: detector.shapeOf }, hides),
  };
}

async function codeSubject(
  tool: Tool,
  input: unknown,
  { language, source }: { readonly language: string; readonly source: string },
  detector: Detector,
  place: SubjectPlace,
): Promise<Subject> {
  const { facts, backend, config } = place;
  const analysis = await detector.scanCode(language, source, facts);
  const script = config.execute_code === 'ask' || !analysis.readable ? [scriptFinding(source)] : [];
  const findings = ordered([...analysis.findings, ...script, ...ofTool(tool, input, source, place)]);
  const digest = digestOf({ guard: 'code', command: source, language, cwd: facts.cwd, backend: backend.name });
  return {
    ...common(tool, input, source, place),
    ...{ guard: 'code', language, backend: backend.name, isolated: backend.isolated, findings, analysis, digest },
    sudoStdin: analysis.sudoStdin,
    denyTexts: [...denyTexts(source, undefined), ...denyTexts(source, analysis), `tool:${tool.name}`],
    shape: digestShape(findings, { cwd: facts.cwd, backend: backend.name, digest }, 'it runs code'),
  };
}

async function toolSubject(tool: Tool, input: unknown, detector: Detector, place: SubjectPlace): Promise<Subject> {
  const { cwd } = place.facts;
  const command = inputText(tool.name, input);
  const silent = tool.paths === undefined && tool.findings === undefined;
  const findings = ordered([
    ...(await pathFindings(tool.paths?.(input) ?? [], command, detector, place)),
    ...(silent && (tool.effects === 'write' || tool.effects === 'exec') ? [toolFinding(tool, command)] : []),
    ...ofTool(tool, input, command, place),
  ]);
  const digest = digestOf({ guard: 'tool', tool: tool.name, input, cwd });
  return {
    ...common(tool, input, command, place),
    ...{ guard: 'tool', language: undefined, backend: 'local', isolated: false, findings, analysis: undefined, digest },
    sudoStdin: false,
    denyTexts: [`tool:${tool.name}`],
    shape: digestShape(findings, { cwd, backend: 'local', digest }, 'it is no command'),
  };
}

function common(tool: Tool, input: unknown, command: string, { facts, taint }: SubjectPlace) {
  const change = tool.change?.(input);
  const title = taint === undefined || change === undefined || change === 'job' ? undefined : taintTitle(change, taint);
  return { tool, input, command, title, cwd: facts.cwd };
}

/** What the tool itself says, and a lasting change in a turn that read untrusted text. */
function ofTool(tool: Tool, input: unknown, text: string, { taint }: SubjectPlace): readonly Finding[] {
  const tainted = taintFinding(tool.change?.(input), taint, text);
  return [...(tool.findings?.(input) ?? []), ...(tainted ? [tainted] : [])];
}

function ordered(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => Number(b.grade === 'hardline') - Number(a.grade === 'hardline'));
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
