import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../../src/approvals/audit-trail.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import type { ButtonPress } from '../../src/contract/message.ts';
import { ANN, ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';
import { cronRun } from '../fakes/runs.ts';

const names = (world: ApprovalWorld) => world.events().map(({ event }) => event);
/** Makes every write of an event fail from now on, as a full disk would. */
const unwritable = (world: ApprovalWorld) =>
  world.store.db.exec(
    `CREATE TRIGGER full BEFORE INSERT ON approval_event BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
  );

describe('what is written down', () => {
  it('every step of a request, with who, where, why and what', async () => {
    const world = new ApprovalWorld();
    const { passage, run, session } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    world.press(row!, 'Once', EVE);
    world.press(row!, 'Session');
    await passage;
    await world.asks('rm -rf build').passage;
    expect(names(world)).toEqual([
      'decided',
      'asked',
      'press-refused',
      'granted',
      'grant-made',
      'begun',
      'decided',
      'grant-used',
    ]);
    const [decided, asked, refused, granted, made] = world.events().map(({ body }) => body);
    expect(decided).toMatchObject({
      ...{
        run: run.runId,
        kind: 'chat',
        depth: 0,
        session,
        authority: 'person',
        label: 'ask:chat',
        actor: 'telegram:ann',
      },
      ...{ rules: ['fs.delete'], command: 'rm -rf build', cwd: '/proj', reason: 'deletes a directory tree' },
    });
    expect(asked).toMatchObject({ approval: row!.id, actor: 'telegram:ann', address: { chat: 'c1' } });
    expect(refused).toMatchObject({ approval: row!.id, actor: 'telegram:eve', surface: 'button', reason: 'not-yours' });
    expect(granted).toMatchObject({ approval: row!.id, actor: 'telegram:ann', choice: 'session', surface: 'button' });
    expect(made).toMatchObject({ choice: 'session', rules: ['fs.delete'] });
    expect(world.store.audit.verify()).toMatchObject({ ok: true, events: 8 });
  });

  it('ends that are nobody’s answer too', async () => {
    const world = new ApprovalWorld();
    void world.asks('rm -rf a');
    const b = world.asks('rm -rf b', { chat: 'c2' });
    await world.deliver();
    world.broker.cancelSession(b.session, 'stop');
    await world.clock.skip(1_800_000);
    const ends = world.events().filter(({ event }) => event === 'cancelled' || event === 'expired');
    expect(ends.map(({ event, body }) => [event, body['reason']])).toEqual([
      ['cancelled', 'stop'],
      ['expired', undefined],
    ]);
  });

  it('holds no secret and only a salted hash of the exact text', async () => {
    const world = new ApprovalWorld();
    const secret = 'hunter2hunter2';
    for (const chat of ['c1', 'c2']) void world.asks(`rm -rf x --token=${secret} ${'y'.repeat(3000)}`, { chat });
    await world.deliver();
    world.commands('deny', `my password is password=${secret}`);
    const all = JSON.stringify(world.events());
    expect(all).not.toContain(secret);
    const [first, second] = world.events('decided').map(({ body }) => body);
    expect(String(first?.['command'])).toHaveLength(2000);
    expect(first?.['command']).toBe(second?.['command']);
    expect(first?.['exact']).not.toBe(second?.['exact']);
    expect(world.log.map(({ facts, sentence }) => JSON.stringify(facts) + sentence).join()).not.toContain(secret);
  });

  it('the exact text leaves the database with the result of its call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermod-trail-'));
    const world = new ApprovalWorld({ path: join(folder, 'hermod.db') });
    const command = 'rm -rf quite-unlikely-name --password=hunter2hunter2';
    const { passage, calls } = world.asks(command);
    await world.deliver();
    const [row] = world.pending;
    world.press(row!, 'Once');
    await passage;
    expect(world.store.approvals.get(row!.id)?.command).toBe(command);
    world.store.transcript.begin(calls[0]!, world.boot, 1);
    world.store.transcript.finish(calls[0]!, 'done', 'ok', 2);
    expect(world.store.approvals.get(row!.id)).toMatchObject({ command: null, input: null });
    await world.deliver();
    world.store.db.pragma('wal_checkpoint(TRUNCATE)');
    world.store.db.exec('VACUUM');
    world.store.close();
    expect(readFileSync(join(folder, 'hermod.db')).includes('hunter2hunter2')).toBe(false);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('the end of a call', () => {
  it('is noted with its exit where the call was flagged, and breaks nothing when it cannot be', async () => {
    const world = new ApprovalWorld({ config: { mode: 'off' } });
    const flagged = world.asks('rm -rf build');
    const plain = world.asks('ls');
    await Promise.all([flagged.passage, plain.passage]);
    for (const { calls, run } of [flagged, plain]) world.gate.ended(calls[0]!, run, { state: 'failed', exit: 2 });
    expect(world.events('ended').map(({ body }) => body)).toEqual([
      { run: flagged.run.runId, kind: 'chat', depth: 0, session: flagged.session, detail: 'failed', exit: 2 },
    ]);
    unwritable(world);
    world.gate.ended(flagged.calls[0]!, flagged.run, { state: 'done' });
    expect(world.log.at(-1)?.sentence).toContain('could not be written');
  });
});

describe('what cannot be written down does not happen', () => {
  it('a yes, a refusal, an allowed call: all are refused', async () => {
    const world = new ApprovalWorld({ config: { mode: 'off' } });
    unwritable(world);
    for (const command of ['rm -rf build', 'rm -rf /']) {
      expect(await world.asks(command).passage).toMatchObject({ kind: 'refused', rule: 'audit_unwritable' });
    }
    expect((await world.asks('ls').passage).kind).toBe('pass');
    const asking = new ApprovalWorld();
    unwritable(asking);
    expect(await asking.asks('rm -rf build').passage).toMatchObject({ kind: 'refused', rule: 'audit_unwritable' });
    expect(asking.pending).toEqual([]);
  });

  it('a press: the row stays pending, nothing runs', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    unwritable(world);
    expect(() => world.press(row!, 'Once')).toThrow('full');
    expect(world.pending).toHaveLength(1);
    world.store.db.exec('DROP TRIGGER full');
    expect(world.press(row!, 'Once')).toBe('Allowed once.');
    expect((await passage).kind).toBe('pass');
  });

  it('a press whose outer transaction fails after all wakes nobody', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    const press = () =>
      world.store.tx(() => {
        world.press(row!, 'Once');
        throw new Error('the inbox row could not be written');
      });
    expect(press).toThrow('could not be written');
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    world.press(row!, 'Deny');
    expect((await passage).kind).toBe('refused');
  });

  it('the start after a yes', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    world.press(world.pending[0]!, 'Once');
    unwritable(world);
    expect(await passage).toMatchObject({ kind: 'refused', rule: 'audit_unwritable' });
  });

  it('expiry is tried again, and the process lives', async () => {
    const world = new ApprovalWorld();
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    unwritable(world);
    await world.clock.skip(1_800_000);
    expect(world.pending).toHaveLength(1);
    expect(world.log.some(({ sentence }) => sentence.includes('trying again'))).toBe(true);
    world.store.db.exec('DROP TRIGGER full');
    await world.clock.skip(5000);
    expect(await passage).toMatchObject({ kind: 'refused', by: 'timeout' });
  });
});

describe('the head of the chain', () => {
  it('goes to the boot row and the log, at a mark and every 1,000 events', async () => {
    const world = new ApprovalWorld();
    const lines: object[] = [];
    const note = (facts: object) => void lines.push(facts);
    const log = { debug: note, info: note, warn() {}, error() {} };
    const trail = createAuditTrail({
      audit: world.store.audit,
      boot: world.boot,
      log,
      redactor: () => createRedactor(),
    });
    world.store.tx(() => {
      for (let i = 0; i < 2500; i++) trail.write('yolo', { actor: 'telegram:ann' }, i);
    });
    trail.mark();
    expect(lines.map((line) => (line as { events: number }).events)).toEqual([1000, 2000, 2500]);
    world.store.db.exec('DROP TRIGGER approval_event_no_delete; DELETE FROM approval_event WHERE seq > 2400');
    expect(world.store.audit.verify()).toMatchObject({ ok: false, seq: 2401 });
  });
});

describe('votes, offers and presses of others', () => {
  it('are there as well', async () => {
    const world = new ApprovalWorld({ config: { two_person: ['fs.*'], approvers: ['telegram:bob'] } });
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    const [row] = world.pending;
    world.press(row!, 'Once');
    world.broker.press(world.event({ by: ANN, data: `h1:ap:${row!.id}:aaaaaa:o` }) as ButtonPress);
    world.press(row!, 'Once', BOB);
    await passage;
    world.config = { ...world.config, two_person: [] };
    const run = cronRun();
    await world.within(run, 'rm -rf job');
    world.gate.firingEnded(run, { name: 'j', slot: 's' });
    expect(names(world)).toEqual(['decided', 'asked', 'vote', 'press-refused', 'granted', 'begun', 'decided', 'asked']);
  });
});
