import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/gateway/commands/command.ts';
import { doctor } from '../../src/gateway/commands/doctor.ts';
import { COMMANDS } from '../../src/gateway/commands/table.ts';
import type { Status } from '../../src/gateway/status.ts';
import { person } from '../fakes/runs.ts';
import { command } from './inbound.ts';
import { routerFixture } from './router-fixture.ts';

/** As people were promised them: `!` for admins, `~` not while a turn runs. */
const PROMISED = `
start help status stop approve deny yolo grants explain queue steer new title whoami usage retry~ undo~ resume~ model reasoning
jobs verbose sethome! restart! doctor!
`;

const promised = PROMISED.trim().split(/\s+/).sort();

describe('the commands', () => {
  let fixture: ReturnType<typeof routerFixture>;
  beforeEach(() => {
    fixture = routerFixture();
  });

  it('are those promised, for whom and when (gateway 36)', () => {
    const marks = COMMANDS.map(({ name, admin, idle }) => `${name}${admin ? '!' : ''}${idle ? '~' : ''}`);
    expect(marks.sort()).toEqual(promised);
  });

  it.each([
    ['a member', 'ann', promised.filter((name) => !name.endsWith('!'))],
    ['an admin', 'boss', promised],
  ])('/help shows %s exactly those they may use (gateway 36)', async (_, id, wanted) => {
    await fixture.hears(command('/help', { by: person(id) }));
    const listed = fixture
      .answers()[0]
      ?.split('\n')
      .map((line) => /^\/(\w+)/.exec(line)?.[1]);
    expect(listed?.sort()).toEqual(wanted.map((name) => name.replace(/[!~]/, '')).sort());
  });

  it('have words that fit every menu', () => {
    for (const { name, about } of COMMANDS) {
      expect(name).toMatch(/^[a-z]{1,32}$/);
      expect(about).toMatch(/^.{1,100}$/);
    }
  });
});

describe('/doctor', () => {
  const WELL = {
    ...{ ready: true, reasons: [], platforms: [], outbox: {}, inboxOpen: 2 },
    life: { streak: 0, held: [], watched: true },
  };
  const says = (more: object) =>
    doctor.run({ status: () => ({ ...WELL, ...more }) as unknown as Status } as unknown as CommandContext).text;

  it('says that nothing is to mend', () => {
    expect(says({})).toBe(
      'I find nothing to mend.\nMessages without an answer: 2.\nhermod doctor on the machine looks at its files, too.',
    );
  });

  it.each<[object, string]>([
    [{ ready: false, reasons: ['store'] }, 'Not ready: store.'],
    [{ platforms: [{ name: 'discord', state: 'fatal', reason: 'token refused' }] }, 'discord is fatal: token refused.'],
    [{ config: { waiting: [], problems: ['bad key'] } }, 'The configuration cannot be used: bad key'],
    [{ config: { waiting: ['http.port'], problems: [] } }, 'These keys wait for a restart: http.port.'],
    [
      { life: { ...WELL.life, streak: null } },
      'The record of restarts cannot be read; interrupted turns wait for a person.',
    ],
    [{ life: { ...WELL.life, held: ['stale'] } }, 'Interrupted turns wait for a person: 1.'],
    [
      { life: { ...WELL.life, watched: false } },
      'Nobody would end me if I froze; the watchdog is being started again.',
    ],
    [{ outbox: { dead: 3 } }, 'Messages that could not be delivered: 3; /status undelivered lists them.'],
  ])('%j', (facts, line) => {
    expect(says(facts)).toBe(`${line}\nhermod doctor on the machine looks at its files, too.`);
  });
});
