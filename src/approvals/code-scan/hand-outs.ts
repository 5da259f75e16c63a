import { isEnvFile, secretAt } from '../shell/places.ts';
import { SECRET_NAME } from '../shell/secret-names.ts';
import type { Sink, Use } from './effects.ts';
import type { Value } from './values.ts';
import { asText } from './values.ts';

/** How many values are looked at for one use. */
const MAX_LOOKS = 200;
/** Logins belong there. */
const LOGINS = /^(?:headers?|auth|cookies|cert|agent|verify|timeout)$/i;
const ENVIRONMENT =
  /^(?:os\.environb?|os\.getenv|process\.env|(?:Bun|Deno)\.env|ENV|getenv|\$_ENV)(?:\.(?:get|fetch|copy|items|values|to_h|toObject|inspect|to_s))?(\(\))?(?:\.(\w+))?/;
const READING = /(?:^|[.])(?:open|file|io|read\w*|slurp|file_get_contents|createReadStream|Path)\b/i;

/** Whether a use puts the environment, or a file with secrets, into an address or what is asked for there. */
export function handsOut(use: Use): boolean {
  const address = use.args.map(asText).join(' ').toLowerCase();
  const given = [...use.args, ...[...use.named].flatMap(([name, value]) => (LOGINS.test(name) ? [] : [value]))];
  const look: Look = { sink: use.sink, address, left: MAX_LOOKS };
  return given.some((value) => holdsSecret(value, look));
}

interface Look {
  readonly sink: Sink;
  readonly address: string;
  left: number;
}

function holdsSecret(value: Value | undefined, look: Look): boolean {
  if (value === undefined || look.left-- <= 0) return false;
  const inside = (one: Value | undefined) => holdsSecret(one, look);
  switch (value.kind) {
    case 'list':
    case 'any':
      return value.items.some(inside);
    case 'record':
      return [...value.fields].some(([name, one]) => !LOGINS.test(name) && inside(one));
    case 'text':
    case 'unknown':
      return value.parts?.some(inside) ?? false;
    case 'ref':
      return (
        isVariable(value, look.address) || isSecretRead(value, look.sink) || inside(value.of) || inside(value.before)
      );
    default:
      return false;
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
