import { beforeEach, describe, expect, it } from 'vitest';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import type { PlatformEvents } from '../../src/contract/platform.ts';
import { access } from '../../src/gateway/access.ts';
import { STORE_TEXT, StoreTrouble } from '../../src/gateway/store-trouble.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatRun, person } from '../fakes/runs.ts';
import { inbound } from './inbound.ts';
import { RecordingAdapter } from './recording-adapter.ts';

const ACCESS = {
  admins: [],
  allow: ['telegram:ann'],
  deny: [],
  groups: ['telegram:-5'],
  roles: [],
  open: [],
  bots: 'none',
  pairing: true,
} as const;
const BROKEN = new Error('disk I/O error');

let clock: FakeClock;
let adapter: RecordingAdapter;
let broken: boolean;
let sent: string[];
let ears: PlatformEvents;
let recovered: string[];
let tries: number;

beforeEach(() => {
  clock = new FakeClock();
  broken = true;
  sent = [];
  recovered = [];
  tries = 0;
  adapter = new RecordingAdapter();
  adapter.send = async (to, part) => {
    sent.push(`${to.chat}${currentRun() ? ' in a run' : ''}: ${part.text}`);
    return { messageId: 'm', at: to };
  };
  const trouble = new StoreTrouble({
    clock,
    log: quietLog().log,
    judge: (event) => access(event, ACCESS),
    recovered: (places) => {
      tries++;
      if (broken) throw BROKEN;
      recovered.push(...places.map(({ address }) => address.chat));
    },
  });
  const store = async () => {
    if (broken) throw BROKEN;
    return undefined;
  };
  ears = trouble.guard({ message: store, press: store, form: store } as unknown as PlatformEvents, adapter);
});

const says = async (over: Parameters<typeof inbound>[1] = {}) => {
  const kept = ears.message(inbound('hello', over)).then(
    () => 'acknowledged',
    (error) => error,
  );
  await settle();
  return kept;
};

describe('a message that cannot be stored', () => {
  it('is not acknowledged, and its sender reads why (gateway 27)', async () => {
    expect(await says()).toBe(BROKEN);
    expect(sent).toEqual([
      'c1: I cannot read my database, so I did not keep your message. The operator must run hermod doctor. Please send it again later.',
    ]);
  });

  it('is told once a chat in ten minutes, however often it comes again', async () => {
    for (let i = 0; i < 5; i++) await says();
    await says({ chat: 'c2' });
    expect(sent).toHaveLength(2);
    await clock.skip(600_000);
    await says();
    expect(sent).toHaveLength(3);
  });

  it.each([
    ['strangers', { by: person('eve') }],
    ['talk in a group that is not for us', { chat: '-5', by: person('bob') }],
  ])('%s hear nothing', async (_, over) => {
    expect(await says(over)).toBe(BROKEN);
    expect(sent).toEqual([]);
  });

  it('in a group who meant us reads it', async () => {
    await says({ chat: '-5', by: person('bob'), mentionsBot: true });
    expect(sent).toEqual([`-5: ${STORE_TEXT}`]);
  });

  it('a send that fails changes nothing, nor does one that hangs', async () => {
    adapter.send = async () => {
      throw new Error('down');
    };
    expect(await says()).toBe(BROKEN);
    await clock.skip(600_000);
    adapter.send = (_to, _part, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect(await says()).toBe(BROKEN);
    await clock.skip(10_000);
    broken = false;
    await clock.skip(30_000);
    expect(clock.armed).toBe(0);
  });

  it('is nobody’s run', async () => {
    const { after } = clock;
    const armed: unknown[] = [];
    clock.after = (...args) => {
      armed.push(currentRun());
      return after.apply(clock, args);
    };
    await withRun(chatRun(), () => says());
    expect(sent).toEqual([`c1: ${STORE_TEXT}`]);
    // For the retry, and for the bound of the send.
    expect(armed).toEqual([undefined, undefined]);
  });
});

describe('the end of the trouble', () => {
  it('is found by trying again, at most each 30 s, and told once to whoever was told of it', async () => {
    await says();
    await says();
    await says({ chat: 'c2' });
    await clock.skip(1_000 + 2_000 + 4_000 + 8_000 + 16_000 + 30_000 + 30_000);
    expect(tries).toBe(7);
    broken = false;
    await clock.skip(30_000);
    expect(recovered).toEqual(['c1', 'c2']);
    await clock.skip(3_600_000);
    expect([tries, recovered.length]).toEqual([8, 2]);
    // The next trouble is one of its own.
    broken = true;
    await says();
    expect(sent).toHaveLength(3);
    broken = false;
    await clock.skip(1_000);
    expect(recovered).toEqual(['c1', 'c2', 'c1']);
  });

  it('that comes and goes, as room for small rows and none for large ones, is told once in ten minutes', async () => {
    for (let i = 0; i < 10; i++) {
      broken = true;
      await says();
      broken = false;
      await clock.skip(20_000);
    }
    expect([sent.length, recovered]).toEqual([1, ['c1']]);
  });
});

describe('all else', () => {
  it('what can be stored is acknowledged without a word', async () => {
    broken = false;
    expect(await says()).toBe('acknowledged');
    expect(sent).toEqual([]);
  });

  it('a press is answered in private', async () => {
    const { by, address, direct, sentAt } = inbound('');
    const press = { eventId: 'p', by, address, direct, sentAt, data: 'h1:ap:x' };
    expect(await ears.press(press)).toEqual({ text: STORE_TEXT });
    expect(await ears.form({ ...press, by: person('eve'), text: 'no' })).toBeUndefined();
    broken = false;
    expect(await ears.press(press)).toBeUndefined();
    expect(sent).toEqual([]);
  });
});
