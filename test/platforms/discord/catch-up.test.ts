import { afterEach, describe, expect, it } from 'vitest';
import type { KeyValue } from '../../../src/contract/platform.ts';
import { passes } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { memoryState, Rig, type RigOptions } from './rig.ts';

let rig: Rig;
let clock: WarpClock;
const lives: Rig[] = [];

afterEach(async () => {
  for (const life of lives.splice(0)) await life.adapter.stop();
  await rig.stop();
});

async function started(options: RigOptions = {}): Promise<void> {
  clock = new WarpClock();
  rig = await Rig.started({ clock, ...options });
}

/** The next process. `killed`: the last one had no time for anything. */
async function nextLife(options: RigOptions & { killed?: boolean } = {}): Promise<Rig> {
  if (!options.killed) await (lives.at(-1) ?? rig).adapter.stop();
  const next = await rig.next(options);
  lives.push(next);
  const starting = next.start();
  await clock.skip(5_000);
  await starting;
  return next;
}

const ada = () => rig.server.person(1, 'Ada');
const heard = (life: Rig, count: number) => life.until(() => life.told.messages.length >= count, `${count} messages`);

async function settled(life: Rig): Promise<void> {
  const marker = rig.server.person(77, 'Marker');
  marker.says('dm', 'marker');
  await life.until(() => life.told.texts.includes('marker'));
  life.told.messages.splice(
    life.told.messages.findIndex(({ text }) => text === 'marker'),
    1,
  );
}

describe('after a time without anybody', () => {
  it('what was said is heard once, oldest first, before what is said now', async () => {
    await started();
    ada().says('dm', 'first');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().says('dm', 'second');
    ada().says('dm', 'third');
    const next = await rig.next();
    lives.push(next);
    const starting = next.start();
    await clock.skip(5_000);
    ada().says('dm', 'fourth');
    await starting;
    ada().says('dm', 'fifth');
    await heard(next, 4);
    await settled(next);
    expect(next.told.texts).toEqual(['second', 'third', 'fourth', 'fifth']);
    expect(next.told.messages.every(({ direct }) => direct)).toBe(true);
  });

  it('a killed process costs nothing: what was not stored comes again, even the very first message', async () => {
    await started();
    rig.told.storing = () => {
      throw new Error('the disk is gone');
    };
    ada().says('dm', 'first');
    await rig.until(() => rig.log.lines.some(({ sentence }) => sentence.startsWith('An event could not be stored')));
    const next = await nextLife({ killed: true });
    await heard(next, 1);
    expect(next.told.texts).toEqual(['first']);
  });

  it('nothing is replayed that was said before we were there', async () => {
    clock = new WarpClock();
    rig = await Rig.open({ clock });
    const channel = rig.server.channel('ops').wire.id;
    ada().says('dm', 'long ago');
    ada().calls(channel, 'long ago');
    await rig.start();
    await settled(rig);
    expect(rig.told.texts).toEqual([]);
    await rig.adapter.stop();
    ada().calls(channel, 'while you were away');
    const next = await nextLife();
    await heard(next, 1);
    await settled(next);
    expect(next.told.texts).toEqual(['while you were away']);
  });

  it('in a guild it is a guild: never direct, with the roles of its members where they matter', async () => {
    await started({ deps: { rolesMatter: true } });
    const guild = rig.server.guild();
    const channel = rig.server.channel('ops');
    ada().joins(guild.id, '300000000000000001');
    ada().calls(channel.wire.id, 'one');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().calls(channel.wire.id, 'two');
    const thread = rig.server.thread(channel, 'new');
    ada().calls(thread.wire.id, 'not ours yet');
    const next = await nextLife();
    await heard(next, 1);
    expect(next.told.messages[0]).toMatchObject({
      text: 'two',
      direct: false,
      address: rig.address(channel.wire.id),
      by: { id: ada().id, roles: [`${guild.id}/300000000000000001`] },
    });
    expect(rig.server.callsTo(/^GET \/guilds\/\d+\/members\//)).toHaveLength(1);
  });

  it('roles are not asked for when nobody needs them, and channels without news not at all', async () => {
    await started();
    const busy = rig.server.channel('busy').wire.id;
    for (let i = 0; i < 20; i++) rig.server.channel(`quiet-${i}`);
    ada().calls(busy, 'one');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().calls(busy, 'two');
    const next = await nextLife();
    await heard(next, 1);
    await settled(next);
    expect(rig.server.callsTo(/^GET \/guilds\//)).toEqual([]);
    expect(rig.server.callsTo(/^GET \/channels\/\d+\/messages$/)).toHaveLength(1);
  });

  it('what is too old or too much is left, and is not asked for again', async () => {
    await started({ config: { catchUp: { maxAgeS: 3_600, maxPerChannel: 5 } } });
    ada().says('dm', 'first');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().says('dm', 'too old');
    await clock.skip(3_700_000);
    for (let i = 0; i < 120; i++) ada().says('dm', `message ${i}`);
    const next = await nextLife();
    await heard(next, 5);
    await settled(next);
    expect(next.told.texts).toEqual([115, 116, 117, 118, 119].map((i) => `message ${i}`));
    expect(next.log.lines.some(({ sentence }) => sentence.includes('too old or too many'))).toBe(true);
    const last = await nextLife();
    await settled(last);
    expect(last.told.texts).toEqual([]);
  });

  it('switched off it asks for nothing', async () => {
    await started({ config: { catchUp: { maxAgeS: 0, maxPerChannel: 50 } } });
    ada().says('dm', 'first');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().says('dm', 'lost');
    const next = await nextLife();
    await settled(next);
    expect(next.told.texts).toEqual([]);
    expect(rig.server.callsTo(/^GET \/channels\//)).toEqual([]);
  });

  it('a channel that is gone is forgotten, others go on', async () => {
    await started();
    const gone = rig.server.channel('gone');
    ada().calls(gone.wire.id, 'one');
    ada().says('dm', 'one');
    await heard(rig, 2);
    await rig.adapter.stop();
    gone.deleted = true;
    ada().says('dm', 'two');
    const next = await nextLife();
    await heard(next, 1);
    await nextLife();
    expect(rig.server.callsTo(new RegExp(`^GET /channels/${gone.wire.id}/messages`))).toHaveLength(1);
  });

  it('Discord that cannot be asked at once is asked again, and nothing passes the gap', async () => {
    await started();
    ada().says('dm', 'one');
    await heard(rig, 1);
    await rig.adapter.stop();
    ada().says('dm', 'two');
    rig.server.fault(/^GET \/channels\/\d+\/messages$/, { kind: 'refuse', status: 500, times: 4 });
    const next = await nextLife();
    ada().says('dm', 'three');
    await heard(next, 1);
    expect(next.told.texts).toEqual(['three']);
    await clock.skip(6_000);
    await heard(next, 2);
    await settled(next);
    expect(next.told.texts).toEqual(['three', 'two']);
    const last = await nextLife({ killed: true });
    await settled(last);
    // The killed one had not written down how far it was; its last message comes again, and core knows it.
    expect(last.told.texts.filter((text) => text !== 'marker')).toEqual([]);
  });

  it('three READYs in a row make no message twice (gateway 20)', async () => {
    await started({ heartbeatMs: 200 });
    ada().says('dm', 'one');
    await heard(rig, 1);
    for (let i = 0; i < 3; i++) {
      const before = rig.server.gateway.counts.identifies;
      rig.server.gateway.closeWith(1000);
      await rig.until(() => rig.server.gateway.open === 0);
      ada().says('dm', `gap ${i}`);
      await passes(clock, () => rig.server.gateway.counts.identifies > before);
    }
    await heard(rig, 4);
    await settled(rig);
    expect(rig.told.texts).toEqual(['one', 'gap 0', 'gap 1', 'gap 2']);
  });

  it('survives a state that is damaged', async () => {
    const entries = new Map<string, string>([
      ['watermarks', '{"not":"a list"'],
      ['penalties', '[[1,2],null]'],
      ['commands', 'no json'],
      ['threads', 'x y'],
      ['identity', '???'],
    ]);
    await started({ state: memoryState(entries), deps: { commands: [{ name: 'help', description: 'h' }] } });
    ada().says('dm', 'one');
    await heard(rig, 1);
  });

  it('a store that takes no watermark keeps nobody from being heard for long', async () => {
    const entries = new Map<string, string>();
    let full = true;
    const state: KeyValue = {
      get: (key) => entries.get(key),
      set: (key, value) => {
        if (full && key === 'watermarks') throw new Error('database or disk is full');
        entries.set(key, value);
      },
    };
    await started({ state });
    ada().says('dm', 'one');
    await rig.until(() => rig.log.lines.some(({ sentence }) => sentence.startsWith('An event could not be stored')));
    expect(rig.told.messages).toEqual([]);
    full = false;
    await clock.skip(2_000);
    await heard(rig, 1);
  });
});
