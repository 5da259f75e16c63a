import { explainIssues, type Finding } from './explain.ts';
import { formatPath, type Path, within, withoutValue } from './path.ts';
import { type Placed, type Places, placeRule, placeValue } from './places.ts';
import { checkRules } from './rules.ts';
import { configSchema, type WrittenConfig } from './schema.ts';
import { isSecret, variableFor } from './secret-shape.ts';
import { type Secrets, secretValues } from './secrets.ts';

export interface Judgement {
  /** Valid where `problems` is empty; else wrong values stand at their defaults. */
  readonly config: WrittenConfig;
  readonly problems: readonly Placed[];
  readonly warnings: readonly string[];
}

/** Everything that is wrong with the values, each wrong value once. Pure. */
export function judge(data: unknown, secrets: Secrets, places: Places): Judgement {
  const misplaced = secretsIn(data, secrets);
  const holes = (places.file?.problems ?? []).filter(({ hole }) => hole);
  const said = [...misplaced, ...holes].map(({ path }) => path);
  const { config, findings } = validate(data, places);
  const values = findings.filter(({ path }) => !said.some((each) => within(path, each)));
  const wrong = [...values, ...misplaced];
  const rules = checkRules(
    config,
    secrets,
    wrong.map(({ path }) => path),
  );
  return {
    config,
    problems: [...wrong.map((each) => placeValue(places, each)), ...rules.map((each) => placeRule(places, each))],
    warnings: warningsOf(config),
  };
}

/** All issues, and what the file would be without the wrong values, so that rules over the others can still be checked. */
function validate(data: unknown, places: Places): { config: WrittenConfig; findings: readonly Finding[] } {
  const written = { data, spelling: (path: Path) => places.file?.spelling(path) };
  const parsed = configSchema.safeParse(data);
  if (parsed.success) return { config: parsed.data, findings: [] };
  const findings = explainIssues(parsed.error.issues, configSchema, written);
  return { config: configSchema.catch(() => configSchema.parse({})).parse(pruned(data, findings)), findings };
}

/** The last ones go first, so that the places of earlier items of a list stay true. */
function pruned(data: unknown, findings: readonly Finding[]): unknown {
  return findings.toReversed().reduce<unknown>((rest, { path }) => withoutValue(rest, path), data);
}

const SHORTEST_SECRET = 8;

function secretsIn(data: unknown, secrets: Secrets): readonly Finding[] {
  const known = secretValues(secrets).filter((value) => value.length >= SHORTEST_SECRET);
  return scalars(data, []).flatMap(({ path, value }) => {
    if (!isSecret(path, value, known)) return [];
    const variable = variableFor(path, value);
    const where = variable ? `as ${variable}=...` : 'under a name of its own';
    return [{ path, text: `${formatPath(path)} holds a secret, which must not stand here; move it to .env ${where}` }];
  });
}

function scalars(value: unknown, path: Path): readonly { readonly path: Path; readonly value: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => scalars(item, [...path, i]));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => scalars(inner, [...path, name]));
  }
  return typeof value === 'string' || typeof value === 'number' ? [{ path, value: String(value) }] : [];
}

function warningsOf({ approvals }: WrittenConfig): readonly string[] {
  if (approvals.mode !== 'smart' || approvals.guardian.model !== undefined) return [];
  return [
    'approvals.mode is smart but approvals.guardian.model is not set, so every dangerous call is asked as under manual.',
  ];
}
