import { describe, expect, it } from 'vitest';
import { findings, type HomeFacts } from '../../src/cli/findings.ts';
import type { Status } from '../../src/gateway/status.ts';

const STATUS: Status = {
  version: '9.9',
  boot: 'b',
  startedAt: 0,
  ready: true,
  reasons: [],
  platforms: [{ name: 'telegram', state: 'connected', reason: '', proofAt: null }],
  turns: { running: 0, unfinished: 0 },
  inboxOpen: 0,
  outbox: {},
  life: { streak: 0, limit: 5, settled: true, ends: [], held: [], resuming: 0, lagMs: 0, watched: true },
};

const WELL: HomeFacts = {
  home: '/srv/hermod',
  mode: 0o700,
  freeBytes: 5_000 * 1024 * 1024,
  problems: [],
  warnings: [],
  file: { kind: 'whole', schema: 12, bytes: 3_000_000, walBytes: 0 },
  daemon: STATUS,
};

const bad = (facts: Partial<HomeFacts>) => findings({ ...WELL, ...facts }).filter(({ level }) => level !== 'ok');

describe('findings', () => {
  it('of a home where all is well are all well', () => {
    expect(findings(WELL).map(({ level, text }) => `${level} ${text}`)).toEqual([
      'ok /srv/hermod is yours alone.',
      'ok 5,000 MB are free where /srv/hermod lies.',
      'ok The configuration can be used.',
      'ok hermod.db is whole: schema 12, 3 MB.',
      'ok hermod 9.9 runs and is ready.',
    ]);
  });

  it.each<[string, Partial<HomeFacts>, string, RegExp]>([
    ['no home', { mode: undefined }, 'bad home', /^There is no home at \/srv\/hermod\.$/],
    ['a home others can read', { mode: 0o755 }, 'bad home', /look into/],
    ['a full disk', { freeBytes: 1024 * 1024 }, 'bad space', /^1 MB are free/],
    ['a disk nobody can ask', { freeBytes: undefined }, 'note space', /could not be read/],
    ['a wrong key', { problems: ['config.yaml:1 unknown key "x"'] }, 'bad config', /unknown key "x"/],
    ['a warning', { warnings: ['smart is manual'] }, 'note config', /smart/],
    ['no database yet', { file: { kind: 'missing' } }, 'note database', /first start makes it/],
    ['a newer database', { file: { kind: 'newer', schema: 14, known: 12 } }, 'bad database', /schema 14.*knows 12/],
    ['a damaged one', { file: { kind: 'damaged', detail: 'not a database' } }, 'bad database', /not a database/],
    ['no daemon', { daemon: 'down' }, 'note daemon', /not running/],
    ['a silent one', { daemon: 'silent' }, 'bad daemon', /does not answer/],
    ['one that is not ready', { daemon: { ...STATUS, ready: false, reasons: ['store'] } }, 'bad daemon', /: store\.$/],
    [
      'a platform without its token',
      {
        daemon: { ...STATUS, platforms: [{ name: 'discord', state: 'fatal', reason: 'token refused', proofAt: null }] },
      },
      'bad discord',
      /^discord is fatal: token refused\.$/,
    ],
    ['what could not be delivered', { daemon: { ...STATUS, outbox: { dead: 2 } } }, 'note outbox', /^2 messages/],
  ])('%s', (_, facts, what, text) => {
    const found = bad(facts);
    expect(found.map(({ level, id }) => `${level} ${id}`)).toEqual([what]);
    expect(found[0]?.text).toMatch(text);
    if (found[0]?.level === 'bad') expect(found[0].fix).toMatch(/\w.*/);
  });
});
