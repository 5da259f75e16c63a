import type { Call } from '../shell/call.ts';
import { optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { literalField } from '../shell/field.ts';
import { isLoopback } from '../shell/loopback.ts';
import { UNKNOWN } from '../shell/marks.ts';
import type { Path } from '../shell/paths.ts';
import { formatPath, isInRoots, isNamed } from '../shell/paths.ts';
import { isEnvFile, secretAt } from '../shell/places.ts';
import { TAINT } from '../shell/taint.ts';
import { GIT_GLOBAL } from '../shell/wrappers/runners.ts';
import { isVerb } from './matching.ts';

const SECRETS = TAINT.secret | TAINT.environ;

/** Words that hold a secret, wherever the program puts them; as paths they mean nothing. */
export function tainted(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ taint }) => (taint & SECRETS) !== 0).map((field) => ({ ...field, text: '' }));
}

/** Of files a program reads and sends, those with secrets. */
function secretFiles(call: Call, fields: readonly Field[]): readonly Field[] {
  return fields
    .filter((field) =>
      pathsOf(call, field).some(
        (path) => secretAt(path, call.facts) !== null || isEnvFile(path) || tookSecrets(call, path),
      ),
    )
    .map((field) => ({ ...field, text: '', taint: TAINT.secret }));
}

/** A file of any name that this text wrote secrets into. */
export function tookSecrets({ state }: Call, path: Path): boolean {
  if (state.files.size === 0 || !isNamed(path)) return false;
  return ((state.files.get(formatPath(path))?.taint ?? 0) & SECRETS) !== 0;
}

/** Texts behind a prefix: `file://x`, `FILE:x`, `key=@x`. */
function behind(fields: readonly Field[], prefix: RegExp): readonly Field[] {
  return fields.flatMap((field) => {
    const text = prefix.exec(field.text)?.[1];
    return text === undefined || text === '' ? [] : [{ ...field, text }];
  });
}

/** An address whose host, path or query holds a secret; a login before the host is what tokens are for. */
function addresses(fields: readonly Field[]): readonly Field[] {
  return tainted(
    fields.filter(({ text }) => {
      const at = text.indexOf('://');
      return (
        at >= 0 &&
        text
          .slice(at + 3)
          .replace(/^[^/@]*@/, '')
          .includes(UNKNOWN)
      );
    }),
  );
}

const names = (call: Call) => tainted(call.args);
const urls = (call: Call) => addresses(call.args);

/** Words to a server of databases, unless it is this machine's. */
function query(call: Call): readonly Field[] {
  const words = tainted(call.args.filter(({ raw }) => !/^(?:-p|-a|--password|--pass)/.test(raw)));
  const input = tainted([{ ...call.argv0, taint: call.stdin.taint }]);
  return words.length + input.length > 0 && asksRemote(call) ? [...words, ...input] : [];
}

function asksRemote({ args }: Call): boolean {
  return args.some(({ text }, i) => {
    const before = args[i - 1]?.text ?? '';
    const host = /^(?:-h|-H|-S|--host|--hostname|--server)$/.test(before)
      ? text
      : (/^(?:-h|--host=|--hostname=)([\w.-]+)$/.exec(text)?.[1] ?? /:\/\/(?:[^/@]*@)?([\w.-]+)/.exec(text)?.[1]);
    return host !== undefined && !host.startsWith('-') && !isLoopback(host);
  });
}

/** Names of branches and tags that hold a secret. */
function refs(fields: readonly Field[]): readonly Field[] {
  return tainted(fields.filter(({ text }) => !text.includes('://')));
}

function gitSends(call: Call): readonly Field[] {
  if (call.state.files.size === 0 && !call.args.some(({ taint }) => (taint & SECRETS) !== 0)) return [];
  const [verb, ...rest] = optionsOf(call, GIT_GLOBAL, { stop: true }).operands;
  switch (verb?.text) {
    case 'push':
      return [...secretFiles(call, [literalField('.git/index', call.span)]), ...addresses(rest), ...refs(rest)];
    case 'clone':
    case 'fetch':
    case 'pull':
    case 'ls-remote':
    case 'remote':
    case 'submodule':
      return addresses(rest);
    default:
      return [];
  }
}

function imageNames(call: Call): readonly Field[] {
  if (tainted(call.args).length === 0) return [];
  const [verb, ...rest] = optionsOf(call, 'c: H: D context: l:', {}).operands;
  return verb && isVerb([verb.text], ['pull|push|search|manifest']) ? tainted(rest) : [];
}

function awsSends(call: Call): readonly Field[] {
  if (call.args[0]?.text === 'configure') return [];
  const bodies = call.args.filter((_, i) => /^--(?:body|zip-file|payload)$/.test(call.args[i - 1]?.text ?? ''));
  return [
    ...tainted(call.args),
    ...secretFiles(call, [...bodies, ...behind(call.args, /^(?:--[\w-]+=)?fileb?:\/\/(.+)$/)]),
  ];
}

function ghSends(call: Call): readonly Field[] {
  if (!/^(?:api|pr|mr|issue|release|gist|snippet|discussion|workflow)$/.test(call.args[0]?.text ?? '')) return [];
  const bodies = call.args.filter((_, i) =>
    /^(?:--input|--body-file|--notes-file|-F)$/.test(call.args[i - 1]?.text ?? ''),
  );
  const fields = behind(call.args, /^(?:-F|--field=)?[\w.[\]-]+=@(.+)$/);
  const files = behind(call.args, /^--(?:input|body-file|notes-file)=(.+)$/);
  const snippets = call.args[0]?.text === 'snippet' ? call.args.slice(2) : [];
  return [...tainted(call.args), ...secretFiles(call, [...bodies, ...fields, ...files, ...snippets])];
}

/** `logger` writes to this machine's log unless it is given a server. */
function logged(call: Call): readonly Field[] {
  const options = optionsOf(
    call,
    'n|server: P|port: f|file: t|tag: p|priority: u|socket: i|id? e s|stderr d|udp T|tcp S|size: rfc3164 rfc5424? msgid: sd-id: sd-param: no-act octet-count prio-prefix',
  );
  return options.has('n') ? [...secretFiles(call, options.values('f')), ...tainted(options.operands)] : [];
}

function connected(call: Call): readonly Field[] {
  if (!call.args.some(({ text }) => /^(?:TCP|UDP|OPENSSL|SSL|SCTP|DCCP|SOCKS|PROXY|VSOCK|WS)/i.test(text))) return [];
  return [...tainted(call.args), ...secretFiles(call, behind(call.args, /^(?:G?OPEN|FILE):([^,]+)/i))];
}

/** Private keys and stored credentials handed to a store on another machine. Keys in the work folders and `.env` are what such stores are for. */
function handed(call: Call, fields: readonly Field[]): readonly Field[] {
  return fields
    .filter((field) =>
      pathsOf(call, field).some((path) => secretAt(path, call.facts) !== null && !isInRoots(path, call.facts)),
    )
    .map((field) => ({ ...field, text: '', taint: TAINT.secret }));
}

function kubeSends(call: Call): readonly Field[] {
  return handed(call, behind(call.args, /^--from-file=(?:[\w.-]+=)?(.+)$/));
}

function dockerSends(call: Call): readonly Field[] {
  const [noun, verb] = call.args;
  const kept = /^(?:secret|config)$/.test(noun?.text ?? '') && verb?.text === 'create';
  return [...imageNames(call), ...(kept ? handed(call, call.args.slice(-1)) : [])];
}

function gcloudSends(call: Call): readonly Field[] {
  if (call.args[0]?.text === 'pubsub') return tainted(call.args);
  return call.args[0]?.text === 'secrets' ? handed(call, behind(call.args, /^--data-file=(.+)$/)) : [];
}

/** What programs send by options or words of their own, by canonical name. */
export const FURTHER: Readonly<Record<string, (call: Call) => readonly Field[]>> = {
  whois: names,
  finger: names,
  traceroute: names,
  tracepath: names,
  tracert: names,
  mtr: names,
  getent: names,
  resolvectl: names,
  'systemd-resolve': names,
  drill: names,
  kdig: names,
  delv: names,
  dog: names,
  doggo: names,
  nmap: names,
  ntpdate: names,
  arping: names,
  fping: names,
  hping3: names,
  ping6: names,
  'ssh-keyscan': names,
  lynx: names,
  w3m: names,
  links: names,
  elinks: names,
  aria2c: names,
  axel: names,
  mail: names,
  mailx: names,
  mutt: names,
  swaks: names,
  'xdg-open': urls,
  open: urls,
  'redis-cli': query,
  mysql: query,
  psql: query,
  mongosh: query,
  sqlcmd: query,
  git: gitSends,
  pip: urls,
  uv: urls,
  npm: urls,
  pnpm: urls,
  yarn: urls,
  cargo: urls,
  gem: urls,
  go: urls,
  helm: urls,
  docker: dockerSends,
  kubectl: kubeSends,
  gcloud: gcloudSends,
  vault: (call) => handed(call, behind(call.args, /^[\w-]+=@(.+)$/)),
  logger: logged,
  socat: connected,
  aws: awsSends,
  gh: ghSends,
  glab: ghSends,
};
