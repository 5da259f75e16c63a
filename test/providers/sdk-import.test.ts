import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ModelServer } from '../fakes/model-server.ts';

const require = createRequire(import.meta.url);
let server: ModelServer | undefined;
afterEach(() => server?.stop());

/** Builds every kind of provider in a fresh process and tells which SDK modules were loaded before and after the first answer. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({ resolve: (name, context, next) => {
  if (/^(ai|@ai-sdk\\/(anthropic|openai-compatible))$/.test(name)) loaded.add(name);
  return next(name, context);
} });
const { createProvider } = await import('./src/providers/provider-factory.ts');
const { systemClock } = await import('./src/context/system-clock.ts');
const deps = { clock: systemClock, log: { debug() {}, info() {}, warn() {}, error() {} } };
const baseUrl = process.argv[1];
const providers = [
  createProvider({ name: 'practice' }, deps),
  createProvider({ name: 'anthropic', baseUrl }, deps),
  createProvider({ name: 'mine', kind: 'openai_compatible', baseUrl }, deps),
];
const request = { model: 'm', system: { stable: 's', varying: '' }, tools: [], toolChoice: 'auto', maxOutputTokens: 9, messages: [{ role: 'user', content: 'hello' }] };
const states = [[...loaded].sort()];
for (const provider of providers) {
  for await (const event of provider.stream(request, new AbortController().signal)) if (event.type === 'done') states.push([provider.name, event.reason, ...[...loaded].sort()]);
}
console.log(JSON.stringify(states));
`;

describe('the SDK', () => {
  it('is imported by the first request that needs it, and by nothing before', async () => {
    server = await ModelServer.start({ replies: () => ({ say: 'a' }) });
    const args = ['--input-type=module-typescript', '--eval', PROGRAM, server.url];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      env: { PATH: process.env['PATH'] },
    });
    expect(JSON.parse(stdout)).toEqual([
      [],
      ['practice', 'stop'],
      ['anthropic', 'stop', '@ai-sdk/anthropic', 'ai'],
      ['mine', 'stop', '@ai-sdk/anthropic', '@ai-sdk/openai-compatible', 'ai'],
    ]);
    expect(stderr).toBe('');
  }, 60_000);

  it('comes in majors that belong together', () => {
    const major = (name: string) => version(name).split('.')[0];
    expect([major('ai'), major('@ai-sdk/openai-compatible'), major('@ai-sdk/anthropic')]).toEqual(['7', '3', '4']);
    const { dependencies } = JSON.parse(readFileSync(require.resolve('ai/package.json'), 'utf8'));
    expect(version('@ai-sdk/provider')).toBe(dependencies['@ai-sdk/provider']);
  });

  it('is pinned', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const name of ['ai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic'])
      expect(dependencies[name]).toBe(version(name));
  });
});

function version(name: string): string {
  return JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')).version;
}
