import { beforeEach, describe, expect, it } from 'vitest';
import { movedKey } from '../../src/gateway/session-key.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { chatAddress, person } from '../fakes/runs.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});

const move = (from: string, to: string) =>
  store.moves.apply({ platform: 'telegram', from, to }, 9, (key) => movedKey(key, from, to));

/** A job as far as a move is concerned. */
function job(id: string, origin: object, deliver: readonly unknown[]): void {
  store.db.pragma('foreign_keys = OFF');
  const columns = store.db.pragma('table_info(jobs)') as { name: string; type: string; notnull: number }[];
  const plain = columns
    .filter(({ notnull }) => notnull === 1)
    .map(({ name, type }) => [name, type === 'TEXT' ? '' : 0]);
  const { platform, bot, chat } = origin as Record<string, string>;
  const facts = {
    id,
    state: 'paused',
    kind: 'after',
    origin: JSON.stringify(origin),
    deliver: JSON.stringify(deliver),
  };
  const row = { ...Object.fromEntries(plain), ...facts, origin_key: JSON.stringify([platform, bot, chat]) };
  const names = Object.keys(row);
  store.db.pragma('ignore_check_constraints = ON');
  store.db
    .prepare(`INSERT INTO jobs (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`)
    .run(row);
}
const jobs = () => store.db.prepare('SELECT id, origin, origin_key, deliver FROM jobs ORDER BY id').raw().all();

describe('a move', () => {
  it('takes jobs along: where they were made and where they deliver to, not those of other places', () => {
    const old = chatAddress('-1');
    job('a', old, ['origin', { ...old, thread: '7' }, 'home:telegram', { ...old, platform: 'discord' }]);
    job('b', chatAddress('-9'), ['local']);
    move('-1', '-2');
    const now = chatAddress('-2');
    const targets = ['origin', { ...now, thread: '7' }, 'home:telegram', { ...old, platform: 'discord' }];
    expect(jobs()).toEqual([
      ['a', JSON.stringify(now), JSON.stringify(['telegram', 'b1', '-2']), JSON.stringify(targets)],
      ['b', JSON.stringify(chatAddress('-9')), JSON.stringify(['telegram', 'b1', '-9']), '["local"]'],
    ]);
  });

  it('takes the home, the settings and what waits along', () => {
    const old = chatAddress('-1');
    store.homes.set({ address: old, direct: false }, 'telegram:boss', 1);
    store.chatSettings.setBusy(old, 'steer');
    store.chatSettings.setBusy(chatAddress('-2'), 'interrupt');
    store.outbox.put({ key: 'k', kind: 'notice', address: old, direct: false, message: { text: 'x' } }, 1);
    move('-1', '-2');
    expect(store.homes.get('telegram')?.address.chat).toBe('-2');
    expect(store.chatSettings.of(chatAddress('-2')).busy).toBe('steer');
    expect(store.outbox.heads('telegram')[0]).toMatchObject({ address: { chat: '-2' }, sentTo: { chat: '-2' } });
  });

  it('again changes nothing, and moves in a circle end', () => {
    store.sessions.open('telegram:group:b1:-1:uann', person('ann'), chatAddress('-1'), false, 1);
    for (const [from, to] of [
      ['-1', '-2'],
      ['-1', '-2'],
      ['-2', '-1'],
    ] as const)
      move(from, to);
    expect(store.sessions.current('telegram:group:b1:-1:uann')).toBeDefined();
    expect(['-1', '-2']).toContain(store.moves.latest('telegram', '-1'));
    expect(store.moves.formerly(chatAddress('-1'))).toEqual(['-2']);
  });
});
