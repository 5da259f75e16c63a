import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const scripts = join(import.meta.dirname, '../../scripts');
const MAIN = "console.log('main')";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermod-data-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, args, { env: { HERMOD_HOME: home, ...env }, timeout: 20_000 });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

describe('the start of a container', () => {
  const start = (env: Readonly<Record<string, string>> = {}, main = MAIN) =>
    node(['--import', join(scripts, 'container.mjs'), '--input-type=module', '-e', main], env);
  const dotenv = () => readFileSync(join(home, '.env'), 'utf8');

  it('makes a token once, for the owner alone', async () => {
    expect(await start()).toMatchObject({ code: 0, out: 'main\n' });
    const first = dotenv();
    expect(first).toMatch(/^HERMOD_HTTP_TOKEN=[\w-]{43}\n$/);
    expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600);
    await start();
    expect(dotenv()).toBe(first);
  });

  it('adds it to what stands there already', async () => {
    writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=x');
    await start();
    expect(dotenv()).toMatch(/^OPENAI_API_KEY=x\nHERMOD_HTTP_TOKEN=[\w-]{43}\n$/);
  });

  it.each(['HERMOD_HTTP_TOKEN', 'HERMOD_HTTP_TOKEN_FILE'])('leaves it to %s', async (name) => {
    await start({ [name]: 'x' });
    expect(() => dotenv()).toThrow('ENOENT');
  });

  it('does nothing in worker threads', async () => {
    const main =
      "import { Worker } from 'node:worker_threads'; import fs from 'node:fs'; fs.rmSync(process.env.HERMOD_HOME + '/.env'); new Worker('1', { eval: true });";
    expect(await start({}, main)).toMatchObject({ code: 0, err: '' });
    expect(() => dotenv()).toThrow('ENOENT');
  });

  it('says what is wrong with a home it cannot write to', async () => {
    expect(await start({ HERMOD_HOME: join(home, 'absent') })).toEqual({
      code: 78,
      out: '',
      err: `${join(home, 'absent')} does not exist; mount a volume there\n`,
    });
    writeFileSync(join(home, 'file'), '');
    const { code, err } = await start({ HERMOD_HOME: join(home, 'file') });
    expect(code).toBe(78);
    expect(err).toMatch(/belongs to uid \d+, hermod runs as \d+: chown -R \d+ DIR, or use a named volume\n$/);
  });
});

describe('the health check of a container', () => {
  let server: Server;
  let status = 200;
  const asked: (string | undefined)[] = [];

  beforeEach(async () => {
    status = 200;
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => server.close());

  function runFile(folder: string, path = ''): void {
    mkdirSync(join(home, folder, 'run'), { recursive: true });
    const url = `http://0.0.0.0:${(server.address() as AddressInfo).port}${path}`;
    writeFileSync(join(home, folder, 'run/daemon.json'), JSON.stringify({ url }));
  }
  const check = async () => (await node([join(scripts, 'healthcheck.mjs')])).code;

  it.each([
    ['', '', '/healthz'],
    ['practice', '', '/healthz'],
    ['', '/hermod', '/hermod/healthz'],
  ])('asks the daemon of %j below %j', async (folder, path, url) => {
    runFile(folder, path);
    expect(await check()).toBe(0);
    expect(asked).toEqual([url]);
  });

  it('fails when it says so, does not answer, or never began to listen', async () => {
    expect(await check()).toBe(1);
    runFile('');
    status = 503;
    expect(await check()).toBe(1);
    server.close();
    expect(await check()).toBe(1);
  });
});
