import { describe, expect, it } from 'vitest';
import type { CommandContext, Restart } from '../../../src/gateway/commands/command.ts';
import { restart, restartText } from '../../../src/gateway/commands/restart.ts';
import { tellBack } from '../../../src/process/restart-notices.ts';
import { openStore } from '../../../src/store/store.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { command } from '../inbound.ts';

describe('what a restart waits for (gateway 36)', () => {
  it.each<[string, number, number, boolean]>([
    ['Restarting. I go on when I am back.', 0, 300_000, false],
    ['Restarting when 1 running turn ends (5 min at most). /restart now does not wait.', 1, 300_000, false],
    ['Restarting when 2 running turns end (5 min at most). /restart now does not wait.', 2, 300_000, false],
    ['Restarting. I go on when I am back.', 2, 300_000, true],
    ['Restarting. I go on when I am back.', 2, 0, false],
  ])('%s', (text, running, waitMs, now) => {
    expect(restartText({ busy: () => running, waitMs }, now)).toBe(text);
  });
});

describe('/restart', () => {
  const store = openStore(':memory:');
  const clock = new FakeClock();
  const begun: string[] = [];
  const again: Restart = { waitMs: 300_000, busy: () => 1, begin: (by, now) => void begun.push(`${by} ${now}`) };
  const runs = (args: string, how: { again?: Restart } = { again }) =>
    restart.run({ store, clock, from: command('/restart'), args, restart: how.again } as unknown as CommandContext);
  const said = () => store.db.prepare("SELECT json_extract(body, '$.text') FROM outbox ORDER BY seq").pluck().all();

  it('tells who asked, and tells them again when hermod is back; nothing begins before the commit', () => {
    const answer = runs('');
    expect([answer.text, begun]).toEqual(['', []]);
    answer.after?.();
    tellBack(store, [], clock.now());
    expect(said()).toEqual([expect.stringMatching(/^Restarting when 1 running turn/), 'Back after a restart.']);
    expect(begun).toEqual(['telegram:ann false']);
  });

  it('now; asked again soon it answers like any command', () => {
    const answer = runs(' NOW ');
    answer.after?.();
    expect(answer.text).toBe('Restarting. I go on when I am back.');
    expect(begun.at(-1)).toBe('telegram:ann true');
    expect(said()).toHaveLength(2);
  });

  it('is refused where nothing would start hermod again (gateway 36)', () => {
    expect(runs('', {}).text).toBe('Nothing would start me again here. Use npm start or install the service.');
  });
});
