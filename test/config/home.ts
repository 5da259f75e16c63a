import { type Loaded, type LoadInput, loadConfig } from '../../src/config/load.ts';

/** The files of a home in memory; names relative to it, or absolute. */
export type Files = Readonly<Record<string, string>>;

/** Loads a home that consists of these files. */
export function load(files: Files, more: Partial<LoadInput> = {}): Loaded {
  const readFile = (path: string): string => {
    const text = files[path] ?? files[path.replace('/home/me/.hermod/', '')];
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return text;
  };
  return loadConfig({ home: '/home/me/.hermod', env: { HOME: '/home/me' }, set: [], readFile, ...more });
}

/** What is wrong with a `config.yaml`. */
export function problemsOf(yaml: string, more: Partial<LoadInput> = {}, files: Files = {}): readonly string[] {
  const loaded = load({ ...files, 'config.yaml': yaml }, more);
  return loaded.ok ? [] : loaded.problems;
}

/** The configuration of a `config.yaml` that must be right. */
export function configOf(yaml: string, more: Partial<LoadInput> = {}, files: Files = {}) {
  const loaded = load({ ...files, 'config.yaml': yaml }, more);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded;
}
