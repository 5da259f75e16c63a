import type { CronRun } from '../contract/run.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { BrokerDeps } from './broker-deps.ts';
import { offerChoices } from './choices.ts';
import { type RowWriter, runFacts } from './row-writer.ts';
import type { Subject } from './subject.ts';

/** A call that a job was refused, and what its owner is told. */
export interface Refusal {
  readonly run: CronRun;
  readonly subject: Subject;
}

export interface JobLabel {
  readonly name: string;
  /** When the firing was due, as people read it. */
  readonly slot: string;
}

const WEEK_MS = 7 * 86_400_000;

/** After a firing: may the job do this from now on? Nothing waits for the answer and nothing is run again. */
export class Offers {
  readonly #deps: BrokerDeps;
  readonly #writer: RowWriter;

  constructor(deps: BrokerDeps, writer: RowWriter) {
    this.#deps = deps;
    this.#writer = writer;
  }

  /** One open card a command and job; undefined: there is one, or the job has no chat. */
  make({ run, subject }: Refusal, job: JobLabel): ApprovalRow | undefined {
    const { store, config } = this.#deps;
    const [address] = run.deliverTo;
    if (!address || this.#open(run, subject)) return undefined;
    const { guard, command, cwd, backend, digest, findings, shape, tool } = subject;
    const direct = store.sessions.get(run.session)?.direct ?? false;
    const details = {
      ...({ advised: false, people: 1, requesterOnly: false, votes: [], copies: 1, timedMinutes: 0 } as const),
      ...{
        job: { id: run.jobId, ...job },
        grants: shape.templates,
        bar: shape.bar ?? (config().allow_permanent ? null : 'approvals.allow_permanent is off'),
      },
      ...(subject.language === undefined ? {} : { language: subject.language }),
    };
    const facts = {
      ...({ kind: 'offer', turn: null, call: null, ...runFacts(run), address, direct, requester: run.owner } as const),
      ...{ guard, tool: tool.name, command, input: null, cwd, backend, digest, scriptHash: null, findings, details },
      timeoutMs: WEEK_MS,
    };
    const choices = (whole: boolean) => offerChoices({ guard, bar: shape.bar, whole, config: config() });
    return this.#writer.write(this.#writer.places({ address, direct }, false), facts, choices);
  }

  #open({ jobId }: CronRun, { digest }: Subject): boolean {
    const pending = this.#deps.store.approvals.pending();
    return pending.some((row) => row.kind === 'offer' && row.digest === digest && row.details.job?.id === jobId);
  }
}
