import { describe, expect, it } from 'vitest';
import { BOOT_KEYS, LIVE_KEYS, LiveConfig } from '../../src/config/live.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema.ts';
import { typeAt } from '../../src/config/schema-walk.ts';
import { sameSecrets } from '../../src/config/secrets.ts';

function load(yaml: string) {
  const loaded = loadConfig({
    ...{ home: '/h', env: {}, set: [] },
    readFile: (path) => (path.endsWith('config.yaml') ? yaml : ''),
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

describe('a configuration that is read again', () => {
  it('applies what is live, keeps the rest as it was, and names both', () => {
    const live = new LiveConfig(load('access:\n  allow: ["telegram:1"]\nhttp:\n  port: 1000\n'));
    const { view } = live;
    const before = view.access;
    const next = load(
      'access:\n  allow: ["telegram:1", "telegram:2"]\nhttp:\n  port: 2000\nturns:\n  idle_s: 60\nmodel:\n  primary: openai:x\n',
    );
    expect(live.take(next)).toEqual({
      applied: ['access.allow', 'turns.idle_s'],
      waiting: ['model.primary', 'http.port'],
    });
    expect(view.access.allow).toEqual(['telegram:1', 'telegram:2']);
    expect(view.turns).toMatchObject({ idle_s: 60, total_s: 7200 });
    expect(view.http.port).toBe(1000);
    expect(view.model.primary).toBeUndefined();
    // Whoever holds a section holds it as it was.
    expect(before.allow).toEqual(['telegram:1']);
    // What waits goes on waiting, and is said again.
    expect(live.take(next)).toEqual({ applied: [], waiting: ['model.primary', 'http.port'] });
  });

  it('a key that is gone has its default again', () => {
    const live = new LiveConfig(load('home:\n  telegram: "telegram:1"\nlanes:\n  max_turns: 3\n'));
    expect(live.take(load('lanes: {}\n')).applied).toEqual(['home.telegram', 'lanes.max_turns']);
    expect(live.view.lanes.max_turns).toBe(64);
    expect(live.view.home['telegram']).toBeUndefined();
  });

  it('keys inside a live section may wait all the same', () => {
    const live = new LiveConfig(load(''));
    const next = load('approvals:\n  mode: off\n  redact_patterns: ["abc+"]\n');
    expect(live.take(next)).toEqual({ applied: ['approvals.mode'], waiting: ['approvals.redact_patterns'] });
    expect(live.view.approvals).toMatchObject({ mode: 'off', redact_patterns: [] });
  });

  it.each([...LIVE_KEYS, ...BOOT_KEYS])('%s is a key', (key) => {
    expect(typeAt(configSchema, key.split('.'))).toBeDefined();
  });

  it('secrets are compared by value, though nobody can list them', () => {
    const secret = (value: string) => Object.defineProperty({}, 'KEY', { value, enumerable: false });
    expect(sameSecrets(secret('a'), secret('a'))).toBe(true);
    expect(sameSecrets(secret('a'), secret('b'))).toBe(false);
    expect(sameSecrets(secret('a'), {})).toBe(false);
  });
});
