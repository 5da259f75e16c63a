import type { Analysis } from '../approvals/analysis.ts';
import { choices } from '../approvals/choices.ts';
import { type Decision, decide } from '../approvals/decide.ts';
import { denyRule, denyTexts } from '../approvals/deny-rules.ts';
import { type CallShape, shellShape } from '../approvals/grant-cover.ts';
import type { ApprovalsConfig } from '../approvals/policy-config.ts';
import { createRedactor } from '../approvals/redact.ts';
import { grantableShape } from '../approvals/rules/all.ts';
import { visible } from '../approvals/visible.ts';
import type { Authority } from '../context/authority.ts';
import type { Choice } from '../store/approvals.ts';

/** Who might run it: a person in a chat or at a terminal, a job, a webhook, a delegated worker, or code without a run. */
export const AUTHORITIES = ['chat', 'cli', 'cron', 'unattended', 'worker', 'nobody'] as const;
export type AuthorityName = (typeof AUTHORITIES)[number];

/** A command, what was found in it, and what would be decided for everybody. */
export interface Explained {
  readonly command: string;
  readonly analysis: Analysis;
  readonly decisions: Readonly<Record<AuthorityName, Decision>>;
  /** What a card in a chat would offer; empty where nothing is asked. */
  readonly offered: readonly Choice[];
  /** Why nothing standing can be granted, or null. */
  readonly bar: string | null;
}

const PERSON = { platform: 'cli', id: 'somebody', name: 'somebody' };

const WHO: Readonly<Record<AuthorityName, Authority>> = {
  chat: { who: 'person', actor: PERSON, depth: 0 },
  cli: { who: 'person', actor: 'terminal', depth: 0 },
  cron: { who: 'cron', mode: undefined },
  unattended: { who: 'unattended' },
  worker: { who: 'person', actor: PERSON, depth: 1 },
  nobody: { who: 'nobody' },
};

/** Decides as the gate would for a shell call on this machine, without grants and without yolo. */
export function explained(command: string, analysis: Analysis, config: ApprovalsConfig): Explained {
  const redactor = createRedactor(config.redact_patterns);
  const hides = (word: string) => redactor.text(word) !== word || visible(word) !== word;
  const shape = shellShape(analysis, { backend: 'local', shapeOf: grantableShape }, hides);
  const input = {
    findings: analysis.findings,
    sudoStdin: analysis.sudoStdin,
    denyRule: denyRule(config.deny, denyTexts(command, analysis)),
    isolated: false,
    yolo: false,
    grant: undefined,
    jobListed: isListed(shape, config),
    callback: false,
    guardian: undefined,
    config,
  };
  const decisions = Object.fromEntries(
    AUTHORITIES.map((name) => [name, decide({ ...input, authority: WHO[name] })]),
  ) as Record<AuthorityName, Decision>;
  const { chat } = decisions;
  const bar = shape.bar;
  const offered =
    chat.kind === 'ask' ? choices({ guard: 'shell', runKind: 'chat', decision: chat, bar, whole: true, config }) : [];
  return { command, analysis, decisions, offered, bar };
}

/** `job_allow` names exactly this command for each of its rules. */
function isListed({ templates }: CallShape, { job_allow }: ApprovalsConfig): boolean {
  const key = (words: readonly string[]) => JSON.stringify(words);
  return (
    templates.length > 0 &&
    templates.every(
      (one) =>
        one.wrappers.length === 0 &&
        one.assignments.length === 0 &&
        job_allow.some(
          (entry) => entry.rule === one.rule && entry.cwd === one.cwd && key(entry.argv) === key(one.argv),
        ),
    )
  );
}
