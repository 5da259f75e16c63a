import type { Field } from './field.ts';
import type { Redirection } from './parse.ts';
import type { Descriptor, ShellState } from './state.ts';

/** Bash gives `{name}<file` numbers from here on. */
const FIRST_NAMED = 10;

/** The number in `/dev/fd/3` and its other names; null for every other path. */
export function descriptorIn(path: string): number | null {
  if (path === '/dev/stdin') return 0;
  const number = /^\/(?:dev|proc\/[^/]+)\/fd\/(\d+)$/.exec(path)?.[1];
  return number === undefined ? null : Number(number);
}

/** `/dev/tcp/host/port`, which the shell opens as a connection. */
export function isNetworkFile(path: string): boolean {
  return /^\/+dev\/+(?:\.\/+)*(?:tcp|udp)\//.test(path);
}

/** Whether a program that takes `-` for its input reads that under this name. */
export function namesInput(path: string): boolean {
  return path === '-' || descriptorIn(path) === 0;
}

/** The number a redirection is written with, null where it leaves that to its operator. A name is given one and holds it. */
export function redirectedNumber(one: Redirection, state: ShellState): number | null {
  const at = one.descriptor;
  if (at === undefined) return null;
  if (at.type === 'FileDescriptor') return at.value;
  const held = /^\d+$/.exec(state.variable(at.name)?.[0]?.text ?? '')?.[0];
  if (held !== undefined && one.type === 'Redirect' && one.operator.endsWith('&')) return Number(held);
  let free = FIRST_NAMED;
  while (state.descriptors.has(free)) free++;
  state.setVar(at.name, [{ text: String(free), taint: 0 }]);
  return free;
}

/** What `<&3`, `>&3` name; undefined where this text opened nothing under that number. */
export function copied(target: Field, state: ShellState): Descriptor | undefined {
  const number = /^(\d+)-?$/.exec(target.text)?.[1];
  return number === undefined ? undefined : state.descriptors.get(Number(number));
}

/** Where writing to a path ends up: `/dev/fd/3` is what was opened as 3. */
export function writtenTo(target: Field, state: ShellState): Field {
  const fd = target.reader ? null : descriptorIn(target.text);
  return (fd === null ? undefined : state.descriptors.get(fd)?.target) ?? target;
}
