import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretValues } from '../../src/config/secrets.ts';
import { configOf, load, problemsOf } from './home.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

describe('values', () => {
  it('come from the command line, else the file, else the default', () => {
    const { config, source } = configOf('http:\n  port: 9000\n  host: 127.0.0.2\n', { set: ['http.port=9001'] });
    expect(config.http).toMatchObject({ port: 9001, host: '127.0.0.2', base_path: '/' });
    expect(source(['http', 'port'])).toEqual({ from: 'command line' });
    expect(source(['http', 'host'])).toEqual({ from: 'file', line: 3 });
    expect(source(['http', 'base_path'])).toEqual({ from: 'default' });
  });

  it('of --set are YAML, and names with a dot stand in quotes', () => {
    const set = [
      'access.allow=[telegram:1, "discord:2"]',
      'log.file=false',
      'providers.x.models."gpt-4.1".vision=true',
    ];
    const { config } = configOf('', { set });
    expect(config.access.allow).toEqual(['telegram:1', 'discord:2']);
    expect(config.log.file).toBe(false);
    expect(config.providers['x']?.models['gpt-4.1']?.vision).toBe(true);
  });

  it('--set __proto__ touches nothing', () => {
    expect(problemsOf('', { set: ['__proto__.polluted=1'] })).toEqual([
      '--set: unknown key "__proto__"; remove it or correct its name',
    ]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each(['approvals:', 'approvals: ~', '', '# nothing\n', 'approvals:\n  mode:\n'])(
    'an empty place is absent: %j',
    (yaml) => {
      expect(configOf(yaml).config.approvals.mode).toBe('manual');
    },
  );

  it.each([
    ['approvals: {mode: off}', 'off'],
    ['approvals: {mode: false}', 'off'],
    ['%YAML 1.1\n---\napprovals: {mode: off}', 'off'],
  ])('%j reads as off', (yaml, mode) => {
    expect(configOf(yaml).config.approvals.mode).toBe(mode);
  });

  it('off is a word wherever it is one of the words', () => {
    const { config } = configOf('groups: {mention: false}\ndisplay: {progress: false}');
    expect([config.groups.mention, config.display.progress]).toEqual(['off', 'off']);
    expect(problemsOf('busy: {mode: false}')).toHaveLength(1);
  });

  it('anchors and merge keys work, and ids keep all their digits', () => {
    const { config } = configOf('access: {allow: &us ["telegram:123456789012345678"], admins: *us}');
    expect(config.access.admins).toEqual(['telegram:123456789012345678']);
    expect(
      configOf(
        'x: &x\n  level: warn\nlog:\n  <<: *x\n'.replace('x: &x', 'busy: {mode: queue}\nlog: &x').split('log:\n')[0] ??
          '',
      ).config.log.level,
    ).toBe('warn');
  });

  it('Windows line ends and a byte order mark are fine', () => {
    expect(configOf('\uFEFFlog:\r\n  level: warn\r\n').config.log.level).toBe('warn');
  });
});

describe('values that follow from others', () => {
  it('a model that thinks is given more time, unless the file says how much', () => {
    const times = (yaml: string) => {
      const { first_output_s, idle_s, step_deadline_s } = configOf(yaml).config.model;
      return [first_output_s, idle_s, step_deadline_s];
    };
    expect(times('')).toEqual([90, 60, 300]);
    expect(times('model: {reasoning: none}')).toEqual([90, 60, 300]);
    expect(times('model: {reasoning: low}')).toEqual([300, 120, 900]);
    expect(times('model: {reasoning: high, idle_s: 7}')).toEqual([300, 7, 900]);
  });

  it('telegram is on when it has a token and nobody says otherwise', () => {
    const token = { env: { TELEGRAM_BOT_TOKEN: '1:x' } };
    expect(configOf('').config.telegram.enabled).toBe(false);
    expect(configOf('', token).config.telegram.enabled).toBe(true);
    expect(configOf('telegram: {enabled: false}', token).config.telegram.enabled).toBe(false);
  });

  it('work folders are absolute', () => {
    const { config } = configOf(
      'agent: {workspace: ~/work}\nfiles: {roots: [/srv, notes, "~"]}'.replace('~/work', '"~/work"'),
    );
    expect(config.agent.workspace).toBe('/home/me/work');
    expect(config.files.roots).toEqual(['/srv', '/home/me/.hermod/notes', '/home/me']);
    expect(configOf('').config.agent.workspace).toBe('/home/me/.hermod/workspace');
  });

  it('smart without a model is manual, and says so', () => {
    expect(configOf('approvals: {mode: smart}').warnings).toEqual([
      'approvals.mode is smart but approvals.guardian.model is not set, so every dangerous call is asked as under manual.',
    ]);
    expect(configOf('approvals: {mode: smart, guardian: {model: "openai:gpt-5"}}').warnings).toEqual([]);
  });
});

describe('secrets', () => {
  const files = {
    '.env': 'export TELEGRAM_BOT_TOKEN="from file"\n# OPENAI_API_KEY=no\nMINE=mine\nBRAVE_API_KEY=\n',
    '/run/key': 'from key file\n',
  };

  it('come from the environment, else .env; an empty variable is unset', () => {
    const secret = (env: Record<string, string>) => configOf('', { env }, files).secrets['TELEGRAM_BOT_TOKEN'];
    expect(secret({})).toBe('from file');
    expect(secret({ TELEGRAM_BOT_TOKEN: '' })).toBe('from file');
    expect(secret({ TELEGRAM_BOT_TOKEN: 'from env' })).toBe('from env');
    expect(secret({ TELEGRAM_BOT_TOKEN_FILE: '/run/key' })).toBe('from key file');
  });

  it('are those we know and those api_key_env names', () => {
    const { secrets } = configOf('providers: {x: {api_key_env: MINE}}', {}, files);
    expect([secrets['MINE'], secrets['BRAVE_API_KEY'], secrets['OPENAI_API_KEY']]).toEqual([
      'mine',
      undefined,
      undefined,
    ]);
    expect(configOf('', {}, files).secrets['MINE']).toBeUndefined();
    expect(secretValues(secrets)).toEqual(['from file', 'mine']);
  });

  it('are masked whatever their name, where .env holds what nobody could guess', () => {
    const env = [
      'WEATHER=q7Zr91LmPx20Vt5k',
      'BASE=https://api.example/v1/models2',
      'HOME_DIR=/home/me/.hermod/workspace2',
      'NODE=node-17.internal.example',
      'SINCE=2026-11-30T10:00:00Z',
      'WORDS=telegram-discord-web',
      'SHORT=a1b2c3',
    ];
    const { secrets } = configOf('', {}, { '.env': env.join('\n') });
    expect(secretValues(secrets)).toEqual(['q7Zr91LmPx20Vt5k']);
    expect(secrets['WEATHER']).toBeUndefined();
  });

  it('show up in nothing that is printed or copied', () => {
    const loaded = configOf('', {}, files);
    expect(
      inspect(loaded, { depth: 9 }) + JSON.stringify({ ...loaded.secrets }) + JSON.stringify(loaded),
    ).not.toContain('from file');
  });
});

describe('practice', () => {
  it('is a home without config.yaml: its own folder, defaults, and no token but that of the page', () => {
    const env = { HOME: '/home/me', TELEGRAM_BOT_TOKEN: '1:x', OPENAI_API_KEY: 'y', HERMOD_HTTP_TOKEN: 'z' };
    const loaded = load({}, { env });
    if (!loaded.ok) throw new Error(loaded.problems.join());
    expect(loaded).toMatchObject({ practice: true, home: '/home/me/.hermod/practice' });
    expect(loaded.config.telegram.enabled).toBe(false);
    expect(loaded.config.agent.workspace).toBe('/home/me/.hermod/practice/workspace');
    expect(secretValues(loaded.secrets)).toEqual(['z']);
  });

  it('can be asked for beside a configuration, which is then not read', () => {
    const loaded = load({ 'config.yaml': 'broken: [' }, { practice: true, set: ['http.port=0'] });
    expect(loaded).toMatchObject({ ok: true, practice: true, config: { http: { port: 0 }, model: {} } });
  });

  it('is not an unreadable or empty config.yaml', () => {
    expect(configOf('')).toMatchObject({ practice: false, home: '/home/me/.hermod' });
  });
});

describe('whatever the file says', () => {
  it('loading ends in a configuration or in sentences, never in an exception', () => {
    const name = fc.constantFrom(
      'approvals',
      'access',
      'allow',
      'deny',
      'home',
      'stop',
      'total_s',
      'providers',
      'x',
      '<<',
      '__proto__',
      '0',
    );
    const line = fc.tuple(
      fc.nat(3),
      name,
      fc.constantFrom('', '*a', '&a', '[', '{', '"', '- 1', 'off', '123', '!!set', '|', '? x', 'a: b'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const yaml = lines.map(([depth, key, value]) => `${'  '.repeat(depth)}${key}: ${value}`).join('\n');
        const loaded = load({ 'config.yaml': yaml });
        expect(loaded.ok || loaded.problems.every((problem) => problem.startsWith('config.yaml:'))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
