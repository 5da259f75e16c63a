import { activateGlobs, isKnown, STAR } from '../shell/marks.ts';
import { isProtectedRoot } from '../shell/paths.ts';
import type { Effect, Use } from './effects.ts';
import {
  choicesOf,
  deletes,
  deletesSelf,
  folderNow,
  folderOf,
  gives,
  globbed,
  joinsPath,
  opens,
  readPath,
  reads,
  readsSelf,
  reports,
  same,
  writePath,
  writes,
  writesSelf,
} from './effects.ts';
import { copiesTree, entersFolder, readsTree, walks } from './tree-effects.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, constantText, fits, joinedBy, onlyParts, textOf, textValue } from './values.ts';

/** `Path('/').rglob('*')`: below a protected root any path could be one. */
const walksSelf: Effect = (use) => {
  walks()({ ...use, args: [use.on ?? ANYTHING] });
  const pattern = use.args[0] ? activateGlobs(asText(use.args[0])) : STAR;
  const below = rootsOf(use, use.on).map((root): Value => textValue(`${root}/${pattern}`));
  return { kind: 'any', items: [...below, ANYTHING].map((of) => ({ kind: 'ref', name: 'pathlib.Path()', of })) };
};

/** `os.walk('/')`: folders, and the names in them; below a protected root any could be one. */
const walksFolders: Effect = (use) => {
  walks()(use);
  const roots = rootsOf(use, use.args[0]);
  if (roots.length === 0) return undefined;
  const names: Value = { kind: 'list', items: [textValue(STAR)] };
  const folders: readonly Value[] = [...roots.map(textValue), ANYTHING];
  return { kind: 'list', items: folders.map((folder) => ({ kind: 'list', items: [folder, names, names] })) };
};

function rootsOf({ called, sink }: Use, value: Value | undefined): readonly string[] {
  const texts = called && value ? choicesOf(value) : [];
  return texts.filter((text) => isKnown(text) && sink.paths(text).some((path) => isProtectedRoot(path, sink.facts)));
}

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

/** Files, folders and paths. */
export const pythonFiles: Readonly<Record<string, Effect>> = {
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
  'os.open': opens(0, 1, 'flags'),
  'os.path.join': joinsPath,
  'os.path.expanduser': expand,
  'os.path.dirname': folderOf,
  'os.getcwd': folderNow,
  'fileinput.FileInput': reads(),
  'linecache.getlines': reads(),
  'linecache.getline': reads(),
  'os.path.abspath': same,
  'os.path.realpath': same,
  'os.path.normpath': same,
  'os.fspath': same,
  'os.listdir': walks(0, globbedFolder()),
  'os.scandir': walks(0, globbedFolder()),
  'os.walk': walksFolders,
  'os.fwalk': walksFolders,
  'os.chdir': entersFolder,
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
};

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
