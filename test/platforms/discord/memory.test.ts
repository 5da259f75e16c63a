import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { personId } from '../../fakes/discord-server.ts';
import { Rig } from './rig.ts';

const AUTHORS = 20_000;
const AT_ONCE = 1_000;
const MOST_MB = 4;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let rig: Rig;
afterEach(() => rig.stop());

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

describe('a busy guild', () => {
  it('20,000 messages of 20,000 people leave nothing behind', async () => {
    rig = await Rig.open();
    const channel = rig.server.channel('ops');
    await rig.start();
    let heard = 0;
    rig.told.message = async () => void heard++;
    const crowd = async (from: number, count: number) => {
      for (let n = from; n < from + count; n++) speaks(rig, channel.wire, n);
      await rig.until(() => heard === from + count, 'everybody is heard');
    };
    await crowd(0, AT_ONCE);
    const before = heapMb();
    for (let n = AT_ONCE; n < AUTHORS; n += AT_ONCE) await crowd(n, AT_ONCE);
    expect(heard).toBe(AUTHORS);
    expect(heapMb() - before).toBeLessThan(MOST_MB);
  }, 60_000);
});

/** The fake keeps no message of theirs: what grows is ours. */
function speaks({ server: { world } }: Rig, { id, guild_id }: { id: string; guild_id?: string }, n: number): void {
  const author = { id: personId(1_000 + n), username: `person${n}`, global_name: `Person ${n}`, discriminator: '0' };
  const member = { roles: ['300000000000000001'], nick: `Nick ${n}`, joined_at: world.time(), flags: 0 };
  const said = { content: `message ${n} ${'x'.repeat(200)}`, type: 0, mentions: [], attachments: [], embeds: [] };
  world.dispatch({ t: 'MESSAGE_CREATE', d: { id: world.id(), channel_id: id, guild_id, author, member, ...said } });
}
