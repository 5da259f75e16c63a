import { describe, expect, it } from 'vitest';
import { CodeChannel } from '../../src/tools/code-channel.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { settle } from '../fakes/fake-clock.ts';

function channelFixture() {
  const { log, lines } = quietLog();
  const sent: { id?: number; text?: string; error?: string; token?: string }[] = [];
  const calls: { tool: string; input: unknown; answer: (text: string, isError?: boolean) => void }[] = [];
  const channel = new CodeChannel({
    token: 'secret',
    tools: ['read_file', 'shell'],
    log,
    send: (line) => sent.push(JSON.parse(line)),
    call: (tool, input) =>
      new Promise((resolve) => {
        calls.push({ tool, input, answer: (text, isError = false) => resolve({ text, isError }) });
      }),
  });
  const ask = (message: object) =>
    channel.feed(Buffer.from(`${JSON.stringify({ token: 'secret', id: 1, tool: 'shell', input: {}, ...message })}\n`));
  return { channel, sent, calls, log: lines, ask };
}

describe('CodeChannel', () => {
  it('says hello with the capability and the names, then serves calls', async () => {
    const t = channelFixture();
    expect(t.sent).toEqual([{ token: 'secret', tools: ['read_file', 'shell'] }]);
    t.ask({ id: 7, tool: 'read_file', input: { path: 'a' } });
    expect(t.calls).toMatchObject([{ tool: 'read_file', input: { path: 'a' } }]);
    t.calls[0]?.answer('text');
    await settle();
    expect(t.sent[1]).toEqual({ id: 7, text: 'text' });
  });

  it('gives a failed call as an error', async () => {
    const t = channelFixture();
    t.ask({});
    t.calls[0]?.answer('Refused by Ann.', true);
    await settle();
    expect(t.sent[1]).toEqual({ id: 1, error: 'Refused by Ann.' });
  });

  it.each([
    ['a wrong capability', { token: 'guess!' }],
    ['a capability of another length', { token: '' }],
    ['more than asked for', { extra: 1 }],
    ['no id', { id: null }],
  ])('refuses and logs %s', (_what, message) => {
    const t = channelFixture();
    t.ask(message);
    expect(t.calls).toEqual([]);
    expect(t.log).toMatchObject([{ level: 'warn', facts: { rule: 'script_refused' } }]);
  });

  it('refuses and logs a call after the end, and drops what had not begun', async () => {
    const t = channelFixture();
    for (let id = 1; id <= 6; id++) t.ask({ id });
    t.channel.close();
    t.ask({ id: 7 });
    for (const call of t.calls) call.answer('x');
    await settle();
    expect(t.calls).toHaveLength(4);
    expect(t.sent).toHaveLength(1);
    expect(t.log).toHaveLength(1);
  });

  it('serves four at once and fifty in all', async () => {
    const t = channelFixture();
    for (let id = 1; id <= 52; id++) t.ask({ id });
    for (let done = 0; done < 50; done++) {
      expect(t.calls.length - done).toBeLessThanOrEqual(4);
      t.calls[done]?.answer('x');
      await settle(1);
    }
    expect(t.calls).toHaveLength(50);
    expect(t.sent.filter((m) => m.error).map((m) => m.id)).toEqual([51, 52]);
  });

  it('names what scripts can call', () => {
    const t = channelFixture();
    t.ask({ tool: 'delegate' });
    expect(t.sent[1]).toEqual({ id: 1, error: 'scripts cannot call delegate; they can call read_file, shell' });
  });

  it('puts pieces together, also inside a character, and gives up on a line without end', () => {
    const t = channelFixture();
    const bytes = Buffer.from(`${JSON.stringify({ token: 'secret', id: 1, tool: 'shell', input: 'ä€😀' })}\n`);
    for (const byte of bytes) t.channel.feed(Buffer.from([byte]));
    expect(t.calls[0]?.input).toBe('ä€😀');
    t.channel.feed(Buffer.alloc(600_000, 'x'));
    t.channel.feed(Buffer.from('\n'));
    t.ask({ id: 2 });
    expect(t.calls).toHaveLength(1);
  });
});
