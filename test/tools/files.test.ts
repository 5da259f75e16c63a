import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../../src/tools/atomic-write.ts';
import { lexicalPath, openRegular } from '../../src/tools/file-access.ts';
import { createListFiles } from '../../src/tools/list-files.ts';
import { createReadFile } from '../../src/tools/read-file.ts';
import { SeenFiles } from '../../src/tools/seen-files.ts';
import { createWriteFile } from '../../src/tools/write-file.ts';
import { chatRun } from '../fakes/runs.ts';
import { temporaryFolder, useTool } from './tool-fixture.ts';

describe('file tools', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let at: (...parts: string[]) => string;
  let seen: SeenFiles;
  beforeEach(() => {
    folder = temporaryFolder();
    at = (...parts) => join(folder.path, ...parts);
    for (const name of ['home', 'home/work', 'home/run', 'outside']) mkdirSync(at(name));
    writeFileSync(at('home/.env'), 'KEY=sk-1');
    writeFileSync(at('home/run/daemon.json'), '{}');
    writeFileSync(at('outside/secret.txt'), 'private');
    seen = new SeenFiles();
  });
  afterEach(() => folder.remove());

  const places = () => ({ workspace: at('home/work'), roots: [], home: at('home') });
  const work = (...parts: string[]) => at('home/work', ...parts);
  const read = (path: string, more: object = {}, session = 's1') =>
    useTool(createReadFile({ places: places(), seen }), { path, ...more }, { run: chatRun({ session }) });
  const write = (path: string, content: string, session = 's1') =>
    useTool(createWriteFile({ places: places(), seen }), { path, content }, { run: chatRun({ session }) });
  const list = (path?: string) => useTool(createListFiles({ places: places() }), path === undefined ? {} : { path });

  describe('read_file', () => {
    it('numbers lines and goes on where it ended', async () => {
      writeFileSync(work('a.txt'), 'one\r\ntwo\nthree');
      expect(await read('a.txt')).toEqual({ text: '1\tone\n2\ttwo\n3\tthree', isError: false });
      expect((await read('a.txt', { limit: 1, offset: 2 })).text).toBe(
        '2\ttwo\n[lines 2 to 2 of 3; go on with offset 3]',
      );
      expect((await read('a.txt', { offset: 9 })).text).toBe('[there is no line 9; the last is 3]');
    });

    it('shows at most 2,000 lines of 2,000 characters', async () => {
      writeFileSync(work('long.txt'), `${'x'.repeat(200_000)}\n${'y\n'.repeat(3000)}`);
      const lines = (await read('long.txt')).text.split('\n');
      expect(lines[0]).toBe(`1\t${'x'.repeat(2000)} [198000 characters more]`);
      expect(lines.at(-1)).toBe('[lines 1 to 2000 of 3001; go on with offset 2001]');
    });

    it('says what is empty and what is binary, and drops a byte order mark', async () => {
      writeFileSync(work('e'), '');
      writeFileSync(work('pic.PNG'), Buffer.from([137, 80, 78, 71, 0, 0]));
      writeFileSync(work('bom'), '\ufeffx\n');
      expect((await read('e')).text).toBe('(empty file)');
      expect((await read('pic.PNG')).text).toBe('pic.PNG is binary (png), 6 B; it is not shown.');
      expect((await read('bom')).text).toBe('1\tx');
    });

    it('names the nearest three when there is no such file', async () => {
      for (const name of ['notes.md', 'note.txt', 'other', 'zebra']) writeFileSync(work(name), '');
      expect(await read('notes.txt')).toEqual({
        text: 'notes.txt does not exist. Nearest: note.txt, notes.md, other.',
        isError: true,
      });
      expect((await read('no/where')).text).toContain('nor does its folder');
    });

    it('reads a kept result of the own session by its call', async () => {
      const call = 'a'.repeat(26);
      const result = (session: string, id: string) => (session === 's1' && id === call ? 'line 1\nline 2' : undefined);
      const tool = createReadFile({ places: places(), seen, result });
      expect(tool.paths?.({ path: `result:${call}` })).toEqual([]);
      expect((await useTool(tool, { path: `result:${call}`, offset: 2 })).text).toBe('2\tline 2');
      expect(await useTool(tool, { path: `result:${call}` }, { run: chatRun({ session: 's2' }) })).toMatchObject({
        isError: true,
      });
    });
  });

  describe('what is not opened', () => {
    it('tells the gate where a path with .. leads', () => {
      const { paths } = createReadFile({ places: places(), seen });
      expect(paths?.({ path: 'x/../../../outside/secret.txt' })).toEqual([
        { path: at('outside/secret.txt'), use: 'read' },
      ]);
      expect(lexicalPath('a/./b/..', places())).toBe(work('a'));
    });

    it('a link out of the work folders, to a file, a folder, or through a folder', async () => {
      symlinkSync(at('outside/secret.txt'), work('file'));
      symlinkSync(at('outside'), work('dir'));
      for (const path of ['file', 'dir/secret.txt', 'dir/new/deep.txt']) {
        expect(await read(path)).toMatchObject({
          isError: true,
          text: expect.stringContaining('leads out of the work folders'),
        });
        expect(await write(path, 'x')).toMatchObject({
          isError: true,
          text: expect.stringContaining('leads out of the work folders'),
        });
      }
      expect(await list('dir')).toMatchObject({ isError: true });
      expect(readFileSync(at('outside/secret.txt'), 'utf8')).toBe('private');
      expect(readdirSync(at('outside'))).toEqual(['secret.txt']);
    });

    it('a file outside that is itself a link, whatever the gate said', async () => {
      symlinkSync(at('outside/secret.txt'), at('outside/alias'));
      expect(await read('../../outside/alias')).toMatchObject({
        isError: true,
        text: expect.stringContaining('is a link to'),
      });
    });

    it("hermod's own data, by any way", async () => {
      linkSync(at('home/.env'), work('hard'));
      linkSync(at('home/run/daemon.json'), work('hard2'));
      symlinkSync(at('home/.env'), work('soft'));
      writeFileSync(at('home/hermod.db.bak-1'), '');
      const ways = [
        '../.env',
        at('home/.env'),
        'hard',
        'hard2',
        '../run/daemon.json',
        '../hermod.db',
        '../hermod.db.bak-1',
        '../results/x/y.txt',
        '/proc/self/environ',
        '/proc/1/mem',
        `/proc/${process.pid}/task/${process.pid}/environ`,
      ];
      for (const path of ways) {
        expect(await read(path)).toEqual({ isError: true, text: "Not opened: hermod's own data is sealed." });
        expect(await write(path, 'x')).toMatchObject({ isError: true });
      }
      expect(await read('soft')).toMatchObject({ isError: true });
      expect(await list('../run')).toMatchObject({ isError: true });
      expect(readFileSync(at('home/.env'), 'utf8')).toBe('KEY=sk-1');
    });

    it('devices, fifos and folders, without hanging', async () => {
      spawnSync('mkfifo', [work('fifo')]);
      for (const path of ['fifo', '/dev/zero', '.']) {
        expect(await read(path)).toMatchObject({ isError: true });
        expect(await write(path, 'x')).toMatchObject({ isError: true });
      }
      expect((await read('fifo')).text).toContain('is a fifo, no file');
      expect((await read('/dev/zero')).text).toContain('is a device, no file');
    });

    it('a file that was swapped for a link between the look and the opening', async () => {
      writeFileSync(work('a'), 'mine');
      mkdirSync(work('dir'));
      writeFileSync(work('dir/secret.txt'), 'mine');
      symlinkSync(at('outside/secret.txt'), work('swapped'));
      await expect(openRegular(work('swapped'), places())).rejects.toThrow(/ELOOP/);
      renameSync(work('dir'), work('old'));
      symlinkSync(at('outside'), work('dir'));
      await expect(openRegular(work('dir/secret.txt'), places())).rejects.toThrow(/was replaced while it was opened/);
      await expect(writeAtomically(work('dir/new.txt'), Buffer.from('x'), undefined, async () => {})).rejects.toThrow();
      expect(existsSync(at('outside/new.txt'))).toBe(false);
    });

    it('a folder swapped for a link in the middle of a write gets nothing', async () => {
      mkdirSync(work('dir'));
      await writeAtomically(work('dir/new.txt'), Buffer.from('x'), undefined, async () => {
        renameSync(work('dir'), work('moved'));
        symlinkSync(at('outside'), work('dir'));
      });
      expect(existsSync(at('outside/new.txt'))).toBe(false);
      expect(readFileSync(work('moved/new.txt'), 'utf8')).toBe('x');
    });
  });

  describe('write_file', () => {
    it('makes folders and says what it did', async () => {
      expect(await write('a/b/c.txt', 'x\ny\n')).toEqual({ text: 'Created a/b/c.txt: 2 lines, 4 B.', isError: false });
      expect(readFileSync(work('a/b/c.txt'), 'utf8')).toBe('x\ny\n');
      expect(readdirSync(work('a/b'))).toEqual(['c.txt']);
    });

    it('replaces only what this session has seen as it is', async () => {
      writeFileSync(work('n'), 'old');
      expect((await write('n', 'new')).text).toBe('Not written: n exists; read it before you replace it.');
      await read('n');
      writeFileSync(work('n'), 'by an editor');
      expect((await write('n', 'new')).text).toBe('Not written: n: it changed since you read it; read it again.');
      await read('n');
      expect(await write('n', 'new', 's2')).toMatchObject({ isError: true });
      expect(await write('n', 'new')).toMatchObject({ isError: false });
      expect(await write('n', 'newer')).toMatchObject({ isError: false });
      expect(readFileSync(work('n'), 'utf8')).toBe('newer');
    });

    it('keeps mode, line ends, byte order mark, and the link through which it was reached', async () => {
      writeFileSync(work('script.sh'), '\ufeffa\r\nb\r\n');
      chmodSync(work('script.sh'), 0o750);
      symlinkSync('script.sh', work('link'));
      await read('link');
      expect(await write('link', 'c\nd')).toMatchObject({ isError: false });
      expect(readFileSync(work('script.sh'), 'utf8')).toBe('\ufeffc\r\nd');
      expect(statSync(work('script.sh')).mode & 0o777).toBe(0o750);
      expect(readdirSync(work()).sort()).toEqual(['link', 'script.sh']);
    });

    it('notices an editor between the comparison and the rename', async () => {
      writeFileSync(work('n'), 'old');
      const check = async () => {
        throw new Error('changed');
      };
      await expect(writeAtomically(work('n'), Buffer.from('new'), undefined, check)).rejects.toThrow('changed');
      expect(readFileSync(work('n'), 'utf8')).toBe('old');
      expect(readdirSync(work())).toEqual(['n']);
    });

    it('names the protected changes', () => {
      const { change } = createWriteFile({ places: places(), seen });
      const kinds = ['AGENTS.md', 'sub/AGENTS.md', '../SOUL.md', '../skills/x/SKILL.md', 'notes.md'].map((path) =>
        change?.({ path, content: '' }),
      );
      expect(kinds).toEqual(['project', 'project', 'project', 'skill', undefined]);
    });

    it('leaves the old or the new file when it is killed', async () => {
      const contents = ['a'.repeat(300_000), 'b'.repeat(500_000)];
      writeFileSync(work('big'), contents[0] as string);
      const script = `import { writeAtomically } from ${JSON.stringify(new URL('../../src/tools/atomic-write.ts', import.meta.url).href)};
        for (let i = 1; ; i++) { await writeAtomically(${JSON.stringify(work('big'))}, Buffer.from(i % 2 ? 'b'.repeat(500000) : 'a'.repeat(300000)), undefined, async () => {}); if (i === 1) console.log('up'); }`;
      for (let round = 0; round < 5; round++) {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await new Promise((resolve) => child.stdout.once('data', resolve));
        for (let i = 0; i < round * 3; i++) await new Promise((resolve) => setImmediate(resolve));
        child.kill('SIGKILL');
        await new Promise((resolve) => child.once('exit', resolve));
        expect(contents).toContain(readFileSync(work('big'), 'utf8'));
      }
    });
  });

  describe('list_files', () => {
    it('shows names, sizes and kinds', async () => {
      mkdirSync(work('sub'));
      writeFileSync(work('b.txt'), 'x'.repeat(2048));
      writeFileSync(work('.hidden'), '');
      symlinkSync('b.txt', work('link'));
      expect((await list()).text).toBe('.hidden  0 B\nb.txt  2.0 KB\nlink  (a link)\nsub/');
      expect((await list('sub')).text).toBe('sub is empty.');
      expect(await list('nothing')).toMatchObject({ isError: true, text: expect.stringContaining('Nearest') });
      expect(await list('b.txt')).toMatchObject({ isError: true });
    });

    it('names at most 500', async () => {
      mkdirSync(work('many'));
      for (let i = 0; i < 510; i++) writeFileSync(work('many', `f${i}`), '');
      const lines = (await list('many')).text.split('\n');
      expect(lines).toHaveLength(501);
      expect(lines.at(-1)).toContain('10 more');
      rmSync(work('many'), { recursive: true });
    });
  });
});
