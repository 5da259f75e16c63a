import { describe, expect, it } from 'vitest';
import { createEventStream, type EventStream } from '../../src/http/event-stream.ts';
import type { Visit } from '../../src/http/route.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { signIn, startSite } from './site.ts';

/** A reader that keeps what it was sent; `stuck` never takes anything from the socket. */
function reader(
  stream: EventStream,
  options: { after?: string; lastEventId?: string; stuck?: boolean; session?: string } = {},
) {
  let text = '';
  let state = 'open';
  let unsent = 0;
  const raw = {
    writeHead() {},
    on() {},
    write(chunk: string) {
      text += chunk;
      if (options.stuck) unsent += chunk.length;
    },
    get writableLength() {
      return unsent;
    },
    destroy() {
      state = 'cut';
    },
    end() {
      state = 'ended';
    },
  };
  const visit = {
    request: {
      headers: options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId },
      query: options.after === undefined ? {} : { after: options.after },
    },
    reply: { hijack() {}, raw },
    caller: { kind: 'page', session: { hash: options.session ?? 's', pageToken: 't' } },
  };
  stream.open(visit as unknown as Visit);
  return {
    state: () => state,
    text: () => text,
    events: () =>
      [...text.matchAll(/^(?:id: (.*)\n)?event: (.*)\ndata: (.*)$/gm)].map(([, id, type, data]) => [
        id,
        type,
        JSON.parse(data as string),
      ]),
  };
}

const event = (key: string, data: unknown) => ({ type: 'message', key, draw: () => data });

describe('event stream', () => {
  it('tells the boot first, then what happens, with ids of boot and number', () => {
    const stream = createEventStream(new FakeClock(), 'b1');
    const { events } = reader(stream);
    stream.publish(event('1', { a: 1 }));
    stream.mention('typing', { on: true });
    expect(events()).toEqual([
      [undefined, 'hello', { boot: 'b1' }],
      ['b1.1', 'message', { a: 1 }],
      [undefined, 'typing', { on: true }],
    ]);
  });

  it('goes on where a reader stopped: everything since, in order, each key once and as it is now', () => {
    const stream = createEventStream(new FakeClock(), 'b1');
    let state = 'draft';
    stream.publish(event('0', 'seen'));
    stream.publish({ type: 'message', key: '1', draw: () => state });
    stream.publish(event('2', 'two'));
    stream.publish({ type: 'message', key: '1', draw: () => state });
    state = 'final';
    for (const from of [{ after: 'b1.1' }, { lastEventId: 'b1.1' }, { lastEventId: 'b1.1', after: 'b1.0' }]) {
      expect(reader(stream, from).events().slice(1)).toEqual([
        ['b1.3', 'message', 'two'],
        ['b1.4', 'message', 'final'],
      ]);
    }
    expect(reader(stream, { after: stream.position() }).events()).toHaveLength(1);
  });

  it.each(['b0.1', 'b1.999', 'b1.-1', 'b1.x', 'nonsense', 'b1.1.5'])('says resync to %s', (after) => {
    const stream = createEventStream(new FakeClock(), 'b1');
    stream.publish(event('1', 'one'));
    expect(reader(stream, { after }).events().slice(1)).toEqual([['b1.1', 'resync', {}]]);
  });

  it('says resync to who missed more than the last thousand', () => {
    const stream = createEventStream(new FakeClock(), 'b1');
    for (let i = 1; i <= 1_001; i++) stream.publish(event(String(i), i));
    expect(reader(stream, { after: 'b1.0' }).events()[1]?.[1]).toBe('resync');
    expect(reader(stream, { after: 'b1.1' }).events().slice(1)).toHaveLength(1_000);
  });

  it('draws nothing for nobody, once for many, and leaves out what is gone', () => {
    const stream = createEventStream(new FakeClock(), 'b1');
    let drawn = 0;
    const draw = () => ++drawn;
    stream.publish({ type: 'message', key: '1', draw });
    expect(drawn).toBe(0);
    const readers = [reader(stream), reader(stream)];
    stream.publish({ type: 'message', key: '1', draw });
    stream.publish({ type: 'message', key: '2', draw: () => undefined });
    expect([drawn, readers[0]?.events().length]).toEqual([1, 2]);
  });

  it('sends a comment each 15 s and stops with the stream', async () => {
    const clock = new FakeClock();
    const stream = createEventStream(clock, 'b1');
    const { text, state } = reader(stream);
    await clock.skip(45_000);
    expect(text().match(/^: /gm)).toHaveLength(3);
    stream.end();
    expect([state(), clock.armed]).toEqual(['ended', 0]);
    expect(reader(stream).state()).toBe('ended');
  });

  it('cuts a reader that takes nothing at 1 MiB and nobody else', () => {
    const stream = createEventStream(new FakeClock(), 'b1');
    const stuck = reader(stream, { stuck: true });
    const well = reader(stream);
    for (let i = 0; i < 17; i++) stream.publish(event(String(i), 'x'.repeat(65_536)));
    expect([stuck.state(), well.state(), well.events().length]).toEqual(['cut', 'open', 18]);
  });

  it('ends the streams of one browser when it signs out', async () => {
    const site = await startSite();
    const mine = await signIn(site);
    const other = await signIn(site);
    const open = (cookie: string) => fetch(`${site.url}events`, { headers: { cookie } });
    const [own, others] = await Promise.all([open(mine.cookie), open(other.cookie)]);
    await mine.post('/logout', {});
    expect(await own.text()).toContain('event: hello');
    await site.send('still there');
    const { value } = (await others.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain('event: hello');
    await settle();
  });
});
