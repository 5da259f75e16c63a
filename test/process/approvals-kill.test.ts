import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase, openReadOnly } from '../../src/store/open.ts';
import type { Visible } from '../fakes/telegram-server.ts';
import { DaemonProcess } from './daemon-process.ts';
import { Survivor } from './survivor.ts';

const GROUP = -100;

let survivor: Survivor;
afterEach(() => survivor.close());

const someone = (id: number, name: string) => survivor.telegram.person(id, name);
const anna = () => someone(1, 'Anna');
const ben = () => someone(2, 'Ben');
const cards = (chat: number): readonly Visible[] =>
  survivor.telegram.said(chat).filter(({ buttons }) => buttons.length > 0);

/** What nobody can do twice without leaving a trace: one line a run. */
const marking = (name: string) => `run echo ${name} >> ran.txt && rm -r ${name}`;

async function open(config = ''): Promise<void> {
  survivor = await Survivor.open(`  allow: ["telegram:2"]\n${config}`);
  survivor.telegram.group(GROUP, { title: 'Family' });
  await survivor.boot();
  survivor.says('run mkdir -p one two three');
  await survivor.hears(/I called shell/);
}

/** Somebody asks for it in the group, or Anna directly; resolves with the card. */
async function asks(what: string, who?: { readonly says: (where: number, text: string) => unknown }): Promise<Visible> {
  const chat = who ? GROUP : 1;
  const before = cards(chat).length;
  if (who) who.says(GROUP, `@hermod_test_bot ${what}`);
  else survivor.says(what);
  await survivor.until(`a card for ${what}`, () => cards(chat).length > before);
  return cards(chat).at(-1)!;
}

/** The data of a button, as the platform was given it. */
function dataOf(card: Visible, label: string): string {
  const sent = survivor.telegram.callsOf('sendMessage').map(({ payload }) => JSON.stringify(payload));
  const name = new RegExp(`"text":"${label}","callback_data":"(h1:ap:[^"]+)"`);
  const texts = sent.filter((payload) => payload.includes(card.text.split('\n')[1] ?? card.text));
  return name.exec(texts.at(-1) ?? '')?.[1] ?? '';
}

const states = () => {
  const db = openReadOnly(join(survivor.home, 'hermod.db'));
  try {
    return db.prepare<[], string>('SELECT state FROM approvals ORDER BY rowid').pluck().all();
  } finally {
    db.close();
  }
};

/** While it is down, more time passes than the card had. */
function expireWhileDown(): void {
  const db = openDatabase(join(survivor.home, 'hermod.db'));
  db.prepare(`UPDATE approvals SET expires_at = ? WHERE state = 'pending'`).run(Date.now() - 1000);
  db.close();
}

/** The answer to a press, as soon as there is one. */
async function answerTo(press: { readonly answer: string | undefined }): Promise<string> {
  return (
    await survivor.until('an answer to the press', () => press.answer !== undefined && [press.answer])
  )[0] as string;
}

describe('kill -9 while an approval is pending', () => {
  it('the press after the boot runs the command of the row once, and the turn goes on to its end (gateway 10)', async () => {
    await open();
    const card = await asks(`${marking('one')} then say that was it`);
    await survivor.kill();
    const presses = [anna().presses(card, 'Once'), anna().presses(card, 'Once'), anna().presses(card, 'Deny')];
    await survivor.boot();
    await survivor.hears(/that was it/);
    const answers = await Promise.all(presses.map(answerTo));
    expect(answers.filter((text) => text === 'Allowed once.')).toHaveLength(1);
    expect(answers.filter((text) => /^Already decided by Anna/.test(text))).toHaveLength(2);
    expect(survivor.read('ran.txt')).toBe('one\n');
    await survivor.kill();
    await survivor.boot();
    survivor.says('say still here');
    await survivor.hears(/still here/);
    expect(survivor.read('ran.txt')).toBe('one\n');
  });

  it('and the press is a no: the command does not run, the model is told', async () => {
    await open();
    const card = await asks(marking('one'));
    await survivor.kill();
    await survivor.boot();
    expect(await answerTo(anna().presses(card, 'Deny'))).toBe('Denied.');
    await survivor.hears(/Refused by Anna/);
    expect(survivor.read('ran.txt')).toBe('');
  });

  it('expired while it was down: nothing runs, the card says so, a press is told, the turn ends (gateway 10)', async () => {
    await open();
    const card = await asks(`${marking('one')} then say that was it`);
    const once = dataOf(card, 'Once');
    expect(once).toMatch(/:o$/);
    await survivor.kill();
    expireWhileDown();
    await survivor.boot();
    await survivor.hears(/^Expired \d\d:\d\d\. Not run\./);
    expect(await answerTo(anna().pressesData(card, once))).toMatch(/^This expired at \d\d:\d\d; nothing was run\./);
    await survivor.hears(/Nobody answered within[\s\S]*that was it/);
    expect(survivor.read('ran.txt')).toBe('');
    expect(states()).toEqual(['expired']);
  });

  it('two pending in one chat: pressing the second leaves the first, which still works', async () => {
    await open();
    const first = await asks(marking('one'), anna());
    const second = await asks(marking('two'), ben());
    await survivor.kill();
    await survivor.boot();
    expect(await answerTo(ben().presses(second, 'Once'))).toBe('Allowed once.');
    await survivor.until('the second to run', () => survivor.read('ran.txt') === 'two\n');
    expect(states()).toEqual(['pending', 'granted']);
    expect(await answerTo(ben().presses(first, 'Once'))).toBe('Only Anna or an approver can answer this.');
    expect(await answerTo(anna().presses(first, 'Once'))).toBe('Allowed once.');
    await survivor.until('the first to run', () => survivor.read('ran.txt') === 'two\none\n');
    expect(states()).toEqual(['granted', 'granted']);
  });

  it('a card of an earlier boot never approves a later command', async () => {
    await open();
    const old = await asks(marking('one'));
    const data = dataOf(old, 'Once');
    survivor.says('/stop');
    await survivor.hears(/^Stopped\. Not run\./);
    await survivor.kill();
    await survivor.boot();
    const later = await asks(marking('two'));
    expect(await answerTo(anna().pressesData(old, data))).not.toBe('Allowed once.');
    // The old card's nonce with the later request's id, and the later data under the old card.
    const [id, nonce] = [dataOf(later, 'Once').split(':')[2], data.split(':')[3]];
    const forged = `h1:ap:${id}:${nonce}:o`;
    expect(await answerTo(anna().pressesData(old, forged))).toMatch(/does not fit/);
    expect(await answerTo(anna().pressesData(old, dataOf(later, 'Once')))).toMatch(/does not fit/);
    expect(states()).toEqual(['cancelled', 'pending']);
    expect(survivor.read('ran.txt')).toBe('');
    expect(await answerTo(anna().presses(later, 'Once'))).toBe('Allowed once.');
    await survivor.until('the later one to run', () => survivor.read('ran.txt') === 'two\n');
  });
});

describe('two people at once', () => {
  it('one wins, the other is told who decided, and it runs at most once', async () => {
    await open('approvals:\n  approvers: ["telegram:2"]\n');
    for (const [name, label] of [
      ['one', 'Deny'],
      ['two', 'Once'],
    ] as const) {
      const card = await asks(marking(name), anna());
      const presses = [anna().presses(card, 'Once'), ben().presses(card, label)];
      const [first, second] = await Promise.all(presses.map(answerTo));
      const won = [first, second].filter((text) => text === 'Allowed once.' || text === 'Denied.');
      expect(won).toHaveLength(1);
      const lost = [first, second].find((text) => text !== won[0]);
      const winner = won[0] === first ? 'Anna' : 'Ben';
      expect(lost).toBe(`Already decided by ${winner}: ${won[0] === 'Denied.' ? 'denied' : 'allowed once'}.`);
      await survivor.until('the card to close', () => cards(GROUP).length === 0);
      const ran = () =>
        survivor
          .read('ran.txt')
          .split('\n')
          .filter((line) => line === name).length;
      if (won[0] === 'Allowed once.') await survivor.until(`${name} to run`, () => ran() === 1);
      else expect(ran()).toBe(0);
    }
  });
});

describe('a daemon with every marker in its environment', () => {
  const NAMES = ['CRON_SESSION', 'GATEWAY_SESSION', 'EXEC_ASK', 'INTERACTIVE'];
  const MARKERS = Object.fromEntries(
    NAMES.flatMap((name) => [`HERMOD_${name}`, `HERMES_${name}`]).map((n) => [n, '1']),
  );

  it('asks in its chats all the same, and hands none of them to what tools start', async () => {
    survivor = await Survivor.open();
    survivor.daemon = new DaemonProcess(survivor.home, [], { ...MARKERS, HERMES_YOLO_MODE: '1' });
    await survivor.daemon.ready();
    survivor.says('run env | cut -d= -f1 | sort');
    const answer = await survivor.hears(/It said \d+ lines/);
    const names = answer.text.split('\n').filter((line) => /^HERM/.test(line));
    expect(names).toEqual(['HERMOD_PROC']);
    survivor.says('code console.log(Object.keys(process.env).filter((name) => /^HERM/.test(name)).join())');
    const card = await survivor.until('a card', () => cards(1).at(-1));
    anna().presses(card, 'Once');
    expect((await survivor.hears(/I called execute_code/)).text.split('\n')).toContain('HERMOD_PROC');
    survivor.says('run mkdir -p one && rm -r one');
    await survivor.until('a second card', () => cards(1).some(({ text }) => text.includes('rm -r one')));
    expect(states()).toEqual(['granted', 'pending']);
  });
});
