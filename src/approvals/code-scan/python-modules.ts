import type { Power } from './language.ts';

/** Modules of Python that delete, start programs or run text, and may be members of others. */
const REACHED = 'os|sys|shutil|subprocess|builtins|importlib|pty|runpy|ctypes';
const THROUGH = new RegExp(
  `^(?:(\\w+)(?:\\.\\w+)*|(?:globals|locals|vars)\\(\\))\\.(?:_?(${REACHED})|__(builtins)__)$`,
);
const TABLE = /^(os|sys|shutil|subprocess|builtins|pty)\.__dict__$/;
const SYSTEM = /^(?:posix|nt)(?=\.|$)/;
/** A function of the script that gives a module. */
const GIVEN = new RegExp(`^(${REACHED})\\(\\)(?=\\.)`);
const BUILTIN = /^(?:builtins|__builtins__|__builtin__)\.(?=\w+$)/;

/** `shutil.os`, `random._os`, `sys.modules.os` and `posix` are `os`; `builtins.eval` is `eval`. */
export function pythonName(name: string, imported: ReadonlySet<string>): string {
  const plain = name.replace(SYSTEM, 'os').replace(BUILTIN, '').replace(GIVEN, '$1');
  const table = TABLE.exec(plain)?.[1];
  if (table !== undefined) return table;
  const through = THROUGH.exec(plain);
  if (!through) return plain;
  const isKnown = through[1] === undefined || imported.has(through[1]);
  return isKnown ? ((through[2] ?? through[3]) as string) : plain;
}

export const pythonPower: Power = {
  modules: /^(?:os|shutil|subprocess|builtins|__builtins__|pty)$/,
  byImport: true,
  lookers:
    /^(?:print|pprint|dir|help|hasattr|type|id|repr|str|len|bool|callable|isinstance|format|(?:inspect|pprint|pydoc|logging|doctest)\.\w+|importlib\.reload|sys\.getsizeof|(?:[\w.()]*\.)?(?:patch\.object|patch|setattr|delattr))$/,
  givers: /^(?:return|yield|lambda|else|match|=|:|and|or)$/,
  tuples: true,
};
