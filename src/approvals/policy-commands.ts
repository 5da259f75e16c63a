import type { Clock } from '../contract/clock.ts';
import type { Inbound } from '../contract/message.ts';
import type { GrantRow } from '../store/grants.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { actorKey } from './actor-key.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type GrantChange, GrantDesk } from './grant-desk.ts';
import { code, plain } from './markdown.ts';
import type { ApprovalsConfig } from './policy-config.ts';
import type { Redactor } from './redact.ts';
import { visible } from './visible.ts';
import { minutes } from './wording.ts';

export interface PolicyCommandDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly trail: AuditTrail;
  readonly config: () => ApprovalsConfig;
  readonly redactor: () => Redactor;
  readonly time: (at: number) => string;
  readonly folder: (path: string) => string;
}

/** `/yolo` and `/grants`; each returns what the person reads, in Markdown. Call them inside a transaction. */
export interface PolicyCommands {
  yolo(args: string, from: Inbound, session: SessionRow | undefined): string;
  grants(args: string, from: Inbound, session: SessionRow | undefined): string;
}

const SHORT_ID = 6;
const LISTED = 20;

export function createPolicyCommands(deps: PolicyCommandDeps): PolicyCommands {
  const desk = new GrantDesk(deps);
  return {
    yolo: (args, from, session) => yolo(deps, desk, args, from, session),
    grants: (args, from, session) => grants(deps, desk, args, from, session),
  };
}

function yolo(
  { store, clock, trail, config, time }: PolicyCommandDeps,
  desk: GrantDesk,
  args: string,
  { by }: Inbound,
  session: SessionRow | undefined,
): string {
  const { yolo_minutes, who } = config();
  const word = args.trim().toLowerCase();
  if (word !== '' && word !== 'on' && word !== 'off') return 'Write /yolo or /yolo off.';
  if (!session) return 'There is no conversation here yet; write something first.';
  const own = session.owner === actorKey(by) && who === 'requester_or_approver';
  if (!own && !desk.isApprover(by)) return 'Only who opened this conversation or an approver can use /yolo here.';
  if (word !== 'off' && isShared(session) && !desk.isApprover(by))
    return 'Others ask here too: only an approver can switch on /yolo in a shared conversation.';
  if (word === 'off') {
    store.sessions.setYolo(session.id, null);
    trail.write('yolo', { actor: by, detail: `off, session ${session.id}` }, clock.now());
    return 'Yolo is off. Dangerous commands are asked about again.';
  }
  if (yolo_minutes === 0) return 'approvals.yolo\\_minutes is 0: there is no /yolo here.';
  const until = clock.now() + yolo_minutes * 60_000;
  store.sessions.setYolo(session.id, until);
  trail.write('yolo', { actor: by, detail: `${yolo_minutes} min, session ${session.id}` }, clock.now());
  return (
    `Yolo for ${minutes(yolo_minutes)}, until ${time(until)}: dangerous commands of this conversation run without asking. ` +
    'What never runs still never runs. /yolo off ends it.'
  );
}

/** Whether the requester of a turn may be somebody else than who opened it: its key names no person. */
function isShared({ direct, key, owner }: SessionRow): boolean {
  return !direct && key.split(':').at(-1) !== `u${owner.slice(owner.indexOf(':') + 1)}`;
}

function grants(
  deps: PolicyCommandDeps,
  desk: GrantDesk,
  args: string,
  from: Inbound,
  session: SessionRow | undefined,
): string {
  const [verb, id, on] = args.trim().toLowerCase().split(/\s+/);
  if (verb === '' || verb === undefined) return listed(deps, desk.visible(from.by, session?.id));
  if (verb === 'revoke' && id !== undefined) return changed(desk.revoke(id, from.by), 'Revoked');
  if (verb === 'jobs' && id !== undefined && (on === 'on' || on === 'off')) {
    if (!from.direct) return 'Only in a direct chat with me.';
    return changed(desk.setJobs(id, on === 'on', from.by), on === 'on' ? 'Jobs may use' : 'Jobs may no longer use');
  }
  return 'Write /grants, /grants revoke <id> or /grants jobs <id> on|off.'.replace(/[<>|]/g, '\\$&');
}

function listed(deps: PolicyCommandDeps, rows: readonly GrantRow[]): string {
  if (rows.length === 0) return 'Nothing is allowed in advance.';
  const more = rows.length > LISTED ? [`and ${rows.length - LISTED} more`] : [];
  return [...rows.slice(0, LISTED).map((row) => line(deps, row)), ...more].join('\n');
}

function line({ redactor, time, folder }: PolicyCommandDeps, grant: GrantRow): string {
  const { id, kind, argv, rule, cwd, expiresAt, uses, jobs, digest } = grant;
  const what = digest === null ? code(visible(redactor().text([...grant.wrappers, ...argv].join(' ')))) : plain(rule);
  const until = expiresAt === null ? '' : `, until ${time(expiresAt)}`;
  const reach = kind === 'always' && jobs ? ' (jobs too)' : '';
  return `\`${id.slice(0, SHORT_ID)}\` ${kind}${reach}: ${what} in ${plain(folder(cwd))}${until}, used ${uses} times`;
}

function changed(change: GrantChange, done: string): string {
  switch (change.kind) {
    case 'done':
      return `${done} ${code(change.grant.argv.join(' ')) || plain(change.grant.rule)}.`;
    case 'unknown':
      return 'I know no grant with this id. /grants lists them.';
    case 'ambiguous':
      return 'Several grants begin like this; write more of the id.';
    case 'not-yours':
      return 'Only who gave it or an approver can do that.';
    case 'not-always':
      return 'Only an Always can be opened to jobs.';
  }
}
