import { isEnvFile, secretAt } from '../shell/places.ts';
import { SECRET_NAME } from '../shell/secret-names.ts';
import type { Budget } from './budget.ts';
import type { Sink, Use } from './effects.ts';
import type { Value } from './values.ts';
import { asText } from './values.ts';

/** Logins belong there. */
const LOGINS = /^(?:headers?|auth|cookies|cert|agent|verify|timeout)$/i;
const ENVIRONMENT =
  /^(?:os\.environb?|os\.getenv|process\.env|(?:Bun|Deno)\.env|ENV|getenv|\$_ENV)(?:\.(?:get|fetch|copy|items|values|to_h|toObject|inspect|to_s))?(\(\))?(?:\.(\w+))?/;
const READING = /(?:^|[.])(?:open|file|io|read\w*|slurp|file_get_contents|createReadStream|Path)\b/i;

/** Whether a use puts the environment, or a file with secrets, into an address or what is asked for there. */
export function handsOut(use: Use): boolean {
  const { sink } = use;
  const address = use.args.map(asText).join(' ').toLowerCase();
  const given: Value = { kind: 'record', fields: use.named };
  for (const value of withInner([...use.args, given], sink.budget))
    if (value.kind === 'ref' && (isVariable(value, address) || isSecretRead(value, sink))) return true;
  return false;
}

/** Values and whatever they were made of, each once, as long as the budget reaches. */
function* withInner(values: readonly Value[], budget: Budget): Generator<Value> {
  const open = [...values];
  const seen = new Set<Value>();
  for (let value = open.pop(); value !== undefined && budget.take(COST[value.kind]); value = open.pop()) {
    yield value;
    for (const one of insideOf(value)) {
      if (seen.has(one)) continue;
      seen.add(one);
      open.push(one);
    }
  }
}

/** A reference may have to be held against all places of secrets. */
const COST: Readonly<Record<Value['kind'], number>> = {
  any: 1,
  list: 1,
  number: 0,
  record: 1,
  ref: 4,
  text: 0,
  unknown: 1,
};

function insideOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'list':
    case 'any':
      return value.items;
    case 'record':
      return [...value.fields].flatMap(([name, one]) => (LOGINS.test(name) ? [] : [one]));
    case 'ref':
      return [value.of, value.before, ...(value.beside ?? [])].filter((one) => one !== undefined);
    default:
      return value.kind === 'number' ? [] : (value.parts ?? []);
  }
}

type Ref = Value & { readonly kind: 'ref' };

/** All of the environment, or a variable named like a secret that is not the address's own: `GITHUB_TOKEN` to GitHub. */
function isVariable({ name, of }: Ref, address: string): boolean {
  const found = ENVIRONMENT.exec(name);
  if (!found) return false;
  const variable = found[2] ?? (found[1] && of?.kind === 'text' ? of.text : undefined);
  if (variable === undefined) return name.length === found[0].length;
  return (
    SECRET_NAME.test(variable) &&
    !variable
      .toLowerCase()
      .split('_')
      .some((word) => owns(word, address))
  );
}

function owns(word: string, address: string): boolean {
  return word.length > 2 && !GENERIC.has(word) && address.includes(word);
}

const GENERIC = new Set(
  'token pat secret password passwd passphrase api key apikey access private credentials id'.split(' '),
);

function isSecretRead({ name, of, before }: Ref, sink: Sink): boolean {
  if (!READING.test(name)) return false;
  return [of, before].some(
    (path) =>
      path?.kind === 'text' &&
      sink.paths(path.text).some((one) => isEnvFile(one) || secretAt(one, sink.facts) !== null),
  );
}
