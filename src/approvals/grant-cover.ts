import type { JobId, SessionId } from '../contract/ids.ts';
import type { Finding } from '../contract/tool.ts';
import type { GrantRow, GrantTemplate } from '../store/grants.ts';
import type { Analysis } from './analysis.ts';
import type { ApprovalsConfig } from './policy-config.ts';

/** What would be stored for a yes to this call, one template a finding; also what a stored one must equal. */
export interface CallShape {
  readonly templates: readonly GrantTemplate[];
  /** Why nothing standing can cover it, or null. */
  readonly bar: string | null;
}

const NO_WORDS = { argv: [], wrappers: [], assignments: [], shape: 'exact' } as const;

/** A shell text: one simple command, every word, assignment and the folder known. */
export function shellShape(
  analysis: Analysis,
  place: { readonly backend: string; readonly shapeOf: (rule: string) => 'exact' | 'prefix' },
  hides: (word: string) => boolean,
): CallShape {
  const [command, ...others] = analysis.commands;
  const bar = analysis.grantBar ?? (command === undefined || others.length > 0 ? 'it has several commands' : null);
  if (bar !== null || command === undefined) return { templates: [], bar: bar ?? 'it has no command' };
  const argv = known(command.argv);
  const assignments = knownPairs(command.assignments);
  if (argv === undefined || assignments === undefined || command.cwd === null) {
    return { templates: [], bar: 'it is only known when it runs' };
  }
  if ([...argv, ...assignments.flat()].some(hides)) return { templates: [], bar: 'part of it is hidden on the card' };
  const wrappers = command.wrappers.flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
  const { cwd } = command;
  const templates = rules(analysis.findings).map((rule) => {
    return { rule, argv, shape: place.shapeOf(rule), cwd, backend: place.backend, wrappers, assignments, digest: null };
  });
  return { templates, bar: null };
}

/** A script or a tool call is bound to its digest. */
export function digestShape(
  findings: readonly Finding[],
  place: { readonly cwd: string; readonly backend: string; readonly digest: string },
  bar: string,
): CallShape {
  return { templates: rules(findings).map((rule) => ({ ...NO_WORDS, ...place, rule })), bar };
}

/** Whose call it is. */
export interface CallPlace {
  readonly session: SessionId | undefined;
  readonly job: JobId | undefined;
  /** `platform:id` of the job's owner. */
  readonly owner: string | undefined;
  readonly cron: boolean;
  readonly now: number;
  /** Whether who said yes may still use hermod. */
  readonly allowed: (grant: GrantRow) => boolean;
}

/** The grants that together cover every finding of a call, or undefined. `live` are unrevoked grants of a rule. */
export function coveringGrants(
  templates: readonly GrantTemplate[],
  place: CallPlace,
  live: (rule: string) => readonly GrantRow[],
): readonly GrantRow[] | undefined {
  if (templates.length === 0) return undefined;
  const found: GrantRow[] = [];
  for (const template of templates) {
    const grant = live(template.rule).find((row) => reaches(row, place) && equals(row, template));
    if (!grant) return undefined;
    found.push(grant);
  }
  return found;
}

/** What `decide` is told of several: the narrowest of them. */
export function narrowest(grants: readonly GrantRow[]): Pick<GrantRow, 'kind' | 'jobs'> {
  const order = ['timed', 'session', 'job', 'always'] as const;
  const kind = order.find((one) => grants.some((grant) => grant.kind === one)) ?? 'always';
  return { kind, jobs: grants.every((grant) => grant.kind === 'job' || grant.jobs) };
}

/** `job_allow` lists exactly this command, for every rule it breaks, with nothing around it. */
export function jobListed({ templates }: CallShape, list: ApprovalsConfig['job_allow']): boolean {
  return templates.length > 0 && templates.every((one) => bare(one) && list.some((entry) => names(entry, one)));
}

const bare = ({ digest, wrappers, assignments }: GrantTemplate) =>
  digest === null && wrappers.length === 0 && assignments.length === 0;

function names(entry: ApprovalsConfig['job_allow'][number], { rule, cwd, argv }: GrantTemplate): boolean {
  return entry.rule === rule && entry.cwd === cwd && same(entry.argv, argv);
}

function reaches(grant: GrantRow, place: CallPlace): boolean {
  if (!place.allowed(grant)) return false;
  if (grant.expiresAt !== null && grant.expiresAt <= place.now) return false;
  switch (grant.kind) {
    case 'session':
    case 'timed':
      return !place.cron && place.session !== undefined && grant.session === place.session;
    case 'always':
      return !place.cron || grant.jobs;
    case 'job':
      return place.cron && place.job !== undefined && grant.job === place.job && grant.actor === place.owner;
  }
}

function equals(grant: GrantTemplate, call: GrantTemplate): boolean {
  return (
    grant.rule === call.rule &&
    grant.digest === call.digest &&
    grant.cwd === call.cwd &&
    grant.backend === call.backend &&
    same(grant.wrappers, call.wrappers) &&
    same(grant.assignments.flat(), call.assignments.flat()) &&
    sameWords(grant, call)
  );
}

function sameWords(grant: GrantTemplate, call: GrantTemplate): boolean {
  if (grant.shape === 'exact' || call.shape === 'exact') return same(grant.argv, call.argv);
  return grant.argv.length > 0 && same(grant.argv, call.argv.slice(0, grant.argv.length));
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((word, i) => word === b[i]);
const rules = (findings: readonly Finding[]) => [...new Set(findings.map(({ rule }) => rule))];

function known(words: readonly (string | null)[]): readonly string[] | undefined {
  return words.every((word) => word !== null) ? words : undefined;
}

function knownPairs(
  pairs: readonly (readonly [string, string | null])[],
): readonly (readonly [string, string])[] | undefined {
  return pairs.every((pair): pair is readonly [string, string] => pair[1] !== null) ? pairs : undefined;
}
