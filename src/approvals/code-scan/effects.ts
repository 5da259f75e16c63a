import type { Facts } from '../analysis.ts';
import { isOwnUrl } from '../shell/loopback.ts';
import { activateGlobs, hasUnknown, isKnown, UNKNOWN } from '../shell/marks.ts';
import { isOwn, isOwnSecret, ownPlace } from '../shell/own-places.ts';
import type { Path } from '../shell/paths.ts';
import { isBlockDevice, isInRoots, isProtectedRoot } from '../shell/paths.ts';
import { isSysrqTrigger, protectedPlace, secretAt } from '../shell/places.ts';
import type { Budget } from './budget.ts';
import type { Value } from './values.ts';
import { asText, asTexts, constantText, fits, joinedBy, onlyParts, textOf } from './values.ts';

/** Where a scan reports to. Offsets are of the script being scanned. */
export interface Sink {
  readonly facts: Facts;
  report(rule: string, at: Place, why?: string): void;
  /** A text handed to a shell, in a folder where one is given. */
  shell(text: string, at: Place, folder?: string): void;
  /** A program started with words. */
  argv(words: readonly string[], at: Place, folder?: string): void;
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
  /** What following its values may still cost. */
  readonly budget: Budget;
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
  /** As it is written, `User.objects.all().delete`. */
  readonly name: string;
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
  judgeDeletion(use.sink, use.at, text);
}

/** A removal of a path, unknown where it is not constant. */
export function judgeDeletion(sink: Sink, at: Place, text: string): void {
  const paths = sink.paths(text);
  if (paths.some((path) => isProtectedRoot(path, sink.facts))) sink.report('fs.wipe', at);
  else {
    if (paths.some((path) => isOwn(path, sink.facts))) sink.report('self.files', at);
    sink.report(
      'fs.delete',
      at,
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
  else if (paths.some(isSysrqTrigger)) sink.report('host.stop', use.at);
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
    use.sink.shell(value.text, use.at, folderGiven(use));
  } else use.sink.report('code.spawn', use.at);
}

/** `cwd='..'` among the words or in a record of options. */
function folderGiven(use: Use): string | undefined {
  const records = use.args.flatMap((arg) => (arg.kind === 'record' ? (arg.fields.get('cwd') ?? []) : []));
  const folder = use.named.get('cwd') ?? use.named.get('chdir') ?? records[0];
  return folder === undefined ? undefined : asText(folder);
}

function spawnWords(use: Use, words: readonly string[]): void {
  const [first] = words;
  if (first === undefined || !isKnown(first)) use.sink.report('code.spawn', use.at);
  else {
    if (!words.every(isKnown)) use.sink.report('code.spawn', use.at);
    use.sink.argv(words, use.at, folderGiven(use));
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
  else spawnText(use, args[0]?.kind === 'list' && args[0].items.length === 1 ? args[0].items[0] : args[0]);
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

/** What a decoder makes of a constant. */
export function decodes(encoding?: 'base64' | 'hex'): Effect {
  return gives((use) => {
    const text = constantText(use.args[0]);
    const named = encoding ?? constantText(use.args[1]);
    if (text === null || (named !== 'base64' && named !== 'hex')) return undefined;
    return { kind: 'text', text: Buffer.from(text, named).toString('utf8'), computed: true };
  });
}

/** `','.join(list)` and `list.join(',')`: texts of a list as one. */
export const joinsList = gives((use) => {
  const [first] = use.args;
  const list = use.on?.kind === 'list' ? use.on : first?.kind === 'list' ? first : undefined;
  const by = use.on?.kind === 'text' ? use.on : first;
  if (!list || list.items.length === 0) return undefined;
  const text = joinedBy(by?.kind === 'text' ? by.text : ',', list.items, use.sink.budget);
  return text.kind === 'text' ? { ...text, computed: true } : text;
});

/** A character by its number. */
export const character = gives((use) => {
  const [code] = use.args;
  return code?.kind === 'number' && code.number >= 0 && code.number < 0x110000
    ? { kind: 'text', text: String.fromCodePoint(code.number), computed: true }
    : undefined;
});

/** What it is called on, unchanged. */
export const itself = gives((use) => {
  const of = use.on;
  const cut = use.name.lastIndexOf('.');
  return of && cut > 0 ? { kind: 'ref', name: use.name.slice(0, cut), of } : of;
});

/** `path.dirname(x)`: one up. */
export const folderOf = gives((use) => textOf(`${asText(use.args[0])}/..`, use.args));

export const joinsPath = gives((use) => {
  const text = use.args
    .map(asText)
    .reduce((all, part) => (part.startsWith('/') || all === '' ? part : `${all.replace(/\/$/, '')}/${part}`), '');
  return fits(text.length, use.sink.budget) ? textOf(text, use.args) : onlyParts(use.args);
});

/** First argument unchanged. */
export const same = gives((use) => use.args[0]);
