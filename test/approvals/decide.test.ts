import { describe, expect, it } from 'vitest';
import { decide, LABELS, type PolicyInput } from '../../src/approvals/decide.ts';
import { ruleListed } from '../../src/approvals/policy-config.ts';
import type { Authority } from '../../src/context/authority.ts';
import type { Finding } from '../../src/contract/tool.ts';
import { APPROVALS_DEFAULTS } from '../fakes/approvals-config.ts';
import { person } from '../fakes/runs.ts';

const finding = (rule: string, more: Partial<Finding> = {}): Finding => {
  return { rule, grade: 'dangerous', span: [0, 1], why: rule, personOnly: false, smart: false, ...more };
};

const AUTHORITIES: readonly Authority[] = [
  ...[0, 1, 2].flatMap((depth): Authority[] => [
    { who: 'person', actor: person('ann'), depth },
    { who: 'person', actor: 'terminal', depth },
  ]),
  ...([undefined, 'deny', 'allowlist', 'ask', 'approve'] as const).map((mode): Authority => ({ who: 'cron', mode })),
  { who: 'unattended' },
  { who: 'nobody' },
];

const SEVERITIES: readonly (readonly Finding[])[] = [
  [],
  [finding('fs.delete')],
  [finding('fs.delete', { smart: true })],
  [finding('fs.delete', { smart: true }), finding('net.secret')],
  [finding('shell.unreadable', { personOnly: true })],
  [finding('fs.delete'), finding('self.stop', { personOnly: true })],
  [finding('git.force')],
  [finding('fs.wipe', { grade: 'hardline' }), finding('self.stop', { personOnly: true })],
];

const GRANTS: readonly PolicyInput['grant'][] = [
  undefined,
  { kind: 'session', jobs: false },
  { kind: 'timed', jobs: false },
  { kind: 'always', jobs: false },
  { kind: 'always', jobs: true },
  { kind: 'job', jobs: true },
];

const MODES = ['manual', 'smart', 'off'] as const;
const CRON = ['deny', 'allowlist', 'ask', 'approve'] as const;
const SUBAGENT = ['deny', 'approve', 'ask'] as const;
const VERDICTS = [undefined, 'approve', 'deny', 'escalate'] as const;
const FLAGS = [false, true];

function* product(): Generator<PolicyInput> {
  for (const authority of AUTHORITIES)
    for (const findings of SEVERITIES)
      for (const grant of GRANTS)
        for (const mode of MODES)
          for (const cron_mode of CRON)
            for (const subagent_mode of SUBAGENT)
              for (const guardian of VERDICTS)
                for (let bits = 0; bits < 64; bits++) {
                  const flag = (n: number) => FLAGS[(bits >> n) & 1] as boolean;
                  yield {
                    authority,
                    findings,
                    grant,
                    guardian,
                    sudoStdin: flag(0) && flag(1),
                    denyRule: flag(0) && !flag(1) ? 'git push *' : undefined,
                    isolated: !flag(0) && flag(1),
                    yolo: flag(2),
                    jobListed: flag(3),
                    callback: flag(4),
                    config: {
                      ...APPROVALS_DEFAULTS,
                      mode,
                      cron_mode,
                      subagent_mode,
                      unattended_mode: flag(5) ? 'approve' : 'deny',
                      two_person: flag(5) ? ['git.*'] : [],
                      guardian: flag(3) ? { model: 'p:small' } : {},
                    },
                  };
                }
}

const top = (i: PolicyInput) => i.authority.who === 'person' && i.authority.depth === 0;
const asked = (i: PolicyInput) =>
  i.authority.who === 'person' && i.authority.actor === 'terminal' ? 'ask:cli' : 'ask:chat';
const cronMode = (i: PolicyInput) => (i.authority.who === 'cron' && i.authority.mode) || i.config.cron_mode;
const forPeople = (i: PolicyInput) => i.grant !== undefined && i.grant.kind !== 'job';
const smart = (i: PolicyInput) =>
  i.config.mode === 'smart' && i.config.guardian.model !== undefined && i.findings.every((f) => f.smart);
const isWorker = (i: PolicyInput) => i.authority.who === 'person' && i.authority.depth >= 1;
const isPerson = (i: PolicyInput) => i.authority.who === 'person';
const isCron = (i: PolicyInput) => i.authority.who === 'cron';

/** The table of the specification, a line a sentence, first line that applies; written without looking at the code. */
const TABLE: readonly [(i: PolicyInput) => boolean, string | ((i: PolicyInput) => string)][] = [
  [(i) => i.findings.some((f) => f.grade === 'hardline'), 'block:hardline'],
  [(i) => i.sudoStdin, 'block:sudo-stdin'],
  [(i) => i.denyRule !== undefined, 'block:user-deny'],
  [(i) => i.findings.length === 0, 'allow:safe'],
  [(i) => i.isolated, 'allow:container'],
  [(i) => i.authority.who === 'nobody', 'block:no-human'],
  [(i) => i.findings.some((f) => f.personOnly) && top(i), asked],
  [(i) => i.findings.some((f) => f.personOnly), 'block:person-only'],
  [(i) => i.findings.some((f) => ruleListed(f.rule, i.config.two_person)) && top(i), asked],
  [(i) => i.findings.some((f) => ruleListed(f.rule, i.config.two_person)), 'block:two-person'],
  [(i) => isPerson(i) && i.yolo, 'allow:yolo'],
  [(i) => isPerson(i) && i.config.mode === 'off', 'allow:mode-off'],
  [(i) => isCron(i) && i.grant?.kind === 'job', 'allow:job'],
  [(i) => isCron(i) && i.grant?.kind === 'always' && i.grant.jobs, 'allow:always'],
  [(i) => isCron(i) && cronMode(i) === 'approve', 'allow:cron'],
  [(i) => isCron(i) && cronMode(i) === 'ask', 'ask:origin'],
  [(i) => isCron(i) && cronMode(i) === 'allowlist' && i.jobListed, 'allow:job-list'],
  [isCron, 'block:cron'],
  [(i) => i.authority.who === 'unattended' && i.config.unattended_mode === 'approve', 'allow:unattended'],
  [(i) => i.authority.who === 'unattended', 'block:unattended'],
  [(i) => isWorker(i) && i.callback, 'ask:callback'],
  [(i) => isWorker(i) && i.config.subagent_mode === 'approve', 'allow:subagent'],
  [(i) => isWorker(i) && i.config.subagent_mode === 'ask' && forPeople(i), (i) => `allow:${i.grant?.kind}`],
  [(i) => isWorker(i) && i.config.subagent_mode === 'ask' && asked(i) === 'ask:chat', 'ask:chat'],
  [isWorker, 'block:subagent'],
  [forPeople, (i) => `allow:${i.grant?.kind}`],
  [(i) => smart(i) && i.guardian === undefined, 'ask:guardian'],
  [(i) => smart(i) && i.guardian === 'approve', 'allow:smart'],
  [() => true, asked],
];

function byTable(input: PolicyInput): string {
  const row = TABLE.find(([applies]) => applies(input));
  if (!row) throw new Error('no row applies');
  return typeof row[1] === 'string' ? row[1] : row[1](input);
}

describe('decide', () => {
  it('is the table over its whole product, and nothing a mode or a yes can do passes the floor', () => {
    const seen = new Set<string>();
    let count = 0;
    for (const input of product()) {
      count++;
      const { label, kind } = decide(input);
      seen.add(label);
      if (label !== byTable(input)) expect({ input, label }).toEqual({ input, label: byTable(input) });
      if (!label.startsWith(`${kind}:`)) expect(label).toContain(kind);
    }
    expect(count).toBe(AUTHORITIES.length * SEVERITIES.length * GRANTS.length * 3 * 4 * 3 * 4 * 64);
    expect([...seen].sort()).toEqual([...LABELS].sort());
  });

  const base = {
    findings: [finding('fs.delete')],
    sudoStdin: false,
    denyRule: undefined,
    isolated: false,
    yolo: false,
    grant: undefined,
    jobListed: false,
    callback: false,
    guardian: undefined,
    config: APPROVALS_DEFAULTS,
  } satisfies Partial<PolicyInput>;
  const ann: Authority = { who: 'person', actor: person('ann'), depth: 0 };

  it('yolo and mode off reach people only', () => {
    for (const authority of AUTHORITIES.filter(({ who }) => who !== 'person')) {
      const off = { ...APPROVALS_DEFAULTS, mode: 'off' as const };
      expect(decide({ ...base, authority, yolo: true, config: off })).toEqual(decide({ ...base, authority }));
    }
  });

  it('names the rule that decided: the finding, the deny rule, sudo', () => {
    const only = finding('self.stop', { personOnly: true });
    expect(decide({ ...base, authority: ann, findings: [...base.findings, only] })).toMatchObject({
      rule: 'self.stop',
    });
    expect(decide({ ...base, authority: ann, denyRule: 'git push *' })).toMatchObject({
      rule: 'git push *',
      why: 'your rule "git push *" in approvals.deny forbids it',
    });
    expect(decide({ ...base, authority: ann, sudoStdin: true })).toMatchObject({ rule: 'sudo-stdin' });
    expect(decide({ ...base, authority: ann })).toMatchObject({ rule: 'fs.delete', why: 'fs.delete' });
    expect(decide({ ...base, authority: ann, findings: [] })).toMatchObject({ rule: 'safe' });
  });

  it('narrows a card to Once and Deny for person-only rules, two people and what the guardian advises against', () => {
    const smartRule = [finding('fs.delete', { smart: true })];
    const config = { ...APPROVALS_DEFAULTS, mode: 'smart' as const, guardian: { model: 'p:small' } };
    const two = { ...APPROVALS_DEFAULTS, two_person: ['fs.delete'] };
    const pick = ({ onceOnly, people, advised }: ReturnType<typeof decide>) => ({ onceOnly, people, advised });
    expect(pick(decide({ ...base, authority: ann }))).toEqual({ onceOnly: false, people: 1, advised: false });
    const unreadable = [finding('shell.unreadable', { personOnly: true })];
    const narrow = { onceOnly: true, people: 1, advised: false };
    expect(pick(decide({ ...base, authority: ann, findings: unreadable }))).toEqual(narrow);
    expect(pick(decide({ ...base, authority: ann, config: two }))).toEqual({ ...narrow, people: 2 });
    const advised = decide({ ...base, authority: ann, config, findings: smartRule, guardian: 'deny' });
    expect(pick(advised)).toEqual({ ...narrow, advised: true });
    const unsure = decide({ ...base, authority: ann, config, findings: smartRule, guardian: 'escalate' });
    expect(pick(unsure)).toEqual({ onceOnly: false, people: 1, advised: false });
  });
});

describe('ruleListed', () => {
  it.each([
    ['git.force', ['git.force'], true],
    ['git.force', ['git.*'], true],
    ['github.force', ['git.*'], false],
    ['git.force', ['git'], false],
    ['git.force', ['*'], false],
    ['git.force', [], false],
  ])('%s in %j: %s', (rule, list, expected) => {
    expect(ruleListed(rule, list)).toBe(expected);
  });
});
