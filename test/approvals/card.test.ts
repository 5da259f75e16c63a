import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { type CardRow, type CardView, card, closedCard } from '../../src/approvals/card.ts';
import { createRedactor } from '../../src/approvals/redact.ts';
import type { ApprovalId, BootId, CallId, JobId, RunId, SessionId, TurnId } from '../../src/contract/ids.ts';
import type { Finding } from '../../src/contract/tool.ts';
import type { ApprovalDetails } from '../../src/store/approvals.ts';
import { chatAddress, person } from '../fakes/runs.ts';

const ID = 'abcdefghijklmnopqrstuvwxyz' as ApprovalId;
const NONCE = 'q2w3e4';
const details: ApprovalDetails = {
  ...{ advised: false, people: 1, requesterOnly: false, votes: [], copies: 1, grants: [], bar: null, timedMinutes: 60 },
};
const finding = (text: string, part: string, more: Partial<Finding> = {}): Finding => {
  const at = text.indexOf(part);
  const why = 'deletes a directory tree';
  return {
    rule: 'fs.delete',
    grade: 'dangerous',
    span: [at, at + part.length],
    why,
    personOnly: false,
    smart: true,
    ...more,
  };
};
const row = (command: string, more: Partial<CardRow> = {}): CardRow => ({
  ...{ id: ID, code: 'k7f2', kind: 'call', run: 'r' as RunId, rootRun: 'r' as RunId, runKind: 'chat', depth: 0 },
  ...{ turn: 't' as TurnId, call: 'c' as CallId, session: 's' as SessionId, address: chatAddress('c1'), direct: true },
  ...{ requester: person('ann', 'Ann'), guard: 'shell', tool: 'shell', command, input: null, cwd: '/home/user/proj' },
  ...{
    backend: 'local',
    digest: 'd',
    scriptHash: null,
    findings: [finding(command, command)],
    choices: ['once', 'deny'],
  },
  ...{ details, boot: 'b' as BootId, createdAt: 0, expiresAt: Date.parse('2026-11-30T14:32:00Z') },
  ...more,
});
const view = (limits: Partial<CardView['limits']> = {}): CardView => ({
  limits: { maxText: 4096, buttons: true, forms: false, ...limits },
  secrets: createRedactor().spans,
  time: (at) => new Date(at).toISOString().slice(11, 16),
  folder: (path) => path.replace('/home/user', '~'),
});
const text = (made: CardRow, limits?: Partial<CardView['limits']>) => card(made, NONCE, view(limits)).message.text;
const labels = (made: CardRow, limits?: Partial<CardView['limits']>) =>
  card(made, NONCE, view(limits)).message.buttons?.map((line) => line.map(({ label }) => label));

describe('what a card says', () => {
  it('the command, what was flagged, where, who asked, until when, and its code', () => {
    const made = row('rm -rf build', { details: { ...details, effect: '214 files, 48.2 MB, 3 folders in build/' } });
    expect(text(made)).toBe(
      [
        '**Run this command?**',
        '```sh',
        'rm -rf build',
        '```',
        'Flagged: `rm -rf build`: deletes a directory tree (fs.delete)',
        'Effect: 214 files, 48.2 MB, 3 folders in build/',
        'Where: host, \\~/proj. Asked by Ann. Expires 14:32. Code k7f2',
      ].join('\n'),
    );
  });

  const titles: readonly [string, Partial<CardRow>, string][] = [
    ['a script', { guard: 'code' }, '**Run this script?**'],
    ['a tool', { guard: 'tool', tool: 'send_file' }, '**Run this call of send\\_file?**'],
    [
      'a job',
      { runKind: 'cron', details: { ...details, job: { id: 'j' as JobId, name: 'back*up' } } },
      '**Job "back\\*up" asks: run this?**',
    ],
    ['a worker', { depth: 1, details: { ...details, worker: 'clean up' } }, '**For a worker (clean up): run this?**'],
    ['two alike', { details: { ...details, copies: 2 } }, '**Run this command?** (x2)'],
    [
      'words of its own',
      { details: { ...details, title: 'This turn read text from x.org. Save this note?' } },
      '**This turn read text from x.org. Save this note?**',
    ],
    [
      'an offer',
      { kind: 'offer', details: { ...details, job: { id: 'j' as JobId, name: 'backup' } } },
      '**Job "backup" was refused this. Allow it from now on?**',
    ],
  ];
  it.each(titles)('begins for %s with its own line', (_, more, line) => {
    expect(text(row('rm -rf build', more)).split('\n')[0]).toBe(line);
  });

  it('tells the first three findings and how many more there are', () => {
    const command = 'a && b && c && d && e';
    const findings = ['a', 'b', 'c', 'd', 'e'].map((part) => finding(command, part, { why: `does ${part}` }));
    const lines = text(row(command, { findings })).split('\n');
    expect(lines.filter((line) => line.startsWith('Flagged:'))).toHaveLength(3);
    expect(lines).toContain('and 2 more');
  });

  it('adds what the guardian thinks, who else must agree, and as whom it runs', () => {
    const vote = { actor: person('bob', 'B*b'), at: 1 };
    const more = { ...details, advised: true, people: 2, user: 'root', votes: [vote] } as const;
    const said = text(row('rm -rf build', { details: more }));
    expect(said).toContain('The guardian advises against it.');
    expect(said).toContain('Needs two people; B\\*b said yes, 1 of 2, waiting for another approver.');
    expect(said).toContain('Where: host, \\~/proj, as root.');
  });

  it('without buttons says how to answer by text', () => {
    expect(text(row('rm -rf build'), { buttons: false })).toContain('Answer `/approve k7f2` or `/deny k7f2 <reason>`');
    expect(text(row('rm -rf build', { choices: ['deny'] }), { buttons: false })).toMatch(
      /Answer `\/deny k7f2 <reason>`$/,
    );
    expect(labels(row('rm -rf build'), { buttons: false })).toBeUndefined();
  });

  it('an offer that cannot be made says why', () => {
    const job = { id: 'j' as JobId, name: 'backup', slot: 'Mon 02:00' };
    const barred = row('a && b', {
      kind: 'offer',
      choices: ['deny'],
      details: { ...details, job, bar: 'it has several commands' },
    });
    expect(text(barred)).toContain('Cannot be allowed in advance: it has several commands.');
    expect(text(barred)).toContain('At Mon 02:00. Code k7f2');
    expect(labels(barred)).toEqual([['Keep refusing']]);
    expect(labels(row('rm x', { kind: 'offer', choices: ['job', 'deny'], details: { ...details, job } }))).toEqual([
      ['Allow for this job'],
      ['Keep refusing'],
    ]);
  });
});

describe('buttons', () => {
  const all = ['once', 'timed', 'session', 'always', 'deny'] as const;

  it('stand in three rows, with the nonce of this card in 41 bytes', () => {
    const { message } = card(row('rm -rf build', { choices: all }), NONCE, view());
    expect(labels(row('rm -rf build', { choices: all }))).toEqual([['Once', '1 h'], ['Session', 'Always'], ['Deny']]);
    const data = message.buttons?.flat().map((one) => one.data);
    expect(data).toEqual(['o', 't', 's', 'a', 'd'].map((letter) => `h1:ap:${ID}:${NONCE}:${letter}`));
    expect(data?.map((one) => Buffer.byteLength(one))).toEqual([41, 41, 41, 41, 41]);
  });

  it('offer a reason only where there are forms', () => {
    expect(labels(row('rm x'), { forms: true })).toEqual([['Once'], ['Deny', 'Deny with reason']]);
  });

  it('name the length of a timed yes', () => {
    const choices = ['once', 'timed', 'deny'] as const;
    expect(labels(row('rm x', { choices, details: { ...details, timedMinutes: 90 } }))?.[0]).toEqual([
      'Once',
      '90 min',
    ]);
    expect(labels(row('rm x', { choices, details: { ...details, timedMinutes: 120 } }))?.[0]).toEqual(['Once', '2 h']);
  });
});

describe('whole or narrowed', () => {
  it.each([4096, 2000, 1500])('is whole up to the last character of %i, and narrowed one later', (maxText) => {
    const around = text(row('', { findings: [] }), { maxText: 100_000 }).length;
    const fill = (length: number) => row(`${'x'.repeat(length)}`, { findings: [] });
    const exact = maxText - around;
    for (const [length, whole] of [
      [exact - 1, true],
      [exact, true],
      [exact + 1, false],
    ] as const) {
      const made = card(fill(length), NONCE, view({ maxText }));
      expect([length, made.whole]).toEqual([length, whole]);
      expect(made.message.text.length).toBeLessThanOrEqual(maxText);
      expect(made.message.files).toEqual(whole ? undefined : [{ name: 'command.txt', text: 'x'.repeat(length) }]);
    }
  });

  it('shows head, every flagged part with what is around it, tail, and counts what it hides', () => {
    const command = `${'a'.repeat(20_000)} rm -rf /data ${'b'.repeat(20_000)} git push --force ${'c'.repeat(20_000)}`;
    const findings = [finding(command, 'rm -rf /data'), finding(command, 'git push --force', { rule: 'git.force' })];
    const { message, whole } = card(row(command, { findings }), NONCE, view({ maxText: 2000 }));
    expect(whole).toBe(false);
    expect(message.text.length).toBeLessThanOrEqual(2000);
    expect(message.text).toContain(`${'a'.repeat(79)} rm -rf /data ${'b'.repeat(79)}`);
    expect(message.text).toContain(`${'b'.repeat(79)} git push --force ${'c'.repeat(79)}`);
    const hidden = [...message.text.matchAll(/\[([\d,]+) characters hidden\]/g)].map(([, count]) =>
      Number(count?.replace(',', '')),
    );
    expect(hidden).toHaveLength(3);
    const block = message.text.slice(message.text.indexOf('```sh\n') + 6, message.text.indexOf('\n```\n'));
    const shown = block.replace(/\n?\[[\d,]+ characters hidden\]\n?/g, '').length;
    expect(shown + hidden.reduce((a, b) => a + b, 0)).toBe(command.length);
  });

  it('still fits with hundreds of flagged parts, and with one that is everything', () => {
    const many = Array.from({ length: 300 }, (_, i) => `rm -rf d${i}`)
      .join(' && ')
      .padEnd(60_000, ' #');
    const findings = Array.from({ length: 300 }, (_, i) => finding(many, `rm -rf d${i} `));
    for (const made of [row(many, { findings }), row('y'.repeat(60_000))]) {
      const { message } = card(made, NONCE, view({ maxText: 2000 }));
      expect(message.text.length).toBeLessThanOrEqual(2000);
      expect(message.text).toMatch(/characters hidden/);
    }
  });
});

describe('what a card never lets through', () => {
  it('backticks cannot close the block, and mentions stay inside code', () => {
    const command = 'echo "```\n@everyone <b> [x](y)\n```"';
    const nodes: { type: string; value?: string }[] = [];
    const walk = (node: Nodes) => {
      nodes.push(node as (typeof nodes)[number]);
      for (const child of 'children' in node ? node.children : []) walk(child);
    };
    walk(fromMarkdown(text(row(command))));
    expect(nodes.filter(({ type }) => type === 'code').map(({ value }) => value)).toEqual([command]);
    const prose = nodes.filter(({ type }) => type === 'text' || type === 'html' || type === 'link');
    expect(prose.map(({ value }) => value).join(' ')).not.toMatch(/everyone|<b>/);
  });

  it('hidden characters are written out, secrets are masked, in the block and in what was flagged', () => {
    const command = 'rm \u202ebuild --token=hunter2hunter2';
    const said = text(row(command));
    expect(said).not.toMatch(/[\u202e]|hunter2/);
    expect(said.match(/rm \\u\{202e\}build --token=\[secret\]/g)).toHaveLength(2);
    const long = card(row(`${command}${'x'.repeat(9000)} ${command}`), NONCE, view());
    expect(JSON.stringify(long.message)).not.toMatch(/hunter2|\u202e/);
  });

  it('names of people and folders are no markup', () => {
    const made = row('rm x', { requester: person('x', '**[evil](http://x)**'), cwd: '/tmp/`a`' });
    expect(text(made)).toContain('Asked by \\*\\*\\[evil\\](http\\://x)\\*\\*.');
    expect(text(made)).toContain('host, /tmp/\\`a\\`.');
  });
});

describe('a closed card', () => {
  it('says first how it ended, keeps the command, and has no buttons', () => {
    const message = closedCard(row('rm -rf build'), 'Denied by Ann, 14:03: no', view());
    expect(message).toEqual({ text: 'Denied by Ann, 14:03: no\n```sh\nrm -rf build\n```' });
    expect(closedCard(row('x'.repeat(9000)), 'Expired 14:32. Not run.', view()).text.length).toBeLessThanOrEqual(4096);
    expect(closedCard(row('x', { command: null }), 'Stopped. Not run.', view())).toEqual({ text: 'Stopped. Not run.' });
  });
});
