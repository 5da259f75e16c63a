import { describe, expect, it } from 'vitest';
import type { SendFailure } from '../../src/contract/errors.ts';
import { dueIn, type NextSend, nextSend, type SendFacts } from '../../src/gateway/next-send.ts';
import type { OutboxKind } from '../../src/store/outbox.ts';

const HOUR = 3_600_000;
const to = { platform: 'telegram', bot: 'b', chat: 'new' };

const FAILURES: Record<SendFailure['kind'], SendFailure> = {
  wait: { kind: 'wait', retryAfterMs: 7_000 },
  moved: { kind: 'moved', to },
  unreached: { kind: 'unreached' },
  ambiguous: { kind: 'ambiguous' },
  format: { kind: 'format' },
  size: { kind: 'size' },
  missing: { kind: 'missing' },
  gone: { kind: 'gone' },
  auth: { kind: 'auth' },
};

function nextAfter(kind: SendFailure['kind'], facts: Partial<SendFacts> = {}): string {
  const plain = {
    kind: 'final',
    edit: false,
    repeat: false,
    keyed: false,
    moved: false,
    thread: false,
    smaller: false,
    attempts: 1,
    ageMs: 0,
  } as const;
  return words(nextSend(FAILURES[kind], { ...plain, maxAgeMs: 24 * HOUR, ...facts }));
}

function words(next: NextSend): string {
  if (next.kind === 'move') return `move to ${next.to.chat}`;
  if (next.kind !== 'retry') return next.kind;
  return `${next.how} in ${next.afterMs / 1000} s${next.free ? ', free' : ''}`;
}

describe('nextSend', () => {
  const edit = { edit: true };
  const repeat = { repeat: true };
  const keyed = { keyed: true };

  it.each<[SendFailure['kind'], string, Partial<SendFacts>, string]>([
    ['wait', 'a send', {}, 'pending in 7 s, free'],
    ['wait', 'an edit', edit, 'pending in 7 s, free'],
    ['wait', 'a repeat', repeat, 'ambiguous in 7 s, free'],
    ['unreached', 'a send', {}, 'pending in 2 s'],
    ['unreached', 'an edit', edit, 'pending in 2 s'],
    ['unreached', 'a repeat', repeat, 'ambiguous in 2 s'],
    ['ambiguous', 'a send', {}, 'ambiguous in 30 s'],
    ['ambiguous', 'a send after several that never left', { attempts: 4 }, 'ambiguous in 30 s'],
    ['ambiguous', 'a repeat', { ...repeat, attempts: 2 }, 'dead'],
    ['ambiguous', 'a send under a key', keyed, 'ambiguous in 2 s'],
    ['ambiguous', 'a repeat under a key', { ...keyed, ...repeat, attempts: 2 }, 'ambiguous in 10 s'],
    ['ambiguous', 'an edit', edit, 'pending in 2 s'],
    ['ambiguous', 'a third edit', { ...edit, attempts: 3 }, 'pending in 30 s'],
    ['missing', 'a send', {}, 'dead'],
    ['missing', 'an edit', edit, 'anew'],
    ['moved', 'a send', {}, 'move to new'],
    ['moved', 'an edit', edit, 'move to new'],
    ['moved', 'a send that moved before', { moved: true }, 'dead'],
    ['auth', 'a send', {}, 'hold'],
    ['auth', 'an edit', edit, 'hold'],
    ['auth', 'a repeat, which a held row would forget', repeat, 'ambiguous in 2 s'],
    ['format', 'a send', {}, 'dead'],
    ['format', 'an edit', edit, 'dead'],
    ['missing', 'a send to a thread', { thread: true }, 'parent'],
    ['missing', 'an edit in a thread', { thread: true, ...edit }, 'anew'],
    ['size', 'a send', {}, 'smaller'],
    ['size', 'a smaller form', { smaller: true }, 'dead'],
    ['gone', 'a send', {}, 'gone'],
    ['gone', 'an edit', edit, 'gone'],
  ])('%s of %s', (kind, _, facts, next) => {
    expect(nextAfter(kind, facts)).toBe(next);
  });

  it('what was never reached is tried after 2, 10, 30 s, 2, 10, 30 min, then hourly', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 30].map((attempts) => nextAfter('unreached', { attempts }));
    const wanted = [2, 10, 30, 120, 600, 1_800, 3_600, 3_600, 3_600];
    expect(pauses).toEqual(wanted.map((s) => `pending in ${s} s`));
  });

  const others = (Object.keys(FAILURES) as SendFailure['kind'][]).filter((kind) => kind !== 'gone');

  it.each(others)('%s: a preview and progress are dropped, at any age', (kind) => {
    for (const passing of ['preview', 'progress'] as const) {
      for (const ageMs of [0, 25 * HOUR]) expect(nextAfter(kind, { kind: passing, ageMs })).toBe('drop');
    }
  });

  it('a chat that refuses a preview refuses everything', () => {
    expect(nextAfter('gone', { kind: 'preview' })).toBe('gone');
  });

  it.each(others)('%s: what is too old is dead', (kind) => {
    for (const facts of [{}, edit, repeat, keyed]) {
      expect(nextAfter(kind, { ...facts, ageMs: 24 * HOUR + 1 })).toBe('dead');
    }
  });

  it.each<OutboxKind>(['final', 'card', 'notice', 'job'])('a %s waits for its platform', (kind) => {
    expect(nextAfter('unreached', { kind })).toBe('pending in 2 s');
    expect(nextAfter('auth', { kind })).toBe('hold');
  });

  it('of a thread the adapter may say what is the matter', () => {
    const facts = {
      kind: 'final',
      edit: false,
      repeat: false,
      keyed: false,
      moved: false,
      thread: true,
      smaller: false,
    } as const;
    const more = { attempts: 1, ageMs: 0, maxAgeMs: HOUR };
    const next = nextSend({ kind: 'missing', notice: 'the thread is locked' }, { ...facts, ...more });
    expect(next).toEqual({ kind: 'parent', notice: 'the thread is locked' });
    expect(nextSend({ kind: 'missing' }, { ...facts, ...more })).toEqual({
      kind: 'parent',
      notice: 'the topic is gone',
    });
  });
});

describe('when a row is due', () => {
  const at = 10 * HOUR;
  it.each<[string, number, number, number, number, number]>([
    ['at its time', at, at + 2_000, 1, at, 2_000],
    ['after its time', at, at + 2_000, 1, at + 5_000, -3_000],
    ['the clock was put back before the first attempt: at once', at, at, 0, at - HOUR, 0],
    ['and after some, as it seems hours ahead: at once', at, at + 10_000, 2, at - HOUR, 0],
    ['tried again since: after as long as ever', at, at - HOUR + 2_000, 1, at - HOUR, 2_000],
    ['as often as an hour apart', at, at - HOUR + HOUR, 9, at - HOUR, HOUR],
  ])('%s', (_, createdAt, dueAt, attempts, now, wait) => {
    expect(dueIn({ createdAt, dueAt, attempts }, now)).toBe(wait);
  });
});
