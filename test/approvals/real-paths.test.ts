import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facts, ResolvedCommand } from '../../src/approvals/analysis.ts';
import { analyze } from '../../src/approvals/analyze.ts';
import { linkFindings } from '../../src/approvals/link-findings.ts';
import { pathFindings } from '../../src/approvals/path-findings.ts';
import { absolutePath, realPath } from '../../src/approvals/real-paths.ts';
import { scriptHash } from '../../src/approvals/script-hash.ts';
import { toyDetector } from '../fakes/approval-world.ts';
import { FACTS } from './facts.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hermod-paths-')));
  mkdirSync(join(root, 'work'));
  mkdirSync(join(root, 'secret'));
  symlinkSync(join(root, 'secret'), join(root, 'work', 'link'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const command = (...argv: readonly (string | null)[]): ResolvedCommand => ({
  argv,
  program: argv[0]?.split('/').at(-1) ?? null,
  wrappers: [],
  cwd: join(root, 'work'),
  assignments: [],
  span: [3, 9],
});
const analysis = (...commands: readonly ResolvedCommand[]) => {
  return { grade: 'safe', findings: [], commands, readable: true, sudoStdin: false, grantBar: null, code: [] } as const;
};

describe('real paths', () => {
  it('follow links as far as something exists', async () => {
    expect(await realPath(join(root, 'work', 'link', 'new', 'file'))).toBe(join(root, 'secret', 'new', 'file'));
    expect(await realPath(join(root, 'work', 'plain'))).toBe(join(root, 'work', 'plain'));
    expect(await realPath('/')).toBe('/');
  });

  it('are seen from the folder of the call and the home', () => {
    expect(absolutePath('a/../b', '/w', '/h')).toBe('/w/b');
    expect(absolutePath('~/a', '/w', '/h')).toBe('/h/a');
    expect(absolutePath('/a', '/w', '/h')).toBe('/a');
  });
});

describe('paths of a tool', () => {
  const finding = (path: string) => {
    return {
      rule: 'fs.protected',
      grade: 'dangerous',
      span: [0, 1],
      why: `writes ${path}`,
      personOnly: false,
      smart: false,
    } as const;
  };
  const seen: string[] = [];
  const detector = {
    gradePaths: (uses: readonly { path: string }[]) => {
      seen.push(...uses.map(({ path }) => path));
      return uses.filter(({ path }) => path.includes('secret')).map(({ path }) => finding(path));
    },
  };

  it('are judged beside what was given, so that a link only makes it stricter; spans lie in the text', async () => {
    const facts = { cwd: join(root, 'work'), home: root, roots: [join(root, 'work')] } as unknown as Facts;
    const place = { facts, readOutside: false, realPath };
    const found = await pathFindings([{ path: 'link/x', use: 'write' }], 'write_file\npath: link/x', detector, place);
    expect(seen).toEqual([join(root, 'work', 'link', 'x'), join(root, 'secret', 'x')]);
    expect(found.map(({ rule, span }) => [rule, ...span])).toEqual([
      ['fs.protected', 17, 23],
      ['files.outside', 17, 23],
    ]);
    expect(found[1]?.why).toBe(`writes ${join(root, 'secret', 'x')}, outside the work folders`);
  });
});

describe('links in a command', () => {
  const facts = { roots: ['/w'], cwd: '/w' } as unknown as Facts;
  const seen: string[] = [];
  const detector = {
    ...toyDetector,
    analyze: (text: string) => {
      seen.push(text);
      const findings = [
        {
          rule: 'fs.protected',
          grade: 'dangerous',
          span: [0, 1],
          why: 'writes there',
          personOnly: false,
          smart: false,
        },
      ] as const;
      return { ...analysis(), findings };
    },
  };

  it('are judged as what they point at', async () => {
    const found = await linkFindings(analysis(command('rm', '-f', "link/o'x")), facts, detector, realPath);
    expect(seen).toEqual([`'rm' '-f' '${join(root, 'secret')}/o'\\''x'`]);
    expect(found).toMatchObject([{ rule: 'fs.protected', span: [3, 9], why: 'writes there, through a link' }]);
  });

  it('are judged where a redirection opens them', async () => {
    seen.length = 0;
    const { commands } = analyze('cat < link/x', { ...FACTS, cwd: join(root, 'work') });
    const found = await linkFindings({ ...analysis(), commands }, facts, detector, realPath);
    expect(seen).toEqual([`'cat' < '${join(root, 'secret', 'x')}'`]);
    expect(found).toHaveLength(1);
  });

  it('are judged beside words only known when it runs', async () => {
    seen.length = 0;
    await linkFindings(analysis(command('rm', null, 'link/x')), facts, detector, realPath);
    expect(seen).toEqual([`'rm' "$word" '${join(root, 'secret', 'x')}'`]);
  });

  it('are asked about where they are too many to look up', async () => {
    const words = Array.from({ length: 1_000 }, (_, i) => `a${i}`);
    const found = await linkFindings(analysis(command('cat', ...words)), facts, detector, realPath);
    expect(found).toMatchObject([{ rule: 'shell.unreadable', grade: 'dangerous', personOnly: true }]);
    expect(await linkFindings(analysis(command('cat', ...words.slice(1))), facts, detector, realPath)).toEqual([]);
  });

  it('cost nothing where there are none', async () => {
    seen.length = 0;
    expect(
      await linkFindings(analysis(command('rm', 'plain'), command('rm', null)), facts, detector, realPath),
    ).toEqual([]);
    expect(seen).toEqual([]);
  });
});

describe('script hash', () => {
  const hash = (...argv: readonly string[]) => scriptHash({ guard: 'shell', analysis: analysis(command(...argv)) });

  it('changes with the file that an interpreter or the command itself runs', async () => {
    writeFileSync(join(root, 'work', 'a.py'), 'print(1)');
    const [byName, direct] = [await hash('python3', '-u', 'a.py', 'x'), await hash('./a.py')];
    expect(byName).toMatch(/^[0-9a-f]{64}$/);
    expect(direct).toBe(byName);
    writeFileSync(join(root, 'work', 'a.py'), 'print(2)');
    expect(await hash('python3', '-u', 'a.py', 'x')).not.toBe(byName);
  });

  it('is null where nothing is run from a file', async () => {
    expect(await hash('rm', '-rf', 'build')).toBeNull();
    expect(await hash('python3', 'gone.py')).toBeNull();
    expect(await scriptHash({ guard: 'code', analysis: undefined })).toBeNull();
  });
});
