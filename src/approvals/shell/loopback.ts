import type { Facts } from '../analysis.ts';
import { isKnown, UNKNOWN } from './marks.ts';

const DEFAULT_PORT = 8790;

/** Names that public name servers answer with an address of this machine. */
const LOCAL_NAMES =
  /^(?:localhost|.+\.localhost|localhost\d?(?:\.localdomain\d?)?|ip6-(?:localhost|loopback)|localtest\.me|.+\.localtest\.me|lvh\.me|.+\.lvh\.me|vcap\.me|lacolhost\.com|host\.docker\.internal|(?:.+\.)?(?:127[.-]\d+[.-]\d+[.-]\d+|0\.0\.0\.0)\.(?:nip|sslip|xip)\.io)$/;

/** Whether a host, in any of its spellings, is this machine. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/\.$/, '');
  if (name === '' || LOCAL_NAMES.test(name)) return name !== '';
  if (name.includes(':')) return isLoopback6(name);
  const number = ipv4(name);
  return number !== undefined && isLoopback4(number);
}

function isLoopback4(address: number): boolean {
  return address >>> 24 === 127 || address === 0;
}

/** As inet_aton reads it: one to four parts, each decimal, octal or hexadecimal, the last one filling what is left. */
function ipv4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const numbers = parts.map(partOf);
  if (numbers.some((part) => part === undefined)) return undefined;
  const [last = 0, ...front] = (numbers as number[]).reverse();
  if (last >= 256 ** (5 - parts.length) || front.some((part) => part > 255)) return undefined;
  return front.reverse().reduce((all, part, i) => all + part * 256 ** (3 - i), last);
}

function partOf(text: string): number | undefined {
  if (/^0x[0-9a-f]{1,8}$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (/^0[0-7]{1,12}$/.test(text)) return Number.parseInt(text, 8);
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** `::`, `::1` and the mapped forms, however they are written out. */
function isLoopback6(text: string): boolean {
  const cut = text.lastIndexOf(':');
  const tail = text.slice(cut + 1);
  const dotted = tail.includes('.') ? ipv4(tail) : undefined;
  if (tail.includes('.') && dotted === undefined) return false;
  const groups = `${text.slice(0, cut + 1)}${dotted === undefined ? tail : `${(dotted >>> 16).toString(16)}:${(dotted & 0xffff).toString(16)}`}`;
  const [head = '', rest] = groups.split('::');
  const [front, back] = [head, rest ?? ''].map((half) => half.split(':').filter((part) => part !== '')) as [
    string[],
    string[],
  ];
  const missing = 8 - front.length - back.length;
  if (missing < 0 || (rest === undefined && missing !== 0)) return false;
  const all = [...front, ...Array<string>(missing).fill('0'), ...back].map((part) => Number.parseInt(part, 16));
  const [high, low] = [all[6] ?? 0, all[7] ?? 0];
  if (all.slice(0, 5).some((part) => part !== 0)) return false;
  if (all[5] === 0xffff) return isLoopback4(high * 65_536 + low);
  return all[5] === 0 && ((high === 0 && low <= 1) || high >>> 8 === 127);
}

export function ownPort(facts: Facts): number {
  return facts.port ?? DEFAULT_PORT;
}

/** What only hermod serves, also on a port nobody told us of: a practice daemon's, that of another home. */
const ROUTES = /^\/+api\/v1\/+(?:approvals|grants|audit|pair|outbox|yolo)(?:$|[/?#])/i;
const OPEN_ROUTES = /^\/(?:healthz|readyz|metrics)(?:$|[?#])/;

/** Whether a URL, or the host and port at the beginning of a word, is hermod's own interface. */
export function isOwnUrl(text: string, facts: Facts): boolean {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@?#\s]*@)?(\[[^\]]*\]|[^/:?#\s]*)(?::([^/?#\s]*))?(\/[^\s]*)?/i.exec(
    text,
  );
  if (!match) return false;
  const [, host = '', port = '', route = ''] = match;
  const here = isLoopback(host) || host.includes(UNKNOWN) || text.startsWith(':');
  const ours = Number(port) === ownPort(facts);
  if (ours && here) return !OPEN_ROUTES.test(route);
  return (here || (host === '' && !isKnown(text))) && port !== '' && ROUTES.test(route);
}
