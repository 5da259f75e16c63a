import { describe, expect, it } from 'vitest';
import { outsideRun, withRun } from '../src/context/run-context.ts';
import { createLog } from '../src/log.ts';
import { chatRun } from './fakes/runs.ts';

function logged(level = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const out = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level, boot: 'boot1', redact: (text) => text.replaceAll('hunter2', '[secret]'), out });
  return { log, lines };
}

describe('a line', () => {
  it('has its time, level, boot, facts and sentence', () => {
    const { log, lines } = logged();
    log.warn({ tries: 3, ok: false, none: null }, 'it was tried');
    expect(lines).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        boot: 'boot1',
        tries: 3,
        ok: false,
        none: null,
        msg: 'it was tried',
      },
    ]);
  });

  it('below the level is not written', () => {
    const { log, lines } = logged('warn');
    log.debug({}, 'a');
    log.info({}, 'b');
    log.warn({}, 'c');
    log.error({}, 'd');
    expect(lines.map(({ msg }) => msg)).toEqual(['c', 'd']);
  });
});

describe('the run', () => {
  const run = chatRun({ session: '0123456789abcdef' });

  it('is in every line that is written in it, and in no other', async () => {
    const { log, lines } = logged();
    log.info({}, 'before');
    await withRun(run, async () => {
      log.info({ turn: 't1' }, 'in it');
      await Promise.resolve();
      log.info({}, 'after an await');
      outsideRun(() => log.info({}, 'outside'));
    });
    log.info({}, 'after');
    const facts = { run: run.runId, kind: 'chat', session: '01234567' };
    expect(lines[1]).toMatchObject({ ...facts, turn: 't1' });
    expect(lines[2]).toMatchObject(facts);
    for (const i of [0, 3, 4]) for (const key of Object.keys(facts)) expect(lines[i]).not.toHaveProperty(key);
  });
});

describe('secrets', () => {
  class Deep extends Error {
    override readonly name = 'Deep';
  }

  it.each<[string, object]>([
    ['in a fact', { url: 'https://x/hunter2' }],
    ['in nested facts', { request: { headers: [{ name: 'a', value: 'hunter2' }] } }],
    ['in an error', { error: new Error('token hunter2 refused') }],
    ['in a kind of error', { error: new Deep('hunter2') }],
    ['in facts that are an error', new Error('hunter2')],
    ['in what writes itself', { url: new URL('https://x/hunter2'), at: { toJSON: () => ({ deep: 'hunter2' }) } }],
    ['in a map inside a list', { list: [['hunter2'], [['hunter2']]] }],
  ])('are masked %s', (_, facts) => {
    const { log, lines } = logged();
    log.error(facts, 'with hunter2 too');
    const text = JSON.stringify(lines);
    expect(text).not.toContain('hunter2');
    expect(text.split('[secret]').length).toBeGreaterThan(2);
    expect(lines[0]).toMatchObject({ msg: 'with [secret] too' });
  });

  it('of an error with its stack are masked; name, message and stack are kept', () => {
    const { log, lines } = logged();
    log.error({ error: new TypeError('hunter2 is not a function') }, 'bug');
    const error = lines[0]?.['error'] as Record<string, string>;
    expect(error).toMatchObject({ name: 'TypeError', message: '[secret] is not a function' });
    expect(error['stack']).toMatch(/^TypeError: \[secret\] is not a function\n\s+at /);
  });

  it('cannot hide behind circles or depth', () => {
    const { log, lines } = logged();
    const circle: Record<string, unknown> = { secret: 'hunter2' };
    circle['self'] = circle;
    log.info({ circle }, 'round');
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(JSON.stringify(lines)).toContain('[deep]');
  });
});
