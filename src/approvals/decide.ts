import type { Authority } from '../context/authority.ts';
import type { CronMode } from '../contract/run.ts';
import type { Finding } from '../contract/tool.ts';
import { type ApprovalsConfig, ruleListed } from './policy-config.ts';

/** The keys of `approvals:` a decision depends on. */
export type DecideConfig = Pick<
  ApprovalsConfig,
  'mode' | 'cron_mode' | 'unattended_mode' | 'subagent_mode' | 'two_person' | 'guardian'
>;

export type GrantKind = 'session' | 'timed' | 'always' | 'job';

/** What the caller looked up about one call; `decide` itself reads nothing. */
export interface PolicyInput {
  readonly authority: Authority;
  /** Strictest first. */
  readonly findings: readonly Finding[];
  /** sudo would read a password from stdin. */
  readonly sudoStdin: boolean;
  /** The first rule of `approvals.deny` that fits. */
  readonly denyRule: string | undefined;
  /** The call itself runs in a backend that cannot reach the host. */
  readonly isolated: boolean;
  /** Yolo of this session or of this boot. */
  readonly yolo: boolean;
  /** A live grant that covers every finding in this session or job. */
  readonly grant: { readonly kind: GrantKind; readonly jobs: boolean } | undefined;
  /** `job_allow` lists exactly this command. */
  readonly jobListed: boolean;
  /** The worker brought its own way to ask. */
  readonly callback: boolean;
  /** What the guardian model said; undefined: nobody asked it yet. */
  readonly guardian: 'approve' | 'deny' | 'escalate' | undefined;
  readonly config: DecideConfig;
}

export const LABELS = [
  'block:hardline',
  'block:sudo-stdin',
  'block:user-deny',
  'allow:safe',
  'allow:container',
  'block:no-human',
  'block:person-only',
  'block:two-person',
  'allow:yolo',
  'allow:mode-off',
  'allow:session',
  'allow:timed',
  'allow:always',
  'allow:job',
  'allow:job-list',
  'allow:cron',
  'allow:unattended',
  'allow:subagent',
  'allow:smart',
  'block:cron',
  'block:unattended',
  'block:subagent',
  'ask:origin',
  'ask:callback',
  'ask:guardian',
  'ask:chat',
  'ask:cli',
] as const;
export type Label = (typeof LABELS)[number];

export interface Decision {
  readonly kind: 'allow' | 'ask' | 'block';
  /** Stands in log, card and audit. */
  readonly label: Label;
  /** The rule that decided: a finding's, or the text of a deny rule; `safe` without any. */
  readonly rule: string;
  /** One sentence without a closing dot. */
  readonly why: string;
  /** Ask: only Once and Deny may be offered. */
  readonly onceOnly: boolean;
  /** Ask: how many different people must say yes. */
  readonly people: 1 | 2;
  /** Ask: the guardian advises against it. */
  readonly advised: boolean;
}

/** Whether a call runs, who is asked, or why it never runs: the table of approvals.md section 2, first row that applies. */
export function decide(input: PolicyInput): Decision {
  return floor(input) ?? peopleOnly(input) ?? byAuthority(input);
}

/** Rows 1-6: what holds for everybody. */
function floor(input: PolicyInput): Decision | undefined {
  const hardline = input.findings.find((finding) => finding.grade === 'hardline');
  if (hardline) return outcome('block:hardline', hardline);
  if (input.sudoStdin) return outcome('block:sudo-stdin', SUDO_STDIN);
  if (input.denyRule !== undefined) return outcome('block:user-deny', denied(input.denyRule));
  if (input.findings.length === 0) return outcome('allow:safe', SAFE);
  if (input.isolated) return outcome('allow:container', first(input));
  if (input.authority.who === 'nobody') return outcome('block:no-human', first(input));
  return undefined;
}

/** Rows 7 and 8: what neither grants nor modes may answer. */
function peopleOnly(input: PolicyInput): Decision | undefined {
  const asked = personAsked(input.authority);
  const only = input.findings.find((finding) => finding.personOnly);
  if (only) return outcome(asked ?? 'block:person-only', only, { onceOnly: true });
  const two = input.findings.find((finding) => ruleListed(finding.rule, input.config.two_person));
  if (two) return outcome(asked ?? 'block:two-person', two, { onceOnly: true, people: 2 });
  return undefined;
}

/** Rows 9-13. */
function byAuthority(input: PolicyInput): Decision {
  const { authority, config } = input;
  if (authority.who === 'cron') return outcome(cron(input, authority.mode ?? config.cron_mode), first(input));
  if (authority.who !== 'person') {
    return outcome(config.unattended_mode === 'approve' ? 'allow:unattended' : 'block:unattended', first(input));
  }
  if (input.yolo) return outcome('allow:yolo', first(input));
  if (config.mode === 'off') return outcome('allow:mode-off', first(input));
  if (authority.depth >= 1) return outcome(worker(input, authority.actor === 'terminal'), first(input));
  return person(input, authority.actor === 'terminal' ? 'ask:cli' : 'ask:chat');
}

function cron({ grant, jobListed }: PolicyInput, mode: CronMode): Label {
  if (grant?.kind === 'job') return 'allow:job';
  if (grant?.kind === 'always' && grant.jobs) return 'allow:always';
  switch (mode) {
    case 'deny':
      return 'block:cron';
    case 'allowlist':
      return jobListed ? 'allow:job-list' : 'block:cron';
    case 'ask':
      return 'ask:origin';
    case 'approve':
      return 'allow:cron';
  }
}

function worker(input: PolicyInput, terminal: boolean): Label {
  if (input.callback) return 'ask:callback';
  switch (input.config.subagent_mode) {
    case 'deny':
      return 'block:subagent';
    case 'approve':
      return 'allow:subagent';
    case 'ask':
      return granted(input) ?? (terminal ? 'block:subagent' : 'ask:chat');
  }
}

function person(input: PolicyInput, asked: Label): Decision {
  const label = granted(input);
  if (label) return outcome(label, first(input));
  if (!guarded(input)) return outcome(asked, first(input));
  if (input.guardian === undefined) return outcome('ask:guardian', first(input));
  if (input.guardian === 'approve') return outcome('allow:smart', first(input));
  const advised = input.guardian === 'deny';
  return outcome(asked, first(input), { onceOnly: advised, advised });
}

/** A chat's own grants; one made for a job answers no person's call. */
function granted({ grant }: PolicyInput): Label | undefined {
  return grant === undefined || grant.kind === 'job' ? undefined : `allow:${grant.kind}`;
}

function guarded({ config, findings }: PolicyInput): boolean {
  return config.mode === 'smart' && config.guardian.model !== undefined && findings.every((finding) => finding.smart);
}

function personAsked(authority: Authority): Label | undefined {
  if (authority.who !== 'person' || authority.depth > 0) return undefined;
  return authority.actor === 'terminal' ? 'ask:cli' : 'ask:chat';
}

type Reason = Pick<Decision, 'rule' | 'why'>;

const SAFE: Reason = { rule: 'safe', why: 'nothing to approve' };
const SUDO_STDIN: Reason = { rule: 'sudo-stdin', why: 'sudo may not be fed a password' };
const denied = (rule: string): Reason => ({ rule, why: `your rule "${rule}" in approvals.deny forbids it` });
const first = ({ findings }: PolicyInput): Reason => findings[0] ?? SAFE;

function outcome(label: Label, { rule, why }: Reason, ask: Partial<Decision> = {}): Decision {
  const kind = label.slice(0, label.indexOf(':')) as Decision['kind'];
  const narrowed = kind === 'ask' ? ask : {};
  return { kind, label, rule, why, onceOnly: false, people: 1, advised: false, ...narrowed };
}
