import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../src/cli/jobs.ts';
import type { Host } from '../../src/host.ts';

/** Runs `hermod jobs ...` with this text on its stdin. */
async function run(args: readonly string[], input = '') {
  const out: string[] = [];
  const err: string[] = [];
  const host = {
    env: {},
    stdin: Readable.from([input]),
    out: { write: (text: string) => out.push(text) > 0 },
    err: { write: (text: string) => err.push(text) > 0 },
  } as unknown as Host;
  const code = await jobs(host, args);
  return { code, out: out.join(''), err: err.join('') };
}

const NOW = ['--now', '2026-11-29T22:00:00Z'];

describe('hermod jobs preview', () => {
  it('tells the next runs of a phrase with weekday, local time and offset', async () => {
    const { code, out } = await run(['preview', 'every', 'weekday', 'at', '9am', '--tz', 'Berlin', ...NOW]);
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 3)).toEqual([
      'Europe/Berlin',
      '  Mon 30 Nov 2026 09:00 (+01:00)',
      '  Tue 1 Dec 2026 09:00 (+01:00)',
    ]);
  });

  it('tells them as JSON', async () => {
    const { out } = await run(['preview', 'in 2h', '--tz=Europe/Berlin', ...NOW, '--json']);
    expect(JSON.parse(out)).toEqual({ next: ['2026-11-30T00:00:00Z'], kind: 'at', tz: 'Europe/Berlin' });
  });

  it('says why a phrase is none', async () => {
    expect(await run(['preview', '30m', ...NOW])).toMatchObject({
      code: 1,
      out: 'I cannot use "30m" as a time. Once or again and again? Say "in 30m" or "every 30m".\n',
    });
    const { out } = await run(['preview', '0 9 * * *', '--tz', '', '--json', ...NOW]);
    expect(JSON.parse(out)).toMatchObject({ error: 'zone_empty' });
  });

  it.each([[['preview']], [['preview', 'in 2h', '--now', 'soon']], [['preview', '--zone', 'x']], [['nonsense']]])(
    'explains its use after %j',
    async (args) => {
      const { code, err } = await run(args);
      expect(code).toBe(64);
      expect(err).not.toBe('');
    },
  );

  it('answers a question a line, the whole corpus', async () => {
    const rows = readFileSync(join(import.meta.dirname, '../corpus/schedules.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const { code, out } = await run(['preview', '--stdin'], `${rows.join('\n')}\n{"text": 1}\nno json\n`);
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { next?: string[]; error?: string });
    expect(code).toBe(0);
    expect(answers).toHaveLength(rows.length + 2);
    expect(answers.slice(-2).map(({ error }) => error)).toEqual(['input', 'input']);
    for (const [i, row] of rows.entries()) {
      const { text, expect: wanted } = JSON.parse(row) as { text: string; expect: 'error' | string[] };
      const { next, error } = answers[i] ?? {};
      if (wanted === 'error') expect([text, typeof error]).toEqual([text, 'string']);
      else expect([text, next?.slice(0, wanted.length)]).toEqual([text, wanted]);
    }
  });
});
