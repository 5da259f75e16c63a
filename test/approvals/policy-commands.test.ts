import { beforeEach, describe, expect, it } from 'vitest';
import { createAuditTrail } from '../../src/approvals/audit-trail.ts';
import { createPolicyCommands, type PolicyCommands } from '../../src/approvals/policy-commands.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import type { BootId } from '../../src/contract/ids.ts';
import type { Actor } from '../../src/contract/message.ts';
import type { SessionRow } from '../../src/store/sessions.ts';
import { ANN, ApprovalWorld, BOB, EVE } from '../fakes/approval-world.ts';
import { chatAddress } from '../fakes/runs.ts';

let world: ApprovalWorld;
let commands: PolicyCommands;
let session: SessionRow;

beforeEach(() => {
  world = new ApprovalWorld({ config: { approvers: ['telegram:bob'] } });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const redactor = () => createRedactor();
  const trail = createAuditTrail({ audit: world.store.audit, boot: 'b' as BootId, log, redactor });
  const time = (at: number) => new Date(at).toISOString().slice(11, 16);
  commands = createPolicyCommands({
    ...world,
    config: () => world.config,
    trail,
    redactor,
    time,
    folder: (path) => path,
  });
  session = world.store.sessions.open('c1:ann', ANN, chatAddress('c1'), true, world.clock.now());
});

const yolo = (args: string, by: Actor = ANN, where: SessionRow | undefined = session) =>
  commands.yolo(args, world.event({ by }), where);
const grants = (args: string, by: Actor = ANN, direct = true) =>
  commands.grants(args, { ...world.event({ by }), direct }, session);
const runs = (command = 'rm -rf build') => world.asks(command).passage;

describe('/yolo', () => {
  it('lets this session run for an hour, and no other', async () => {
    expect(yolo('')).toContain('Yolo for 1 h, until 13:00');
    expect((await runs()).kind).toBe('pass');
    const other = world.asks('rm -rf build', { chat: 'c2' });
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    world.broker.cancelSession(other.session, 'stop');
    await world.clock.skip(3_600_000);
    void runs();
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    expect(world.events('yolo').map(({ body }) => body['actor'])).toEqual(['telegram:ann']);
  });

  it('never opens what nobody may do, nor what only a person may say yes to', async () => {
    yolo('on');
    expect(await runs('rm -rf /')).toMatchObject({ kind: 'refused', rule: 'fs.wipe' });
    void runs('hermod stop');
    await world.deliver();
    expect(world.pending.map(({ choices }) => choices)).toEqual([['once', 'deny']]);
  });

  it('ends at /yolo off and with the session', () => {
    yolo('on');
    expect(yolo('off')).toContain('Yolo is off');
    expect(world.store.sessions.get(session.id)?.yoloUntil).toBeNull();
    yolo('on');
    world.broker.cancelSession(session.id, 'reset');
    expect(world.store.sessions.get(session.id)?.yoloUntil).toBeNull();
  });

  it('is for who opened the conversation and for approvers', () => {
    expect(yolo('', EVE)).toContain('Only who opened this conversation');
    expect(yolo('', BOB)).toContain('Yolo for 1 h');
    world.config = { ...world.config, who: 'approvers' };
    expect(yolo('')).toContain('Only who opened this conversation');
    expect(yolo('please')).toBe('Write /yolo or /yolo off.');
    expect(commands.yolo('', world.event({ by: ANN }), undefined)).toContain('no conversation here yet');
  });

  it('of a shared conversation is for approvers: it would speak for everybody there', () => {
    const group = (key: string) => world.store.sessions.open(key, ANN, chatAddress('g1'), false, world.clock.now());
    expect(yolo('', ANN, group('telegram:group:g1:tfloor'))).toContain('only an approver');
    expect(yolo('off', ANN, group('telegram:group:g1:tfloor'))).toContain('Yolo is off');
    expect(yolo('', BOB, group('telegram:group:g1:tfloor'))).toContain('Yolo for 1 h');
    expect(yolo('', ANN, group('telegram:group:g1:uann'))).toContain('Yolo for 1 h');
  });

  it('does not exist where yolo_minutes is 0', () => {
    world.config = { ...world.config, yolo_minutes: 0 };
    expect(yolo('')).toContain('is 0');
    expect(world.store.sessions.get(session.id)?.yoloUntil).toBeNull();
  });
});

describe('/grants', () => {
  const press = async (label: string) => {
    const { passage } = world.asks('rm -rf build');
    await world.deliver();
    world.press(world.pending[0]!, label);
    return passage;
  };

  it('lists what is allowed, and what is revoked is asked about again', async () => {
    expect(grants('')).toBe('Nothing is allowed in advance.');
    await press('Always');
    const [grant] = world.store.grants.list(world.clock.now());
    const id = grant!.id.slice(0, 6);
    expect(grants('')).toBe(`\`${id}\` always: \`rm -rf build\` in /proj, used 0 times`);
    expect((await runs()).kind).toBe('pass');
    expect(grants('')).toContain('used 1 times');
    expect(grants(`revoke ${id}`, EVE)).toBe('Only who gave it or an approver can do that.');
    expect(grants(`revoke ${id}`)).toBe('Revoked `rm -rf build`.');
    expect(grants(`revoke ${id}`)).toContain('I know no grant');
    void runs();
    await world.deliver();
    expect(world.pending).toHaveLength(1);
    expect(world.events('grant-revoked')).toHaveLength(1);
  });

  it('opens an Always to jobs: an approver, in a direct chat', async () => {
    await press('Always');
    const [grant] = world.store.grants.list(world.clock.now());
    expect(grants(`jobs ${grant!.id} on`)).toBe('Only who gave it or an approver can do that.');
    expect(grants(`jobs ${grant!.id} on`, BOB, false)).toBe('Only in a direct chat with me.');
    expect(grants(`jobs ${grant!.id} on`, BOB)).toBe('Jobs may use `rm -rf build`.');
    expect(world.store.grants.get(grant!.id)?.jobs).toBe(true);
    expect(grants(`jobs ${grant!.id} off`, BOB)).toBe('Jobs may no longer use `rm -rf build`.');
  });

  it('opens nothing but an Always', async () => {
    await press('Session');
    const [grant] = world.store.grants.list(world.clock.now());
    expect(grants(`jobs ${grant!.id} on`, BOB)).toBe('Only an Always can be opened to jobs.');
    expect(grants('whatever')).toContain('/grants revoke');
    expect(grants('revoke x')).toContain('I know no grant');
  });

  it('shows others only what is theirs or of this session', async () => {
    await press('Always');
    expect(grants('', EVE)).toBe('Nothing is allowed in advance.');
    expect(grants('', BOB)).toContain('always');
  });
});
