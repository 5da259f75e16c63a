import { describe, expect, it } from 'vitest';
import { childEnv } from '../../src/context/child-env.ts';

const daemon = {
  PATH: '/bin',
  HOME: '/home/u',
  USER: 'u',
  LOGNAME: 'u',
  SHELL: '/bin/zsh',
  LANG: 'de_DE.UTF-8',
  LC_ALL: 'C',
  TZ: 'UTC',
  TMPDIR: '/tmp',
  HERMOD_CRON_SESSION: '1',
  HERMOD_YOLO_MODE: '1',
  HERMOD_PROC: 'of-a-parent',
  HERMES_INTERACTIVE: '1',
  hermod_secret: 'x',
  OPENAI_API_KEY: 'sk-1',
  TELEGRAM_BOT_TOKEN: 't',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: 'x.so',
  TERM: 'xterm',
  EDITOR: 'vi',
  EMPTY: undefined,
};

describe('childEnv', () => {
  it('is a short list and nothing else', () => {
    expect(childEnv(daemon)).toEqual({
      PATH: '/bin',
      HOME: '/home/u',
      USER: 'u',
      LOGNAME: 'u',
      SHELL: '/bin/zsh',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TMPDIR: '/tmp',
      TERM: 'dumb',
      NO_COLOR: '1',
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      CI: '1',
    });
  });

  it('passes on what the operator names in full, but never a variable of hermod or hermes', () => {
    const env = childEnv(daemon, {
      pass: ['EDITOR', 'EMPTY', 'NOT_SET', 'HERMOD_CRON_SESSION', 'HERMES_INTERACTIVE', 'HERMOD_PROC'],
    });
    expect(env).toMatchObject({ EDITOR: 'vi' });
    expect(Object.keys(env).filter((name) => /^(HERMOD|HERMES|EMPTY|NOT_SET)/.test(name))).toEqual([]);
  });

  it('carries the tag of its tree', () => {
    expect(childEnv(daemon, { tag: 'abc' })['HERMOD_PROC']).toBe('abc');
  });

  it('changes nothing in what it was given', () => {
    expect(Object.isFrozen(Object.freeze({ ...daemon })) && childEnv(Object.freeze({ ...daemon }))).toBeTruthy();
  });
});
