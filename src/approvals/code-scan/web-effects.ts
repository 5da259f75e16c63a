import { isLoopback, isOwnUrl, ownPort } from '../shell/loopback.ts';
import type { Budget } from './budget.ts';
import type { Effect, Use } from './effects.ts';
import { handsOut } from './hand-outs.ts';
import type { Value } from './values.ts';
import { asText } from './values.ts';

/** hermod's own interface, by its URL or by host and port apart. */
function callsOwn(use: Use): boolean {
  const { facts } = use.sink;
  const values = plainValues([...use.args, ...use.named.values()], use.sink.budget);
  const texts = values.filter((value) => value.kind === 'text').map(asText);
  if (texts.some((text) => isOwnUrl(text, facts))) return true;
  const port = values.some(
    (value) => (value.kind === 'number' || value.kind === 'text') && Number(asText(value)) === ownPort(facts),
  );
  return port && texts.every((text) => isLoopback(text) || !/^[\w-]+(?:\.[\w-]+)+$/.test(text));
}

/** `s.connect((host, port))`. */
export const callsOwnSocket: Effect = (use) => {
  if (use.called && callsOwn(use)) use.sink.report('self.api', use.at);
  return undefined;
};

/** Texts, numbers and what is not known, taken out of lists, records and what was made of them; each once. */
function plainValues(values: readonly Value[], budget: Budget): readonly Value[] {
  const seen = new Set(values);
  for (const value of seen) {
    const inside = insideOf(value);
    if (!budget.take(inside.length)) break;
    for (const one of inside) seen.add(one);
  }
  return [...seen].filter((value) => insideOf(value).length === 0);
}

function insideOf(value: Value): readonly Value[] {
  if (value.kind === 'list') return value.items;
  if (value.kind === 'record') return [...value.fields.values()];
  return value.kind === 'ref' && value.of ? [value.of] : [];
}

const METADATA = /169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|100\.100\.100\.200/;

/** A plain request; only the metadata service and what is sent along matter. */
export function requests(sendsWhen: (use: Use) => boolean = () => false): Effect {
  return (use) => {
    if ([...use.args, ...use.named.values()].some((arg) => METADATA.test(asText(arg))))
      use.sink.report('net.metadata', use.at);
    if (use.called && callsOwn(use)) use.sink.report('self.api', use.at);
    if (use.called && sendsWhen(use)) use.sink.report('code.send', use.at);
    else if (use.called && handsOut(use)) use.sink.report('code.send', use.at, 'puts secrets into what it asks for');
    return undefined;
  };
}

/** A function that reads files and addresses alike. */
export function opensEither(file: Effect): Effect {
  const web = requests();
  return (use) => (asText(use.args[0]).includes('://') ? web(use) : undefined) ?? file(use);
}

/** Hands data to another machine. */
export const sends: Effect = (use) => {
  if (callsOwn(use)) use.sink.report('self.api', use.at);
  use.sink.report('code.send', use.at);
  return undefined;
};
