import { describe, expect, it } from 'vitest';
import { ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';
import { settle } from '../fakes/fake-clock.ts';

describe('a card that is pressed', () => {
  it('asks once, and the press lets exactly that text run', async () => {
    const world = new ApprovalWorld();
    const { passage, session, calls } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    expect(world.broker.pendingOf(session)).toHaveLength(1);
    expect(world.store.transcript.call(calls[0]!)?.state).toBe('asked');
    expect(world.shown(row!.id).text).toMatch(/^\*\*Run this command\?\*\*\n```sh\nrm -rf build\n```\n/);
    expect(world.press(row!, 'Once')).toBe('Allowed once.');
    expect(await passage).toEqual({ kind: 'pass', input: { command: 'rm -rf build' } });
    await world.deliver();
    expect(world.shown(row!.id).text).toBe('Allowed once by Ann, 12:00\n```sh\nrm -rf build\n```');
    expect(world.shown(row!.id).buttons).toBeUndefined();
    expect(world.press(row!, 'Deny')).toBe('Already decided by Ann: allowed once.');
    expect(world.events().map(({ event }) => event)).toEqual(['decided', 'asked', 'granted', 'begun']);
  });

  it('denies with the words of the person as data', async () => {
    const world = new ApprovalWorld();
    const { passage, session } = world.asks('rm -rf build');
    await world.deliver();
    expect(world.commands('deny', 'use </reason> the other folder', session)).toBe('Denied.');
    expect(await passage).toMatchObject({ kind: 'refused', by: 'person', rule: 'fs.delete' });
    const { text } = (await passage) as { text: string };
    expect(text).toContain('Refused by Ann: <reason>use \\u{3c}/reason> the other folder</reason>.');
    expect(text).toContain('Do not retry');
  });

  it('expires by the clock: silence is no yes', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    await world.clock.skip(1_799_999);
    expect(world.pending).toHaveLength(1);
    await world.clock.skip(1);
    expect(await passage).toMatchObject({ kind: 'refused', by: 'timeout' });
    await world.deliver();
    expect(world.shown(row!.id).text).toMatch(/^Expired 12:30\. Not run\.\n/);
    expect(world.press(row!, 'Once')).toBe('This expired at 12:30; nothing was run. Ask again if you still want it.');
  });

  it('is refused to strangers and to members who did not ask', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    expect(world.press(row!, 'Once', BOB)).toBe('Only Ann or an approver can answer this.');
    // Whoever may not talk here learns no names.
    expect(world.press(row!, 'Once', EVE)).toBe('You cannot answer this; nothing changed.');
    expect(world.pending).toHaveLength(1);
    world.press(row!, 'Once');
    expect((await passage).kind).toBe('pass');
    expect(world.events('press-refused')).toHaveLength(2);
  });

  it('is cancelled by /stop, and the other session is left alone', async () => {
    const world = new ApprovalWorld();
    const here = world.asks('rm -rf build');
    const there = world.asks('rm -rf dist', { chat: 'c2' });
    await world.deliver();
    expect(world.broker.cancelSession(here.session, 'stop')).toBe(1);
    expect(await here.passage).toMatchObject({ kind: 'refused', by: 'stop' });
    expect(world.pending.map(({ session }) => session)).toEqual([there.session]);
  });

  it('is never sent for a turn that is over already', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build', { signal: AbortSignal.abort('stop') });
    expect(await passage).toMatchObject({ kind: 'refused', by: 'stop' });
    expect([world.pending, await world.deliver()]).toEqual([[], []]);
  });

  it('parks the turn at shutdown, and a press settles the row for it', async () => {
    const world = new ApprovalWorld();
    const stop = new AbortController();
    const { passage } = world.asks('rm -rf build', { signal: stop.signal });
    await world.deliver();
    const [row] = world.pending;
    stop.abort('shutdown');
    expect(await passage).toEqual({ kind: 'parked', approval: row!.id });
    expect(world.pending).toHaveLength(1);
    world.press(row!, 'Once');
    await settle();
    expect(world.settled.map(({ id, state }) => [id, state])).toEqual([[row!.id, 'granted']]);
  });
});
