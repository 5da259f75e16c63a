import { describe, expect, it } from 'vitest';
import { foundBy, looksForKeys } from '../../../src/approvals/shell/name-filters.ts';
import { resolvePath } from '../../../src/approvals/shell/paths.ts';
import { hoardsBelow } from '../../../src/approvals/shell/secret-trees.ts';
import { FACTS } from '../facts.ts';

const below = (path: string, facts = FACTS) => hoardsBelow(resolvePath(path, facts.cwd), facts).map(({ own }) => own);
const words = (text: string) =>
  text
    .split(' ')
    .map((word) => ({ ...{ text: word, raw: word, taint: 0 }, span: [0, 1], expanded: false, quoted: false }) as const);

describe('what a whole tree holds', () => {
  it.each<[string, readonly boolean[]]>([
    ['.', []],
    ['src', []],
    ['..', [true]],
    ['../..', [true, false]],
    ['/', [true, false]],
    ['/home', [true, false]],
    ['/tmp', []],
    ['/etc', []],
    ['/home/user/projects', []],
    ['/home/user/.config', [false]],
    ['/home/user/.ssh', [false]],
    ['/home/user/.ssh/config', []],
    ['../run', [true]],
    ['../skills', []],
    ['../logs', []],
  ])('%s', (path, owns) => expect(below(path)).toEqual(owns));

  it('what only root may read counts where root reads', () => {
    expect(below('/etc', { ...FACTS, user: 'root' })).toEqual([false]);
    expect(hoardsBelow(resolvePath('/etc', null), FACTS, true)).toMatchObject([{ what: 'password hashes' }]);
  });

  it("hermod's home counts where it lies in no work folder", () => {
    expect(below('/home/user', { ...FACTS, roots: ['/home/user/.hermod'] })).toEqual([false]);
    expect(below('/srv', { ...FACTS, hermodHome: '/srv/hermod' })).toEqual([true]);
  });
});

describe('what a find lets through', () => {
  const admits = (args: string, file: string) => foundBy(words(args), '..')(file.split('/'));

  it.each([
    ['-name .env', '.env', true],
    ['-name .e*', '.env', true],
    ['-iname .ENV', '.env', true],
    ['-name *.log', '.env', false],
    ['! -name *.log', '.env', true],
    ['-name *.log -o -name .env', '.env', true],
    ['-maxdepth 1', 'run/daemon.json', false],
    ['-maxdepth 2', 'run/daemon.json', true],
    ['-type d', '.env', false],
    ['-type f', '.env', true],
    ['-path */run/*', 'run/daemon.json', true],
    ['-path */run/*', '.env', false],
    ['-path */run/* -prune -o -print', '.env', true],
    ['', '.env', true],
  ])('%s: %s is %s', (args, file, let_) => expect(admits(args, file)).toBe(let_));

  it('knows names that hold a key wherever they lie', () => {
    for (const name of ['id_rsa', 'id_*', '*.pem', '.netrc']) expect(looksForKeys(words(`-name ${name}`))).toBe(true);
    for (const name of ['*', '*.json', 'id', '*.txt']) expect(looksForKeys(words(`-name ${name}`))).toBe(false);
    expect(looksForKeys(words('! -name *.pem'))).toBe(false);
  });
});
