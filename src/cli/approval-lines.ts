import type { ApprovalView, GrantView } from '../approvals/approval-view.ts';
import { age } from '../gateway/words.ts';

const SHORT = 72;

/** One line a request: code, what waits, who asked, how long it has. */
export function approvalLine(view: ApprovalView, now: number): string {
  const command = (view.command ?? '(text gone)').replace(/\s+/g, ' ');
  const short = command.length > SHORT ? `${command.slice(0, SHORT - 1).toWellFormed()}…` : command;
  return [view.code, standing(view, now), view.findings[0]?.rule ?? view.kind, `${view.requester.name}:`, short].join(
    '  ',
  );
}

function standing({ state, expiresAt, decidedBy, choice }: ApprovalView, now: number): string {
  if (state === 'pending') return `expires in ${age(Date.parse(expiresAt) - now)}`;
  return decidedBy === null ? state : `${state} by ${decidedBy.name}${choice === null ? '' : ` (${choice})`}`;
}

/** The whole card: what would run, why it is asked about, where, for whom, and what may be answered. */
export function approvalCard(view: ApprovalView, now: number): readonly string[] {
  const { command, findings, requester, run, job, worker, cwd, backend, user, effect, bar, reason } = view;
  const whose = [job === null ? '' : `job "${job}"`, worker === null ? '' : `worker: ${worker}`].filter(Boolean);
  return [
    `${view.code}  ${view.id}  ${view.kind}, ${standing(view, now)}`,
    ...(command ?? '(its text is gone: it is over)').split('\n').map((line) => `  ${line}`),
    ...findings.map(({ rule, grade, why }) => `Flagged: ${why} (${rule}, ${grade})`),
    ...(effect === null ? [] : [`Effect: ${effect}`]),
    ...(cwd === '' ? [] : [`Where: ${backend}, ${cwd}${user === null ? '' : `, as ${user}`}`]),
    `Asked by ${requester.name} (${requester.id}), ${[run.kind, ...whose].join(', ')}, in ${view.chat.platform}:${view.chat.chat}`,
    ...(view.advised ? ['The guardian advises against it.'] : []),
    ...(view.people === 2
      ? [`Needs two people; yes so far: ${view.votes.map(({ name }) => name).join(', ') || 'nobody'}`]
      : []),
    ...(view.state === 'pending' ? [`Answers: ${view.choices.join(', ') || 'in its chat'}`] : []),
    ...(bar === null || view.state !== 'pending' ? [] : [`Nothing lasting: ${bar}`]),
    ...(reason === null ? [] : [`Said: ${reason}`]),
  ];
}

/** `k7f2ab  always (jobs too)  rm -rf build  in /proj, used 3 times, by telegram:1` */
export function grantLine(view: GrantView, now: number): string {
  const { id, kind, jobs, command, rule, cwd, uses, actor, expiresAt } = view;
  const until = expiresAt === null ? '' : `, for ${age(Date.parse(expiresAt) - now)} more`;
  const reach = kind === 'always' && jobs ? `${kind} (jobs too)` : kind;
  return `${id.slice(0, 8)}  ${reach}  ${command ?? `one ${rule}`}  in ${cwd}${until}, used ${uses} times, by ${actor}`;
}
