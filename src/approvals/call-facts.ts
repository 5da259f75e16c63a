import type { Actor } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { GrantRow } from '../store/grants.ts';
import { actorKey } from './actor-key.ts';
import type { Facts } from './analysis.ts';
import type { PolicyInput } from './decide.ts';
import { denyRule } from './deny-rules.ts';
import type { GateCall, GateDeps } from './gate-deps.ts';
import { coveringGrants, jobListed, narrowest } from './grant-cover.ts';
import { repeatFinding } from './own-findings.ts';
import { realPath } from './real-paths.ts';
import { placeOf } from './run-place.ts';
import { type Subject, subjectOf } from './subject.ts';
import { visible } from './visible.ts';

/** Everything `decide` must know of one call, looked up at one moment. */
export class CallFacts {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** What is judged: the text, what the detector found in it, the rules of this moment. */
  async subject({ tool, run, turn }: Pick<GateCall, 'tool' | 'run' | 'turn'>, input: unknown): Promise<Subject> {
    const { detector, config, redactor, taint, place } = this.#deps;
    const { readOutside, backend } = place();
    const redact = redactor();
    const subject = await subjectOf(tool, input, run, detector, {
      facts: this.#facts(run),
      backend,
      config: config(),
      readOutside,
      taint: run && taint?.(run, turn),
      realPath: this.#deps.realPath ?? realPath,
      hides: (word) => redact.text(word) !== word || visible(word) !== word,
    });
    return this.#repeated(subject, turn);
  }

  #facts(run: RunContext | undefined): Facts {
    const { store, childPids, config, place } = this.#deps;
    const { home, user, roots, hermodHome, pid, parentPid, os, installation, port } = place();
    return {
      ...(installation !== undefined && { installation }),
      ...(port !== undefined && { port }),
      ...{ home, user, roots, hermodHome, pid, parentPid, os },
      cwd: (run && store.sessions.get(run.session)?.cwd) ?? roots[0] ?? home,
      childPids: (run && childPids?.(run.session)) ?? [],
      fetched: run ? store.fetchedFiles.of(run.session) : [],
      protectPaths: config().protect_paths,
    };
  }

  /** The same flagged call of this turn was cut off before: no silent repeat. */
  #repeated(subject: Subject, turn: GateCall['turn']): Subject {
    const { findings, tool, digest, command } = subject;
    const { approvals } = this.#deps.store;
    if (!turn || findings.length === 0 || !approvals.repeats(turn, tool.name, digest)) return subject;
    return { ...subject, findings: [...findings, repeatFinding(command)] };
  }

  /** The grants that together cover every finding, in this session or for this job. */
  grants(run: RunContext | undefined, { shape, findings }: Subject): readonly GrantRow[] | undefined {
    const { store, clock, markers } = this.#deps;
    if (findings.some(({ personOnly }) => personOnly)) return undefined;
    const now = clock.now();
    const cron = run?.kind === 'cron' ? run : undefined;
    return coveringGrants(
      shape.templates,
      {
        session: run?.session,
        job: cron?.jobId,
        owner: cron && actorKey(cron.owner),
        cron: cron !== undefined || (run === undefined && markers.cron),
        now,
        allowed: (grant) => this.#stillAllowed(grant, run),
      },
      (rule) => store.grants.live(rule, now),
    );
  }

  /** Who gave a grant is judged where they gave it, with the roles they are known by: those of this run, else those of then. */
  #stillAllowed({ actor, approval }: GrantRow, run: RunContext | undefined): boolean {
    const { store, allowed } = this.#deps;
    const given = approval === null ? undefined : store.approvals.get(approval);
    const own = run?.kind === 'chat' ? run.actor : run?.kind === 'cron' ? run.owner : undefined;
    const known = [own, given?.decidedBy, given?.requester].find((one) => one && actorKey(one) === actor);
    return allowed(known ?? actorOf(actor), given ?? placeOf(run, store));
  }

  /** What `decide` reads; the guardian was not asked yet. */
  policy(
    run: RunContext | undefined,
    subject: Subject,
    grants: readonly GrantRow[] | undefined,
  ): Omit<PolicyInput, 'authority'> {
    const config = this.#deps.config();
    return {
      findings: subject.findings,
      sudoStdin: subject.sudoStdin,
      denyRule: denyRule(config.deny, subject.denyTexts),
      isolated: subject.isolated,
      yolo: this.#yolo(run),
      grant: grants && narrowest(grants),
      jobListed: jobListed(subject.shape, config.job_allow),
      callback: run !== undefined && this.#deps.broker.callbackOf(run.runId) !== undefined,
      guardian: undefined,
      config: this.#deps.guard ? config : { ...config, guardian: {} },
    };
  }

  #yolo(run: RunContext | undefined): boolean {
    if (this.#deps.bootYolo) return true;
    const until = run && this.#deps.store.sessions.get(run.session)?.yoloUntil;
    return typeof until === 'number' && until > this.#deps.clock.now();
  }
}

function actorOf(key: string): Pick<Actor, 'platform' | 'id'> {
  const colon = key.indexOf(':');
  return { platform: key.slice(0, colon), id: key.slice(colon + 1) };
}
