import { entryOf } from '../shell/lookup.ts';
import type { Effect, Use } from './effects.ts';
import {
  character,
  choicesOf,
  decodes,
  deletes,
  deletesSelf,
  dynamic,
  execWords,
  folderNow,
  folderOf,
  gives,
  globbed,
  itself,
  joinsList,
  joinsPath,
  native,
  opens,
  readPath,
  reads,
  readsEnv,
  readsSelf,
  reports,
  runsProcess,
  same,
  shells,
  signals,
  writePath,
  writes,
  writesSelf,
} from './effects.ts';
import { formatsBraces } from './formats.ts';
import type { Language, Reading } from './language.ts';
import { sqlEffect } from './sql.ts';
import { copiesTree, entersFolder, readsTree, walks } from './tree-effects.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, constantText, fits, isComputed, joinedBy, onlyParts, textOf, textValue } from './values.ts';
import { callsOwnSocket, requests, sends } from './web-effects.ts';

const spawnAny = reports('code.spawn');

/** `Path(x).rglob('*')`. */
const walksSelf: Effect = (use) => walks()({ ...use, args: [use.on ?? ANYTHING] });

/** A query set that nothing narrowed. */
const deletesEveryRow: Effect = (use) => {
  if (/\bobjects\.(?:all\(\)\.)?(?:_raw_)?delete$/.test(use.name))
    use.sink.report('sql.loss', use.at, 'deletes every row of a table');
  return undefined;
};

const pathOf: Effect = gives((use) => ({ kind: 'ref', name: 'pathlib.Path()', of: joinArgs(use) }));

function joinArgs({ args, sink }: Use): Value {
  const parts = args.map((arg) => asText(arg.kind === 'ref' ? arg.of : arg));
  if (parts.length === 0) return textValue('.');
  const text = parts.reduce((all, part) => (part.startsWith('/') ? part : `${all}/${part}`));
  return fits(text.length, sink.budget) ? textOf(text, args) : onlyParts(args);
}

const expand: Effect = gives((use) => {
  const text = constantText(use.args[0] ?? use.on);
  return text === null ? undefined : textValue(text.replace(/^~(?=\/|$)/, use.sink.facts.home));
});

/** `Path(x).open('w')`. */
const openSelf: Effect = (use) => opens(0, 1, 'mode')({ ...use, args: [use.on ?? ANYTHING, ...use.args] });

const movesSelf: Effect = (use) => {
  writesSelf(use);
  for (const text of choicesOf(use.args[0])) writePath(use, text);
  return undefined;
};

const usesNames: Effect = (use) => {
  const name = use.args[1];
  const known = use.args[0]?.kind === 'ref' ? `${use.args[0].name}.${asText(name)}` : '';
  if (constantText(name) === null || Object.hasOwn(EFFECTS, known)) {
    use.sink.report('code.dynamic', use.at, 'picks what it calls when it runs');
  }
  return known === '' ? undefined : { kind: 'ref', name: known };
};

const imports: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (text === null || isComputed(use.args[0])) dynamic(use);
  return text === null ? undefined : { kind: 'ref', name: text };
};

const splits: Effect = gives((use) => {
  const text = constantText(use.args[0] ?? use.on);
  return text === null
    ? undefined
    : {
        kind: 'list',
        items: text
          .split(/\s+/)
          .filter((word) => word !== '')
          .map((word) => textValue(word.replace(/^(['"])(.*)\1$/, '$2'))),
      };
});

/** `map(os.remove, list)`. */
const mapsEach: Effect = (use) => {
  const [by, list] = use.args;
  // A function that is only named was judged as such, and looks called.
  const effect = by?.kind === 'ref' ? entryOf(EFFECTS, by.name.replace(/\(\)$/, '')) : undefined;
  for (const item of list?.kind === 'list' ? list.items : [ANYTHING]) effect?.({ ...use, args: [item] });
  return undefined;
};

const hasData = (use: Use) =>
  use.args.length > 1 || use.named.has('data') || use.named.has('json') || use.named.has('files');

const EFFECTS: Readonly<Record<string, Effect>> = {
  'os.system': shells(0, 'command'),
  'os.popen': shells(0, 'cmd'),
  'os.popen2': shells(0),
  'os.startfile': spawnAny,
  'commands.getoutput': shells(0),
  'commands.getstatusoutput': shells(0),
  'subprocess.run': runsProcess,
  'subprocess.call': runsProcess,
  'subprocess.Popen': runsProcess,
  'subprocess.check_call': runsProcess,
  'subprocess.check_output': runsProcess,
  'subprocess.getoutput': shells(0, 'cmd'),
  'subprocess.getstatusoutput': shells(0, 'cmd'),
  'asyncio.create_subprocess_shell': shells(0, 'cmd'),
  'asyncio.create_subprocess_exec': execAll(),
  'pty.spawn': runsProcess,
  'pexpect.spawn': shells(0),
  'pexpect.run': shells(0),
  'sh.*': spawnAny,
  'plumbum.*': spawnAny,
  'fabric.*': spawnAny,
  'invoke.run': shells(0),
  'os.execl': execWords(),
  'os.execlp': execWords(),
  'os.execle': execWords(),
  'os.execlpe': execWords(),
  'os.execv': execWords(),
  'os.execvp': execWords(),
  'os.execve': execWords(),
  'os.execvpe': execWords(),
  'os.spawnl': execWords(1),
  'os.spawnlp': execWords(1),
  'os.spawnv': execWords(1),
  'os.spawnvp': execWords(1),
  'os.spawnve': execWords(1),
  'os.posix_spawn': execWords(),
  'os.posix_spawnp': execWords(),
  'os.remove': deletes(),
  'os.unlink': deletes(),
  'os.rmdir': deletes(),
  'os.removedirs': deletes(),
  'shutil.rmtree': deletes(),
  'send2trash.send2trash': deletes(),
  '*.unlink': deletesSelf,
  '*.rmdir': deletesSelf,
  '*.rmtree': deletes(),
  'os.rename': writes(0, 1),
  'os.renames': writes(0, 1),
  'os.replace': writes(0, 1),
  'os.truncate': deletes(),
  'os.link': copiesTree(),
  'os.symlink': copiesTree(),
  'os.mkdir': writes(0),
  'os.makedirs': writes(0),
  'os.mknod': writes(0),
  'os.mkfifo': writes(0),
  'os.chmod': writes(0),
  'os.chown': writes(0),
  'os.lchown': writes(0),
  'os.chroot': native,
  'os.open': opens(0, 1, 'flags'),
  'os.kill': signals(0, 1),
  'os.killpg': signals(0, 1),
  'os.abort': gives(() => undefined),
  'os.fork': gives(() => undefined),
  'os.forkpty': gives(() => undefined),
  'os.setuid': native,
  'os.setgid': native,
  'os.seteuid': native,
  'os.path.join': joinsPath,
  'os.path.expanduser': expand,
  'os.path.dirname': folderOf,
  'base64.b64decode': decodes('base64'),
  'base64.standard_b64decode': decodes('base64'),
  'base64.urlsafe_b64decode': decodes('base64'),
  'bytes.fromhex': decodes('hex'),
  'bytearray.fromhex': decodes('hex'),
  'binascii.unhexlify': decodes('hex'),
  'binascii.a2b_base64': decodes('base64'),
  chr: character,
  '*.join': joinsList,
  '*.format': formatsBraces,
  map: mapsEach,
  '*.decode': itself,
  '*.encode': itself,
  '*.strip': itself,
  'os.getcwd': folderNow,
  'os.getenv': readsEnv,
  'os.environ.get': readsEnv,
  'fileinput.FileInput': reads(),
  'linecache.getlines': reads(),
  'linecache.getline': reads(),
  'os.path.abspath': same,
  'os.path.realpath': same,
  'os.path.normpath': same,
  'os.fspath': same,
  'os.listdir': walks(0, globbedFolder()),
  'os.scandir': walks(0, globbedFolder()),
  'os.walk': walks(),
  'os.fwalk': walks(),
  'os.chdir': entersFolder,
  '*.connect': callsOwnSocket,
  'glob.glob': walks(0, globbed),
  'glob.iglob': walks(0, globbed),
  '*.rglob': walksSelf,
  '*.iterdir': walksSelf,
  'shutil.move': writes(0, 1),
  'shutil.copy': copies(),
  'shutil.copy2': copies(),
  'shutil.copyfile': copies(),
  'shutil.copytree': copiesTree(),
  'shutil.chown': writes(0),
  'shutil.make_archive': (use) => {
    readsTree(2)(use);
    return writes(0)(use);
  },
  'file.add': readsTree(),
  'shutil.unpack_archive': writes(1),
  open: opens(0, 1, 'mode'),
  'io.open': opens(0, 1, 'mode'),
  'codecs.open': opens(0, 1, 'mode'),
  'gzip.open': opens(0, 1, 'mode'),
  'bz2.open': opens(0, 1, 'mode'),
  'lzma.open': opens(0, 1, 'mode'),
  'zipfile.ZipFile': opens(0, 1, 'mode'),
  'tarfile.open': opens(0, 1, 'mode'),
  'sqlite3.connect': reads(),
  'builtins.open': opens(0, 1, 'mode'),
  'fileinput.input': inPlace(),
  'pathlib.Path': pathOf,
  'pathlib.PosixPath': pathOf,
  'pathlib.PurePath': pathOf,
  'pathlib.Path.home': gives((use) => ({ kind: 'ref', name: 'pathlib.Path()', of: textValue(use.sink.facts.home) })),
  'pathlib.Path.cwd': gives((use) => ({ kind: 'ref', name: 'pathlib.Path()', of: textValue(use.sink.cwd()) })),
  '*.expanduser': gives((use) => ({
    kind: 'ref',
    name: 'pathlib.Path()',
    of: textValue(asText(use.on).replace(/^~(?=\/|$)/, use.sink.facts.home)),
  })),
  '*.joinpath': gives((use) => ({
    kind: 'ref',
    name: 'pathlib.Path()',
    of: joinedBy('/', [use.on ?? ANYTHING, ...use.args], use.sink.budget),
  })),
  '*.write_text': writesSelf,
  '*.write_bytes': writesSelf,
  '*.read_text': readsSelf,
  '*.read_bytes': readsSelf,
  '*.touch': writesSelf,
  '*.symlink_to': writesSelf,
  '*.hardlink_to': writesSelf,
  'pathlib.Path().rename': movesSelf,
  'pathlib.Path().replace': movesSelf,
  'pathlib.Path().mkdir': writesSelf,
  'pathlib.Path().chmod': writesSelf,
  'pathlib.Path().open': openSelf,
  '*.extractall': (use) => {
    for (const text of choicesOf(use.args[0] ?? use.named.get('path') ?? textValue('.'))) writePath(use, text);
    return undefined;
  },
  '*.to_csv': writesIfNamed(),
  '*.to_json': writesIfNamed(),
  '*.to_excel': writesIfNamed(),
  '*.to_parquet': writesIfNamed(),
  '*.to_pickle': writesIfNamed(),
  '*.savefig': writesIfNamed(),
  '*.to_sql': reports('code.write', 'writes into a database'),
  'numpy.save': writes(0),
  'numpy.savetxt': writes(0),
  'json.loads': gives(() => undefined),
  'shlex.split': splits,
  '*.split': splits,
  eval: dynamic,
  exec: dynamic,
  compile: dynamic,
  execfile: dynamic,
  __import__: (use) => {
    dynamic(use);
    return imports(use);
  },
  'importlib.import_module': imports,
  'importlib.__import__': imports,
  'importlib.util.spec_from_file_location': dynamic,
  'importlib.machinery.SourceFileLoader': dynamic,
  'runpy.run_path': dynamic,
  'runpy.run_module': dynamic,
  'code.interact': dynamic,
  'code.InteractiveInterpreter': dynamic,
  'pickle.loads': dynamic,
  'pickle.load': dynamic,
  'marshal.loads': dynamic,
  'yaml.unsafe_load': dynamic,
  'types.FunctionType': dynamic,
  'types.CodeType': dynamic,
  getattr: usesNames,
  setattr: gives(() => undefined),
  'sys.modules': gives(() => undefined),
  '*.__subclasses__': dynamic,
  '*.__globals__': dynamic,
  '*.__builtins__': dynamic,
  '*.__getattribute__': dynamic,
  '*.__code__': dynamic,
  '*.__loader__': dynamic,
  'ctypes.*': native,
  'cffi.*': native,
  '_ctypes.*': native,
  'cython.*': native,
  'psutil.Process': gives(() => ({ kind: 'ref', name: 'psutil.Process()' })),
  'psutil.Process().kill': reports('proc.kill', 'ends a process'),
  'psutil.Process().terminate': reports('proc.kill', 'ends a process'),
  'psutil.Process().suspend': reports('proc.kill', 'ends a process'),
  'signal.pthread_kill': reports('proc.kill', 'signals a process'),
  'requests.get': requests((use) => use.named.has('data') || use.named.has('json')),
  'requests.head': requests(),
  'requests.post': sends,
  'requests.put': sends,
  'requests.patch': sends,
  'requests.delete': sends,
  'requests.request': requests(
    (use) => !/^(?:GET|HEAD|OPTIONS)$/i.test(asText(use.args[0] ?? use.named.get('method'))),
  ),
  'httpx.get': requests(),
  'httpx.post': sends,
  'httpx.put': sends,
  'httpx.patch': sends,
  'httpx.delete': sends,
  'urllib.request.urlopen': requests(hasData),
  'urllib.request.Request': requests(hasData),
  'urllib.request.urlretrieve': writes(1),
  'urllib2.urlopen': requests(hasData),
  'urllib.urlopen': requests(hasData),
  'socket.gethostbyname': requests(),
  'socket.gethostbyname_ex': requests(),
  'socket.getaddrinfo': requests(),
  'dns.resolver.resolve': requests(),
  'dns.resolver.query': requests(),
  'urllib3.request': requests(),
  'webbrowser.open': requests(),
  'requests.Session().get': requests(),
  'httpx.Client().get': requests(),
  'socket.socket': sends,
  'socket.create_connection': sends,
  'socket.create_server': sends,
  'smtplib.*': sends,
  'ftplib.*': sends,
  'telnetlib.*': sends,
  'paramiko.*': sends,
  'websocket.*': sends,
  'websockets.*': sends,
  'xmlrpc.client.ServerProxy': sends,
  'http.server.*': reports('code.send', 'serves files to the network'),
  'http.client.HTTPConnection': sends,
  'http.client.HTTPSConnection': sends,
  'aiohttp.ClientSession': sends,
  '*.sendall': sends,
  '*.sendto': sends,
  '*.sendmail': sends,
  '*.send_message': sends,
  '*.upload_file': sends,
  '*.upload_fileobj': sends,
  '*.put_object': sends,
  '*.storbinary': sends,
  '*.post': sends,
  '*.delete_object': reports('infra.cloud'),
  '*.delete_objects': reports('infra.cloud'),
  '*.delete_bucket': reports('infra.cloud'),
  '*.terminate_instances': reports('infra.cloud'),
  '*.delete_many': reports('sql.store'),
  '*.drop_database': reports('sql.store'),
  '*.drop_collection': reports('sql.store'),
  '*.flushall': reports('sql.store'),
  '*.flushdb': reports('sql.store'),
  '*.drop_all': reports('sql.store'),
  '*.delete': deletesEveryRow,
  '*.execute': sqlEffect,
  '*.executescript': sqlEffect,
  '*.executemany': sqlEffect,
};

function execAll(): Effect {
  return (use) =>
    runsProcess({
      ...use,
      args: [{ kind: 'list', items: use.args.filter((arg) => arg.kind === 'text' || arg.kind === 'unknown') }],
    });
}

function copies(): Effect {
  return (use) => {
    reads(0)(use);
    return writes(1)(use);
  };
}

function globbedFolder(): Effect {
  return gives((use) => {
    const text = constantText(use.args[0]);
    return text === null ? undefined : textValue(`${text.replace(/\/$/, '')}/\uE001`);
  });
}

function inPlace(): Effect {
  return (use) => {
    const files = use.args[0] ?? use.named.get('files');
    for (const text of choicesOf(files)) {
      if (use.named.has('inplace')) writePath(use, text);
      else if (use.called) readPath(use, text);
    }
    return undefined;
  };
}

function writesIfNamed(): Effect {
  return (use) => {
    const [first] = use.args;
    if (use.called && first && first.kind !== 'ref') for (const text of choicesOf(first)) writePath(use, text);
    return undefined;
  };
}

/** `import a.b as c, d` and `from x import a as b, (c)`. */
function importStatement(scan: Reading): boolean {
  if (scan.is('with')) return false;
  if (scan.is('as')) return bindsOpened(scan);
  if (scan.is('import')) {
    scan.take();
    do {
      const name = dotted(scan);
      const alias = scan.accept('as') ? (scan.take()?.text ?? '') : (name.split('.')[0] as string);
      scan.names.set(alias, { kind: 'ref', name: alias === name.split('.')[0] ? alias : name });
    } while (scan.accept(','));
    return true;
  }
  if (!scan.is('from') || scan.peek(1)?.kind !== 'name') return false;
  scan.take();
  const module = dotted(scan);
  if (!scan.accept('import')) return true;
  scan.accept('(');
  do {
    scan.skipLines();
    if (scan.accept('*')) scan.starred.add(module);
    const token = scan.peek();
    if (token?.kind !== 'name') break;
    scan.take();
    const alias = scan.accept('as') ? (scan.take()?.text ?? '') : token.text;
    scan.names.set(alias, { kind: 'ref', name: `${module}.${token.text}` });
  } while (scan.accept(','));
  scan.accept(')');
  return true;
}

/** `with open(x) as f`. */
function bindsOpened(scan: Reading): boolean {
  const name = scan.peek(1);
  if (name?.kind !== 'name' || !/^(?:ref|any)$/.test(scan.last.kind)) return false;
  scan.take();
  scan.take();
  scan.names.set(name.text, scan.last);
  return true;
}

function dotted(scan: Reading): string {
  let name = scan.take()?.text ?? '';
  while (scan.accept('.')) name += `.${scan.take()?.text ?? ''}`;
  return name;
}

export const python: Language = {
  name: 'python',
  lexicon: {
    keepsBackslash: true,
    line: ['#'],
    quotes: '\'"',
    triple: true,
    newlines: true,
    interpolation: { open: '{', close: '}', in: '\'"' },
    nameStart: /[\p{L}_]/u,
    namePart: /[\p{L}\p{N}_]/u,
  },
  effects: EFFECTS,
  modules: { Path: 'pathlib.Path' },
  statement: importStatement,
  joins: ['+'],
  skipped:
    /^(?:return|yield|await|async|not|and|or|in|is|if|elif|else|while|for|with|as|lambda|assert|raise|del|print|try|except|finally|pass|global|nonlocal|def|class|from|match|case)$/,
  adjacent: true,
  percentFills: true,
  comprehends: true,
  sensitive: /^(?:globals|locals|vars|sys\.modules|__builtins__)(?:\(\))?$/,
  endless:
    /\bwhile\s*(?:\(\s*)?(?:True|1|not False|not 0)\b|\biter\s*\(\s*int\s*,|\bfor\b[^\n]*\b(?:itertools\.)?(?:count|cycle|repeat)\s*\(|os\.fork\(\)\s*(?:or|and)\s*os\.fork/,
};
