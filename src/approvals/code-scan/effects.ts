import type { Facts } from '../analysis.ts';
import { isLoopback, isOwnUrl, ownPort } from '../shell/loopback.ts';
import { activateGlobs, hasUnknown, isKnown, UNKNOWN } from '../shell/marks.ts';
import { isOwn, isOwnProgram, isOwnSecret, ownPlace } from '../shell/own-places.ts';
import type { Path } from '../shell/paths.ts';
import { isBlockDevice, isInRoots, isProtectedRoot } from '../shell/paths.ts';
import { protectedPlace, secretAt } from '../shell/places.ts';
import { hoardsBelow } from '../shell/secret-trees.ts';
import type { Value } from './values.ts';
import { asText, asTexts, constantText } from './values.ts';

/** Where a scan reports to. Offsets are of the script being scanned. */
export interface Sink {
  readonly facts: Facts;
  report(rule: string, at: Place, why?: string): void;
  /** A text handed to a shell. */
  shell(text: string, at: Place): void;
  /** A program started with words. */
  argv(words: readonly string[], at: Place): void;
  /** Every place a path could be. */
  paths(text: string): readonly Path[];
  /** A file gets a text that is not followed. */
  wrote(text: string): void;
  /** The folder it runs in, or a mark. */
  cwd(): string;
  /** From here on relative paths are seen from this folder. */
  enter(folder: string): void;
  /** Folders whose files it goes through, and whether it reads files it does not name. */
  readonly seen: { readonly walked: Walked[]; opaque: boolean };
}

/** Files under a root that a script lists. */
export interface Walked {
  readonly root: string;
  readonly at: Place;
}

export interface Place {
  readonly pos: number;
  readonly end: number;
}

/** One use of a function: a call, or only its name handed on. */
export interface Use {
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
  /** What a method is called on. */
  readonly on: Value | undefined;
  readonly called: boolean;
  readonly at: Place;
  readonly sink: Sink;
}

/** Judges one use; a value it returns is that of the call. */
export type Effect = (use: Use) => Value | undefined;

const OPEN_STREAMS = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/** All texts a value could be; a list counts as each of its items. */
export function choicesOf(value: Value | undefined): readonly string[] {
  const texts = asTexts(value);
  return texts && texts.length > 0 ? texts : [asText(value)];
}

export function deletes(index = 0): Effect {
  return (use) => {
    for (const text of choicesOf(use.called ? (use.args[index] ?? use.named.get('path')) : undefined))
      deletePath(use, text);
    return undefined;
  };
}

/** A removal named by what it is called on: `Path(x).unlink()`. */
export const deletesSelf: Effect = (use) => {
  for (const text of choicesOf(use.on)) deletePath(use, text);
  return undefined;
};

function deletePath(use: Use, text: string): void {
  const { sink } = use;
  const paths = sink.paths(text);
  if (paths.some((path) => isProtectedRoot(path, sink.facts))) sink.report('fs.wipe', use.at);
  else {
    if (paths.some((path) => isOwn(path, sink.facts))) sink.report('self.files', use.at);
    sink.report(
      'fs.delete',
      use.at,
      isKnown(text) ? 'deletes a file or a directory tree' : 'deletes what is only known when it runs',
    );
  }
}

export function writes(...indexes: readonly number[]): Effect {
  return (use) => {
    const values = use.called ? indexes.map((index) => use.args[index]) : [undefined];
    for (const value of values) for (const text of choicesOf(value)) writePath(use, text);
    return undefined;
  };
}

export const writesSelf: Effect = (use) => {
  for (const text of choicesOf(use.on)) writePath(use, text);
  return undefined;
};

export function writePath(use: Use, text: string): void {
  const { sink } = use;
  if (OPEN_STREAMS.test(text)) return;
  sink.wrote(text);
  const paths = sink.paths(text);
  const { facts } = sink;
  if (paths.some(isBlockDevice)) sink.report('disk.write', use.at);
  else if (paths.some((path) => isOwn(path, facts))) sink.report('self.files', use.at);
  else {
    const place = paths.map((path) => protectedPlace(path, facts)).find((found) => found !== null);
    if (place) sink.report('fs.protected', use.at, `changes ${place.what}`);
    else if (paths.some((path) => !isInRoots(path, facts)))
      sink.report(
        'code.write',
        use.at,
        hasUnknown(text) || text === ''
          ? 'writes to a path that is only known when it runs'
          : 'writes outside the work folders',
      );
  }
}

export function reads(index = 0): Effect {
  return (use) => {
    for (const text of choicesOf(use.args[index] ?? use.on)) readPath(use, text);
    return undefined;
  };
}

export const readsSelf: Effect = (use) => {
  for (const text of choicesOf(use.on)) readPath(use, text);
  return undefined;
};

export function readPath(use: Use, text: string): void {
  const { sink } = use;
  if (hasUnknown(text)) sink.seen.opaque = true;
  if (text.includes('://') && isOwnUrl(text, sink.facts)) sink.report('self.api', use.at);
  for (const path of sink.paths(text)) {
    const own = ownPlace(path, sink.facts);
    const secret = secretAt(path, sink.facts);
    if (own !== null && isOwnSecret(own))
      sink.report('self.files', use.at, "reads hermod's secrets, configuration or database");
    else if (secret !== null) sink.report('secret.read', use.at, `reads ${secret}`);
    else if (isBlockDevice(path)) sink.report('disk.image', use.at);
  }
}

/** Takes everything below a folder along: copies it, packs it. */
export function readsTree(index = 0): Effect {
  return (use) => {
    if (use.called) for (const text of choicesOf(use.args[index] ?? use.on)) readTree(use.sink, text, use.at);
    return undefined;
  };
}

function readTree(sink: Sink, text: string, at: Place): void {
  for (const path of sink.paths(text))
    for (const { own, what } of hoardsBelow(path, sink.facts)) {
      if (own) sink.report('self.files', at, "reads a whole tree with hermod's secrets in it");
      else sink.report('secret.read', at, `reads a whole tree with ${what} in it`);
    }
}

/** Goes through the files of a folder. */
export function walks(index = 0, then: Effect = () => undefined): Effect {
  return (use) => {
    if (use.called)
      for (const root of choicesOf(use.args[index] ?? use.on)) use.sink.seen.walked.push({ root, at: use.at });
    return then(use);
  };
}

/** Once a script is read: what it went through counts where it also read files without naming them. */
export function judgeWalked(sink: Sink): void {
  if (!sink.seen.opaque) return;
  for (const { root, at } of sink.seen.walked) readTree(sink, treeRoot(root), at);
}

/** The folder before the first open part of a pattern. */
function treeRoot(pattern: string): string {
  const marks = activateGlobs(pattern);
  if (isKnown(marks)) return pattern;
  const parts = marks.split('/');
  const open = parts.findIndex((part) => !isKnown(part));
  return parts.slice(0, open).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

/** `os.chdir(path)`. */
export const entersFolder: Effect = (use) => {
  if (use.called) use.sink.enter(asText(use.args[0]));
  return undefined;
};

/** Copies a whole tree to another place. */
export function copiesTree(from = 0, to = 1): Effect {
  return (use) => {
    readsTree(from)(use);
    return writes(to)(use);
  };
}

/** A module by its path: hermod's own does what hermod does. */
export function loadsModule(sink: Sink, text: string, at: Place): void {
  if (
    /^(?:[./]|file:)/.test(text) &&
    sink.paths(text.replace(/^file:\/\//, '')).some((path) => isOwnProgram(path, sink.facts))
  )
    sink.report('self.launcher', at, "loads hermod's own program");
}

/** `open(path, mode)`: reading or writing by the mode. */
export function opens(
  pathIndex: number,
  modeIndex: number,
  modeName: string,
  writing = /[wax+]|O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/,
): Effect {
  return (use) => {
    if (!use.called) return undefined;
    const mode = use.args[modeIndex] ?? use.named.get(modeName) ?? use.named.get('flags');
    const path = use.args[pathIndex] ?? use.named.get('file') ?? use.named.get('path');
    const text = mode?.kind === 'ref' ? mode.name : constantText(mode);
    const write = mode !== undefined && (text === null || writing.test(text));
    for (const choice of choicesOf(path)) {
      if (write) writePath(use, choice);
      else readPath(use, choice);
    }
    return path ? { kind: 'ref', name: 'file', of: path } : undefined;
  };
}

export function shells(index = 0, ...names: readonly string[]): Effect {
  return (use) => {
    const value = use.args[index] ?? names.map((name) => use.named.get(name)).find((found) => found !== undefined);
    spawnText(use, value);
    return undefined;
  };
}

/** One text is for a shell, a list is words. */
function spawnText(use: Use, value: Value | undefined): void {
  if (use.called && value?.kind === 'list') spawnWords(use, value.items.map(asText));
  else if (use.called && value?.kind === 'text') {
    if (hasUnknown(value.text)) use.sink.report('code.spawn', use.at);
    use.sink.shell(value.text, use.at);
  } else use.sink.report('code.spawn', use.at);
}

function spawnWords(use: Use, words: readonly string[]): void {
  const [first] = words;
  if (first === undefined || !isKnown(first)) use.sink.report('code.spawn', use.at);
  else {
    if (!words.every(isKnown)) use.sink.report('code.spawn', use.at);
    use.sink.argv(words, use.at);
  }
}

/** `subprocess.run(list or text, shell=...)`. */
export const runsProcess: Effect = (use) => {
  spawnText(use, use.args[0] ?? use.named.get('args') ?? use.named.get('cmd'));
  return undefined;
};

/** Words as separate arguments, `system('rm', '-rf', 'x')`; a single one is for a shell. */
export const systemWords: Effect = (use) => {
  const args = use.args.filter((arg) => arg.kind !== 'record');
  if (use.called && args.length > 1)
    spawnWords(
      use,
      args.flatMap((arg) => (arg.kind === 'list' ? arg.items.map(asText) : [asText(arg)])),
    );
  else spawnText(use, args[0]);
  return undefined;
};

/** A program and a list of words, `spawn('rm', ['-rf', 'x'], {shell: true})`. */
export function programAndList(skip = 0): Effect {
  return (use) => {
    const program = use.args[skip];
    const list = use.args[skip + 1];
    if (!use.called || program?.kind !== 'text') {
      use.sink.report('code.spawn', use.at);
      return undefined;
    }
    const words =
      list?.kind === 'list' ? list.items.map(asText) : list === undefined || list.kind === 'record' ? [] : [UNKNOWN];
    const options = use.args.find((arg) => arg.kind === 'record');
    const shell = options?.kind === 'record' ? options.fields.get('shell') : undefined;
    if (shell && !(shell.kind === 'ref' && shell.name === 'false'))
      spawnText(use, { kind: 'text', text: [program.text, ...words].join(' ') });
    else spawnWords(use, [program.text, ...words]);
    return undefined;
  };
}

/** `execlp(file, arg0, ...)`: the program, then its words with their own name first. */
export function execWords(skip = 0): Effect {
  return (use) => {
    const args = use.args.slice(skip);
    const list = args.find((arg) => arg.kind === 'list');
    if (!use.called || args[0] === undefined) use.sink.report('code.spawn', use.at);
    else if (list?.kind === 'list') spawnWords(use, [asText(args[0]), ...list.items.slice(1).map(asText)]);
    else if (args.length > 1 && args.slice(1).every((arg) => arg.kind === 'unknown'))
      use.sink.report('code.spawn', use.at);
    else
      spawnWords(use, [
        asText(args[0]),
        ...args
          .slice(2)
          .filter((arg) => arg.kind === 'text')
          .map(asText),
      ]);
    return undefined;
  };
}

/** `os.kill(pid, signal)`; signal 0 only asks whether it is there. */
export function signals(pidIndex: number, signalIndex: number): Effect {
  return (use) => {
    const pid = use.args[pidIndex];
    const signal = use.args[signalIndex];
    if (signal?.kind === 'number' && signal.number === 0) return undefined;
    if (pid?.kind === 'number' && pid.number === -1) use.sink.report('proc.all', use.at);
    else if (pid?.kind === 'ref' && /(?:^|\.)(?:getppid\(\)|posix_getppid\(\)|ppid)$/.test(pid.name))
      use.sink.report('self.stop', use.at);
    else if (pid?.kind === 'number' && [use.sink.facts.pid, use.sink.facts.parentPid].includes(Math.abs(pid.number)))
      use.sink.report('self.stop', use.at);
    else use.sink.report('proc.kill', use.at, 'signals a process');
    return undefined;
  };
}

export function reports(rule: string, why?: string): Effect {
  return (use) => {
    use.sink.report(rule, use.at, why);
    return undefined;
  };
}

export const sends: Effect = (use) => {
  if (callsOwn(use)) use.sink.report('self.api', use.at);
  use.sink.report('code.send', use.at);
  return undefined;
};
export const native = reports('code.native');
export const dynamic = reports('code.dynamic', 'runs code that is put together when it runs');

/** Nothing dangerous; gives a value. */
export function gives(make: (use: Use) => Value | undefined): Effect {
  return (use) => (use.called ? make(use) : undefined);
}

/** The pattern of a glob as a path with open characters. */
export const globbed = gives((use) => {
  const text = constantText(use.args[0]);
  return text === null ? undefined : { kind: 'text', text: activateGlobs(text) };
});

/** Variables whose values are known to the judge. */
export function envText(name: string, sink: Sink): string | undefined {
  const { home, user, hermodHome } = sink.facts;
  switch (name) {
    case 'HOME':
    case 'USERPROFILE':
      return home;
    case 'USER':
    case 'LOGNAME':
      return user;
    case 'PWD':
      return sink.cwd();
    case 'HERMOD_HOME':
    case 'HERMES_HOME':
      return hermodHome;
    default:
      return undefined;
  }
}

/** `os.getenv('HOME')`. */
export const readsEnv = gives((use) => {
  const text = envText(constantText(use.args[0]) ?? '', use.sink);
  return text === undefined ? undefined : { kind: 'text', text };
});

/** `os.getcwd()`. */
export const folderNow = gives((use) => ({ kind: 'text', text: use.sink.cwd() }));

/** `path.dirname(x)`: one up. */
export const folderOf = gives((use) => ({ kind: 'text', text: `${asText(use.args[0])}/..` }));

export const joinsPath = gives((use) => ({
  kind: 'text',
  text: use.args
    .map(asText)
    .reduce((all, part) => (part.startsWith('/') || all === '' ? part : `${all.replace(/\/$/, '')}/${part}`), ''),
}));

/** First argument unchanged. */
export const same = gives((use) => use.args[0]);

/** hermod's own interface, by its URL or by host and port apart. */
function callsOwn(use: Use): boolean {
  const { facts } = use.sink;
  const values = [...use.args, ...use.named.values()].flatMap(flat);
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

function flat(value: Value): readonly Value[] {
  if (value.kind === 'list') return value.items.flatMap(flat);
  if (value.kind === 'record') return [...value.fields.values()].flatMap(flat);
  return value.kind === 'ref' && value.of ? flat(value.of) : [value];
}

const METADATA = /169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|100\.100\.100\.200/;

/** A plain request; only the metadata service and what is sent along matter. */
export function requests(sendsWhen: (use: Use) => boolean = () => false): Effect {
  return (use) => {
    if (use.args.some((arg) => METADATA.test(asText(arg)))) use.sink.report('net.metadata', use.at);
    if (use.called && callsOwn(use)) use.sink.report('self.api', use.at);
    if (use.called && sendsWhen(use)) use.sink.report('code.send', use.at);
    return undefined;
  };
}
