import { afterEach, describe, expect, it } from 'vitest';
import type { JobId } from '../../src/contract/ids.ts';
import type { JobRow } from '../../src/store/jobs.ts';
import { chatAddress, person } from '../fakes/runs.ts';
import { BOB, fails, SchedulerWorld, says, type WorldOptions } from './scheduler-world.ts';

let world: SchedulerWorld;
afterEach(() => world.close());
const open = (options?: WorldOptions) => {
  world = new SchedulerWorld(options);
  return world;
};

const MINUTE = 60_000;
const DAY = 86_400_000;

function deliveries(id: JobId) {
  const firing = world.store.firings.ofJob(id, 1)[0];
  return world.store.firings.deliveriesOf(firing?.id as never);
}
const row = (n = 0) => {
  const [found] = world.store.outbox.heads('telegram').slice(n);
  if (!found) throw new Error('nothing waits to be sent');
  return found;
};
const states = (id: JobId) => deliveries(id).map(({ state }) => state);

describe('a delivery', () => {
  it('is delivered with the id of the platform, never before', async () => {
    const { id } = open().job('in 1m');
    await world.skip(2 * MINUTE);
    world.store.outbox.close(row().id, 'cancelled');
    world.store.db.prepare(`UPDATE outbox SET state = 'pending'`).run();
    world.store.db.prepare(`UPDATE firing_deliveries SET state = 'pending'`).run();
    const out = world.store.outbox.get(deliveries(id)[0]?.outboxKey ?? '');
    expect(states(id)).toEqual(['pending']);
    world.store.outbox.claim(out?.id as never);
    expect(states(id)).toEqual(['pending']);
    world.store.outbox.sent(out?.id as never, { messageId: '77', at: chatAddress('chat-of-ann') }, world.clock.now());
    expect(states(id)).toEqual(['delivered']);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule ok']);
  });

  it.each([
    ['without an id', 'ambiguous'],
    ['that may have arrived', 'ambiguous'],
    ['that was refused for good', 'failed'],
    ['that waits for a limit', 'pending'],
  ])('%s is %s, and the firing stays ok (schedule 19)', async (what, state) => {
    const { id } = open().job('in 1m');
    await world.skip(2 * MINUTE);
    const { outbox } = world.store;
    const out = outbox.get(deliveries(id)[0]?.outboxKey ?? '');
    const key = out?.id as never;
    outbox.claim(key);
    if (what === 'without an id') outbox.sent(key, { messageId: '', at: chatAddress('chat-of-ann') }, 1);
    if (what === 'that may have arrived') outbox.retry(key, 1, 'cut off', 'ambiguous', false);
    if (what === 'that was refused for good') outbox.close(key, 'dead', 'blocked');
    if (what === 'that waits for a limit') outbox.retry(key, 1, '429', 'pending', true);
    expect(states(id)).toEqual([state]);
    expect(world.firings(id)).toEqual(['2026-11-30T08:01 schedule ok']);
  });

  it('goes to the topic it was made in (schedule 19)', async () => {
    open();
    const topic = (thread: string) => ({
      ...world.from(),
      address: { ...chatAddress('group'), thread },
      direct: false,
    });
    world.job('in 1m', { prompt: 'one' }, {}, topic('5'));
    world.job('in 2m', { prompt: 'two' }, {}, topic('6'));
    await world.skip(90_000);
    const sent = world.store.db.prepare<[], { address: string }>(`SELECT address FROM outbox WHERE kind = 'job'`).all();
    expect(sent.map(({ address }) => (JSON.parse(address) as { thread: string }).thread)).toEqual(['5']);
  });

  it('goes to each place once, at most five, and nowhere its owner may not talk', async () => {
    open({
      deps: {
        homes: () => [{ address: chatAddress('home'), direct: false }],
        mayTalk: (_, place) => place?.address.chat !== forbidden,
      },
    });
    let forbidden = '';
    const places = ['a', 'b', 'b', 'c'].map((chat) => chatAddress(chat));
    world.job('in 1m', { deliver: [...places, 'home:telegram'] });
    forbidden = 'c';
    expect(world.problem(() => world.job('in 1m', { deliver: [chatAddress('c')] }))).toBe(
      'deliver: Its owner may not post in telegram c.',
    );
    await world.skip(2 * MINUTE);
    expect(world.sent('job').map(({ chat }) => chat)).toEqual(['a', 'b', 'home']);
  });

  it('goes to a private chat of somebody else for an admin only, and says so when it is made (schedule 24)', async () => {
    const own = chatAddress('chat-of-ann');
    let home = chatAddress('chat-of-bob');
    open({ deps: { homes: () => [{ address: home, direct: true }] } });
    const order = { prompt: 'hermod asks you to say yes', agent: false, deliver: ['home:telegram'] } as const;
    const refused = 'deliver: Its owner may not post in the home of telegram.';
    expect(world.problem(() => world.job('in 1m', order))).toBe(refused);
    const { id } = world.job('in 1m', { ...order, deliver: ['origin'] });
    expect(world.problem(() => world.scheduler.desk.edit(id, 1, order, world.from()))).toBe(refused);
    // It was Ann's own chat when the job was made.
    home = own;
    world.job('in 2m', { ...order, prompt: 'own' });
    world.job('in 3m', { ...order, prompt: 'too late' });
    world.job('in 4m', { ...order, prompt: 'of an admin' }, {}, world.from(person('root', 'Root')));
    await world.skip(2 * MINUTE + 30_000);
    home = chatAddress('chat-of-bob');
    await world.skip(2 * MINUTE);
    expect(world.sent('job').map(({ chat, text }) => `${chat} ${text}`)).toEqual([
      'chat-of-ann hermod asks you to say yes',
      'chat-of-ann own',
      'chat-of-bob of an admin',
    ]);
  });

  it('to a home that nobody has set is refused; one that is no more is told once a day', async () => {
    let homes = [{ address: chatAddress('home'), direct: false }];
    open({ deps: { homes: () => homes } });
    expect(world.problem(() => world.job('in 1m', { deliver: ['home:discord'] }))).toBe(
      'deliver: Nobody has set the home of discord; /sethome in a chat does.',
    );
    world.job('every 10m', { name: 'Lost', prompt: 'stretch', agent: false, deliver: ['home:telegram'] });
    homes = [];
    await world.skip(31 * MINUTE);
    expect(world.sent('job')).toEqual([]);
    expect(world.notices()).toEqual([
      'Job "Lost" has no place left for what it says (the home of telegram); it is only stored. /jobs history shows where.',
    ]);
  });

  it('of a job made on the command line goes nowhere unless told', async () => {
    open();
    const cli = {
      ...world.from({ platform: 'cli', id: 'operator', name: 'the operator' }),
      address: { platform: 'cli', bot: 'local', chat: 'operator' },
    };
    const { id } = world.job('in 1m', {}, {}, cli);
    expect(world.get(id).deliver).toEqual(['local']);
    await world.skip(2 * MINUTE);
    expect(world.sent()).toEqual([]);
    const firing = world.store.firings.lastOk(id);
    expect(world.scheduler.outputs.read(firing?.outputPath ?? '')).toBe('done');
  });

  it('to a chat that is gone: outputs are kept, and after a week the job is paused', async () => {
    const { id } = open().job('every day at 12:00', { name: 'Far' });
    world.store.reach.mark({ platform: 'telegram', bot: 'b1', chat: 'chat-of-ann' }, 'blocked', 1);
    for (let day = 0; day < 9; day++) {
      world.clock.jump(DAY);
      await world.skip(MINUTE);
    }
    expect(world.get(id)).toMatchObject({ state: 'paused', pausedReason: 'unreachable' });
    expect(world.firings(id).length).toBeGreaterThanOrEqual(7);
    expect(world.notices()).toEqual(['Job "Far" is paused: its chat could not be reached for 7 days.']);
  });

  it('follows a chat that moved, without a new revision', async () => {
    const { id } = open().job('every 10m', {}, {}, { ...world.from(), address: chatAddress('-1'), direct: false });
    world.store.tx(() => world.store.moves.apply({ platform: 'telegram', from: '-1', to: '-1001' }, 1, (key) => key));
    await world.skip(11 * MINUTE);
    expect(world.sent('job').map(({ chat }) => chat)).toEqual(['-1001']);
    expect(world.get(id).rev).toBe(1);
  });
});

describe('a script', () => {
  const scripted = (more = {}) => world.job('every 10m', { script: { path: '/s', sha256: 'x' }, ...more });

  it('gives the agent its output as data', async () => {
    open();
    world.script = () => ({ kind: 'ended', code: 0, output: 'disk 91 %\n' });
    scripted();
    await world.skip(11 * MINUTE);
    expect(world.asked[0]?.prompt).toContain('<job-data>\ndisk 91 %\n</job-data>');
  });

  it("says of another job's output how old it is, and that it is stale when a period has passed (schedule 22)", async () => {
    const { id } = open().job('every 10m', { name: 'source' });
    await world.skip(11 * MINUTE);
    world.scheduler.desk.pause(id, world.from());
    const reader = world.job('every 3h', { prompt: 'read it', contextFrom: [id] });
    for (const stale of [false, true]) {
      if (stale) await world.skip(15 * MINUTE);
      world.scheduler.desk.run(reader.id, world.from());
      await world.skip(1000);
      const prompt = world.asked.at(-1)?.prompt ?? '';
      expect(prompt).toMatch(/Output of job \w{4}, firing \w{8}, \d+ (?:s|min) old/);
      expect([stale, prompt.includes('stale: older than one period')]).toEqual([stale, stale]);
    }
  });

  it.each([
    ['all fine\n{"wakeAgent": false}', ['skipped gate'], 0],
    ['all fine\n{"wakeAgent": true}', ['ok'], 1],
    ['all fine\n{wakeAgent: false', ['ok'], 1],
    ['{"wakeAgent": false}\nmore', ['ok'], 1],
  ])('that says %j: %j (schedule 21)', async (output, states, asked) => {
    open();
    world.script = () => ({ kind: 'ended', code: 0, output });
    const { id } = scripted();
    await world.skip(11 * MINUTE);
    expect(world.firings(id)).toEqual(states.map((state) => `2026-11-30T08:10 schedule ${state}`));
    expect(world.asked).toHaveLength(asked);
  });

  it('alone is the message; empty is silence', async () => {
    open();
    world.script = () => ({ kind: 'ended', code: 0, output: 'disk 91 %\n' });
    const { id } = scripted({ agent: false });
    await world.skip(11 * MINUTE);
    expect(world.sent('job').map(({ text }) => text)).toEqual(['disk 91 %']);
    world.script = () => ({ kind: 'ended', code: 0, output: '\n' });
    await world.skip(10 * MINUTE);
    expect(world.sent('job')).toHaveLength(1);
    expect(world.firings(id).at(-1)).toMatch(/ok$/);
    expect(world.asked).toEqual([]);
  });

  it.each([
    [{ kind: 'ended', code: 3, output: 'x' } as const, 'error script'],
    [{ kind: 'changed', why: 'it changed', sha256: 'other' } as const, 'error script_changed'],
    [{ kind: 'missing', why: 'it is gone' } as const, 'error blocked_config'],
  ])('that ends as %j is an error without a model call (schedule 21)', async (end, state) => {
    open();
    world.script = () => end;
    const { id } = scripted();
    await world.skip(11 * MINUTE);
    expect(world.firings(id)).toEqual([`2026-11-30T08:10 schedule ${state}`]);
    expect(world.asked).toEqual([]);
    expect(world.notices()).toHaveLength(1);
  });
});

describe('a script that is not the one people set', () => {
  it('does not run and is asked about once; Accept lets exactly that content run, Pause stops the job (schedule 21)', async () => {
    open();
    let now = 'b2';
    world.script = (run) =>
      world.get(run.jobId).scriptSha256 === now
        ? { kind: 'ended', code: 0, output: `ran ${now}` }
        : { kind: 'changed', why: 'changed', sha256: now };
    const { id } = world.job('every 10m', {
      name: 'disk',
      agent: false,
      script: { path: '/home/scripts/disk.sh', sha256: 'a1' },
    });
    const asked = () => world.sent('notice').filter(({ key }) => key.startsWith('job-script:'));
    await world.skip(21 * MINUTE);
    expect(world.firings(id)).toEqual([
      '2026-11-30T08:10 schedule error script_changed',
      '2026-11-30T08:20 schedule error script_changed',
    ]);
    expect(asked().map(({ text }) => text)).toEqual([
      'Job "disk" did not run: its script disk.sh is not the one that was accepted (sha256 is b2 now). Look at it; Accept lets it run as it is.',
    ]);
    const first = asked()[0]?.message.buttons?.flat() ?? [];
    expect(first.map(({ label }) => label)).toEqual(['Accept', 'Pause']);
    now = 'c3';
    await world.skip(10 * MINUTE);
    expect(asked()).toHaveLength(2);
    expect(world.pressData(first[0]?.data ?? '', world.from(BOB))).toBe(
      'Only the owner of this job or an admin may do that.',
    );
    now = 'd4';
    expect(world.press('Accept')).toBe('Accepted: it runs as it is now, from its next run on.');
    expect(world.get(id).scriptSha256).toBe('c3');
    await world.skip(10 * MINUTE);
    expect(world.firings(id).at(-1)).toMatch(/error script_changed$/);
    expect(world.press('Accept')).toMatch(/^Accepted/);
    expect(world.pressData(first[0]?.data ?? '')).toBe('The job changed; here it is now.');
    await world.skip(10 * MINUTE);
    expect(world.firings(id).at(-1)).toMatch(/ok$/);
    expect(world.sent('job').map(({ text }) => text)).toEqual(['ran d4']);
    now = 'e5';
    world.scheduler.desk.run(id, world.from());
    await world.skip(1000);
    expect(asked()).toHaveLength(4);
    expect(world.press('Pause')).toBe('Paused.');
    expect(world.get(id)).toMatchObject({ state: 'paused', scriptSha256: 'd4' });
    expect(world.verbs.run('accept disk', world.from())).toMatch(/^Its script may run as it is now/);
    expect(world.get(id)).toMatchObject({ state: 'paused', scriptSha256: 'e5' });
    expect(world.verbs.run('accept disk', world.from())).toBe('There is nothing to accept.');
  });

  it('is told of a run by hand that failed, whatever was told before', async () => {
    open({ turn: () => fails('server', 'The model broke.') });
    const { id } = world.job('every 2h', { name: 'sad' });
    for (let i = 0; i < 2; i++) {
      world.scheduler.desk.run(id, world.from());
      await world.skip(1000);
    }
    expect(world.notices()).toEqual([1, 2].map(() => expect.stringMatching(/^Job "sad" failed: model_server/)));
    expect(world.get(id)).toMatchObject({ failStreak: 0, notBefore: null });
  });
});

describe('the model of a job', () => {
  it('is the one people set, else that of all jobs, else the default of the day it was made', async () => {
    open();
    world.defaultModel = 'p:old';
    const plain = world.job('every 10m', { prompt: 'one' });
    const own = world.job('every 10m', { prompt: 'two', model: 'p:own' });
    world.defaultModel = 'p:new';
    const later = world.job('every 10m', { prompt: 'three' });
    const models = () =>
      [plain, own, later].map(({ id }) => {
        const run = world.asked.findLast((one) => one.run.jobId === id)?.run;
        return run && world.store.sessions.get(run.session)?.model;
      });
    await world.skip(11 * MINUTE);
    expect(models()).toEqual(['p:old', 'p:own', 'p:new']);
    world.config = { ...world.config, model: 'p:jobs' };
    await world.skip(10 * MINUTE);
    expect(models()).toEqual(['p:jobs', 'p:own', 'p:jobs']);
  });
});

describe('what a firing was refused', () => {
  it('ends it as blocked when it was too much, and is offered to its owner afterwards', async () => {
    open({
      turn: (_, run, sink) => {
        world.blockedRuns.add(run.runId);
        sink.tool('shell: rm -rf build');
        return new Promise((resolve) => {
          const stop = () => resolve({ kind: 'stopped', by: 'stop', partial: '' });
          if (run.signal.aborted) stop();
          else run.signal.addEventListener('abort', stop);
        });
      },
    });
    const { id } = world.job('every 10m', { name: 'Wipe' });
    await world.skip(11 * MINUTE);
    expect(world.firings(id)).toEqual(['2026-11-30T08:10 schedule error blocked']);
    expect(world.ended).toMatchObject([{ name: 'Wipe', slot: 'Mon 30 Nov 2026 09:10 (+01:00)' }]);
  });
});

describe('history', () => {
  it('keeps the configured number of firings and outputs', async () => {
    open({ config: { keep_firings: 5, keep_outputs: 2 } });
    const { id } = world.job('every 10m', { name: 'Many' });
    await world.skip(95 * MINUTE);
    const firings = world.store.firings.ofJob(id, 100);
    expect(firings).toHaveLength(5);
    expect(firings.filter(({ outputPath }) => outputPath !== null)).toHaveLength(2);
    expect(world.verbs.run(`history ${id}`, world.from()).split('\n')).toHaveLength(6);
  });

  it('tells what became of each run', async () => {
    const { id } = open().job('every 10m', { name: 'Mixed' });
    await world.skip(10 * MINUTE + 1000);
    world.turn = () => fails('server', 'The model broke.');
    await world.skip(10 * MINUTE);
    world.turn = () => says('fine');
    const text = world.verbs.run(`history Mixed`, world.from());
    expect(text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^- Mon 30 Nov 2026 09:20 \(\+01:00\); error \(model_server\); The model broke\.$/),
      expect.stringMatching(/^- Mon 30 Nov 2026 09:10 \(\+01:00\); ok, pending; output \w+\/\w+\.md$/),
    ]);
    expect(world.get(id).failStreak).toBe(1);
  });
});

describe('a crontab', () => {
  it('is imported line by line as paused jobs, or refused with the number of the line (schedule 26)', async () => {
    open({ config: { max_creations_per_hour: 100 } });
    const text = [
      '# my jobs',
      'MAILTO=me@example.org',
      '0 9 * * 1-5 /usr/bin/report --daily',
      'CRON_TZ=Asia/Tokyo',
      '30 6 * * * tokyo-report',
      '@daily cleanup',
      '@reboot start-it',
      '0 9 * * * root /usr/sbin/rotate',
      '0 9 * * * date +%F',
      '0 9 * * * date +\\%F',
      '0 9 */2 * 1 odd',
      '*/90 * * * * never',
      'PATH=/bin',
      'nonsense',
      'TZ="Europe/Lisbon"',
      '15 3 1 * * backup --monthly',
      '@weekly report',
      'CRON_TZ=Mars/Olympus',
      '*/15 8-18 * * MON-FRI ping -c1 example.org',
      '0 9 * * 1 mail -s "100%" me',
      '0 9 * * 1 git -C /srv/app pull',
      '0 9 * * 1 mysql /usr/bin/mysqldump all',
    ].join('\n');
    const said = world.verbs.run(`import ${text}`, world.from());
    expect(said.split('\n').map((line) => line.replace(/job \w{4}, paused; .*? starts it\./, 'job.'))).toEqual([
      '- line 2: MAILTO is not applied: jobs have no such variables.',
      '- line 3: job.',
      '- line 5: job.',
      '- line 6: job.',
      '- line 7: @reboot is not a time.',
      expect.stringMatching(/^- line 8: It has a column for the user/),
      expect.stringMatching(/^- line 9: % ends the command/),
      '- line 10: job.',
      expect.stringMatching(/^- line 11: job\. cron runs it where both days fit/),
      '- line 12: Say "every 90 minutes".',
      '- line 13: PATH is not applied: jobs have no such variables.',
      '- line 14: A line has five fields or a nickname, then a command.',
      '- line 16: job.',
      '- line 17: job.',
      expect.stringMatching(/^- line 18: CRON_TZ=Mars\/Olympus is no zone\./),
      '- line 19: job.',
      expect.stringMatching(/^- line 20: % ends the command/),
      '- line 21: job.',
      expect.stringMatching(/^- line 22: It has a column for the user/),
    ]);
    const jobs = world.scheduler.desk.list(world.from());
    expect(jobs.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'paused'));
    expect(jobs.find(({ name }) => name === 'report')).toMatchObject({
      tz: 'Europe/Lisbon',
      schedule: { expr: '0 0 * * 0' },
    });
    expect(jobs.find(({ name }) => name === 'tokyo-report')).toMatchObject({
      tz: 'Asia/Tokyo',
      prompt: 'Run this command and report its output:\n```\ntokyo-report\n```',
    });
    expect(jobs.find(({ name }) => name.startsWith('date'))?.prompt).toContain('date +%F');
    world.clock.jump(2 * DAY);
    await world.skip(MINUTE);
    expect(world.asked).toEqual([]);
    const { id } = jobs.find(({ name }) => name === 'cleanup') as JobRow;
    world.verbs.run(`resume ${id}`, world.from());
    world.clock.jump(DAY);
    await world.skip(2 * MINUTE);
    expect(world.asked.map(({ run }) => run.jobId)).toEqual([id]);
  });
});
