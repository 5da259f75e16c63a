import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decide, type PolicyInput } from '../src/approvals/decide.ts';
import type { ApprovalsConfig } from '../src/approvals/policy-config.ts';
import { approvals } from '../src/config/sections/approvals.ts';
import type { Authority } from '../src/context/authority.ts';
import type { Finding } from '../src/contract/tool.ts';

const BEGIN = '<!-- truth:begin -->';
const END = '<!-- truth:end -->';

const DEFAULTS: ApprovalsConfig = approvals.parse({});

const finding = (more: Partial<Finding> = {}): Finding => {
  return { rule: 'fs.delete', grade: 'dangerous', span: [0, 1], why: '', personOnly: false, smart: true, ...more };
};

type Case = Partial<Omit<PolicyInput, 'config'>> & { readonly config?: Partial<ApprovalsConfig> };

const ann = { platform: 'telegram', id: '1', name: 'Ann' };
const person = (actor: typeof ann | 'terminal', depth = 0): Authority => ({ who: 'person', actor, depth });
const cron = (mode: ApprovalsConfig['cron_mode']): [string, Authority, Case?] => [
  `a job, \`cron_mode: ${mode}\``,
  { who: 'cron', mode },
];

const ROWS: readonly [string, Authority, Case?][] = [
  ['a chat', person(ann)],
  ['a terminal (one-shot)', person('terminal')],
  ['a chat, `mode: smart`', person(ann), { config: { mode: 'smart', guardian: { model: 'p:small' } } }],
  ['a worker of a chat, `subagent_mode: deny`', person(ann, 1)],
  ['a worker of a chat, `subagent_mode: ask`', person(ann, 1), { config: { subagent_mode: 'ask' } }],
  ['a worker of a chat, `subagent_mode: approve`', person(ann, 1), { config: { subagent_mode: 'approve' } }],
  ['a worker of a terminal, `subagent_mode: ask`', person('terminal', 1), { config: { subagent_mode: 'ask' } }],
  cron('deny'),
  cron('allowlist'),
  cron('ask'),
  cron('approve'),
  ['a webhook or the API, `unattended_mode: deny`', { who: 'unattended' }],
  [
    'a webhook or the API, `unattended_mode: approve`',
    { who: 'unattended' },
    { config: { unattended_mode: 'approve' } },
  ],
  ['no run at all', { who: 'nobody' }],
];

const COLUMNS: readonly [string, Case][] = [
  ['nothing found', { findings: [] }],
  ['dangerous', {}],
  ['and Always was pressed in the chat', { grant: { kind: 'always', jobs: false } }],
  ['and a grant for jobs covers it', { grant: { kind: 'always', jobs: true } }],
  ['and it is in `job_allow`', { jobListed: true }],
  ['and `/yolo` is on', { yolo: true }],
  ['and `mode: off`', { config: { mode: 'off' } }],
  ['person-only rule', { findings: [finding({ personOnly: true })] }],
  ['rule in `two_person`', { config: { two_person: ['fs.*'] } }],
  ['in an isolated container', { isolated: true }],
  ['hardline, `sudo -S`, `approvals.deny`', { findings: [finding({ grade: 'hardline' })] }],
];

const WORDS: Readonly<Record<string, string>> = {
  'ask:chat': 'asks in the chat',
  'ask:cli': 'asks in the terminal',
  'ask:origin': 'asks the owner',
  'ask:guardian': 'asks the guardian model',
};

function cell(authority: Authority, row: Case | undefined, column: Case): string {
  const { config: rowConfig, ...rowFacts } = row ?? {};
  const { config: columnConfig, ...columnFacts } = column;
  const { kind, label, people, onceOnly } = decide({
    findings: [finding()],
    sudoStdin: false,
    denyRule: undefined,
    isolated: false,
    yolo: false,
    grant: undefined,
    jobListed: false,
    callback: false,
    guardian: undefined,
    ...rowFacts,
    ...columnFacts,
    authority,
    config: { ...DEFAULTS, ...rowConfig, ...columnConfig },
  });
  if (kind === 'allow') return 'runs';
  if (kind === 'block') return '**refused**';
  const asks = WORDS[label] ?? label;
  return people === 2 ? `${asks}, two people` : onceOnly ? `${asks}, once` : asks;
}

/** Who is asked when: made from `decide`, so it cannot say anything else. */
export function truthTable(): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = ['the call comes from', ...COLUMNS.map(([name]) => name)];
  const rows = ROWS.map(([name, authority, facts]) => {
    return line([name, ...COLUMNS.map(([, column]) => cell(authority, facts, column))]);
  });
  return [line(head), line(head.map(() => '---')), ...rows].join('\n');
}

/** A document with the table between its markers; throws where the markers are missing. */
export function withTruthTable(document: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`README.md needs the lines ${BEGIN} and ${END}.`);
  return `${document.slice(0, begin + BEGIN.length)}\n${truthTable()}\n${document.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = new URL('../README.md', import.meta.url);
  writeFileSync(path, withTruthTable(readFileSync(path, 'utf8')));
}
