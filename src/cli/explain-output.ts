import type { ResolvedCommand } from '../approvals/analysis.ts';
import { gateRules } from '../approvals/own-findings.ts';
import { allFindings } from '../approvals/rules/all.ts';
import { visible } from '../approvals/visible.ts';
import type { Finding } from '../contract/tool.ts';
import { AUTHORITIES, type AuthorityName, type Explained } from './explain-decisions.ts';

const LABEL_WIDTH = 12;

/** The result for people: each finding with its part underlined, what wrappers hid, the commands, the decisions. */
export function explainedLines(result: Explained, as: AuthorityName | undefined): readonly string[] {
  const { analysis } = result;
  return [
    `${label('grade')}${analysis.grade}${analysis.readable ? '' : ', unreadable'}`,
    ...analysis.findings.flatMap((finding) => findingLines(finding, result.command)),
    ...analysis.commands.flatMap(commandLines),
    ...AUTHORITIES.filter((name) => as === undefined || name === as).map((name) => decisionLine(name, result)),
    ...grantLines(result),
  ];
}

const label = (text: string) => text.padEnd(LABEL_WIDTH);

function findingLines(finding: Finding, command: string): readonly string[] {
  const notes = [finding.grade, ...(finding.personOnly ? ['a person only'] : []), ...(finding.smart ? ['smart'] : [])];
  return ['', `${finding.rule} (${notes.join(', ')}): ${finding.why}`, ...underlined(command, finding.span)];
}

/** The lines a span touches, each with its part marked. */
function underlined(command: string, [start, end]: Finding['span']): readonly string[] {
  const out: string[] = [];
  let from = 0;
  for (const line of command.split('\n')) {
    const to = from + line.length;
    const a = Math.max(start, from) - from;
    const b = Math.min(end, to) - from;
    if (start <= to && end > from && b > a) {
      const before = visible(line.slice(0, a)).replaceAll('\t', ' ');
      const marked = visible(line.slice(a, b)).replaceAll('\t', ' ');
      out.push(
        `  ${before}${marked}${visible(line.slice(b))}`,
        `  ${' '.repeat(before.length)}${'^'.repeat(marked.length)}`,
      );
    }
    from = to + 1;
  }
  return out.slice(0, 12);
}

function commandLines(command: ResolvedCommand): readonly string[] {
  const words = command.argv.map((word) => (word === null ? '…' : quoted(word))).join(' ');
  const hidden = command.wrappers.map(({ program, identity }, i) => {
    const inner = [...command.wrappers.slice(i + 1).map((one) => one.program), words].join(' ');
    return `${label('hidden by')}${program}${identity === undefined ? '' : ` (${identity})`}: ${visible(inner)}`;
  });
  const assigned = command.assignments.map(([name, value]) => `${name}=${value ?? '…'} `).join('');
  return [
    '',
    `${label('runs')}${visible(assigned + words)}`,
    `${label('in')}${command.cwd ?? 'a folder that is only known when it runs'}`,
    ...hidden,
  ];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const VERBS = { allow: 'runs', ask: 'asks', block: 'refused' } as const;

function decisionLine(name: AuthorityName, { decisions }: Explained): string {
  const decision = decisions[name];
  const people = decision.kind === 'ask' && decision.people === 2 ? ', two people' : '';
  return `${label(name)}${VERBS[decision.kind].padEnd(8)}${decision.label}${people}${decision.rule === 'safe' ? '' : `  (${decision.rule}: ${decision.why})`}`;
}

function grantLines({ offered, bar }: Explained): readonly string[] {
  if (offered.length === 0) return [];
  return ['', `${label('offered')}${offered.join(', ')}`, ...(bar === null ? [] : [`${label('no more, as')}${bar}`])];
}

/** The result as one line of JSON; shapes as in analysis.ts and decide.ts. */
export function explainedJson({ command, analysis, decisions, offered, bar }: Explained): string {
  const { grade, findings, commands, readable, sudoStdin, code } = analysis;
  const marked = findings.map((finding) => ({ ...finding, text: command.slice(finding.span[0], finding.span[1]) }));
  return JSON.stringify({
    v: 1,
    command,
    grade,
    readable,
    sudoStdin,
    findings: marked,
    argv: commands.map(({ argv }) => argv),
    commands,
    code,
    decisions,
    offered,
    bar,
  });
}

/** Every rule with its grade, as a table or as JSON lines. */
export function ruleLines(json: boolean): readonly string[] {
  const rows = [...allFindings, ...gateRules].sort((a, b) => a.id.localeCompare(b.id));
  if (json) {
    return rows.map(({ id, grade, why, shape, smart, personOnly }) =>
      JSON.stringify({
        v: 1,
        rule: id,
        grade,
        why,
        shape: shape ?? 'exact',
        smart: smart === true,
        personOnly: personOnly === true,
      }),
    );
  }
  const width = Math.max(...rows.map(({ id }) => id.length)) + 2;
  return rows.map(({ id, grade, why, smart, personOnly }) => {
    const notes = [...(personOnly ? ['a person only'] : []), ...(smart ? ['smart'] : [])];
    return `${id.padEnd(width)}${grade.padEnd(11)}${why}${notes.length > 0 ? ` [${notes.join(', ')}]` : ''}`;
  });
}
