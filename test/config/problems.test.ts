import { describe, expect, it } from 'vitest';
import { problemsOf } from './home.ts';

describe('five problems in one file', () => {
  it('give five sentences at once, each with its line, and no stack (gateway 36)', () => {
    const problems = problemsOf(`aproval:
  mode: manual
approvals:
  cron_mode: alow
telegram:
  enabled: true
access:
  allow: [123456789012345678]
approvals:
  timeout_s: 60
`);
    expect(problems).toEqual([
      'config.yaml:1 unknown key "aproval"; did you mean "approvals"?',
      'config.yaml:4 approvals.cron_mode is "alow"; use deny, allowlist, ask or approve',
      'config.yaml:6 telegram.enabled is true but TELEGRAM_BOT_TOKEN is not set; put it in .env',
      'config.yaml:8 access.allow[0] is a number; write "telegram:123456789012345678"',
      'config.yaml:9 approvals is written twice (first in line 3); keep one of them',
    ]);
  });
});

describe('one wrong value, one sentence', () => {
  it.each([
    // Words and numbers.
    [
      'approvals:\n  cron_mode: alow',
      'config.yaml:2 approvals.cron_mode is "alow"; use deny, allowlist, ask or approve',
    ],
    ['approvals:\n  timeout_s: 29', 'config.yaml:2 approvals.timeout_s is 29; use a whole number from 30 to 86400'],
    [
      'approvals:\n  timeout_s: 1.5h',
      'config.yaml:2 approvals.timeout_s is "1.5h"; use a whole number from 30 to 86400',
    ],
    ['agent:\n  compact_at: 2', 'config.yaml:2 agent.compact_at is 2; use a number from 0.2 to 0.95'],
    ['process:\n  memory_soft_mb: 1', 'config.yaml:2 process.memory_soft_mb is 1; use a whole number, 64 or more'],
    ['telegram:\n  drafts: off', 'config.yaml:2 telegram.drafts is "off"; use true or false'],
    ['http:\n  host: 127', 'config.yaml:2 http.host is 127, which is not text; put it in quotes'],
    ['http:\n  hosts: example.org', 'config.yaml:2 http.hosts is "example.org"; use a list, such as [first, second]'],
    ['approvals: manual', 'config.yaml:1 approvals is "manual"; use a section with keys below it'],
    ['approvals:\n  deny: [~]', 'config.yaml:2 approvals.deny[0] is empty; use some text'],
    ['model:\n  primary: gpt-5', 'config.yaml:2 model.primary is "gpt-5"; use provider:model, such as openai:gpt-5'],
    [
      'http:\n  base_path: bot',
      'config.yaml:2 http.base_path is "bot"; use a path such as / or /hermod, without a slash at its end',
    ],
    // Edit intervals the platform would punish.
    [
      'telegram:\n  edit_interval_private_ms: 999',
      'config.yaml:2 telegram.edit_interval_private_ms is 999; use a whole number from 1000 to 600000',
    ],
    [
      'telegram:\n  edit_interval_group_ms: 1200',
      'config.yaml:2 telegram.edit_interval_group_ms is 1200; use a whole number from 3000 to 600000',
    ],
    // Ids.
    ['access:\n  allow:\n    - 123', 'config.yaml:3 access.allow[0] is a number; write "telegram:123"'],
    [
      'access:\n  groups: [-1001234567890123456]',
      'config.yaml:2 access.groups[0] is a number; write "telegram:-1001234567890123456"',
    ],
    [
      'home:\n  discord: 123456789012345678',
      'config.yaml:2 home.discord is a number; write "discord:123456789012345678"',
    ],
    ['access:\n  allow: ["123"]', 'config.yaml:2 access.allow[0] is "123"; use an id such as "telegram:123"'],
    [
      'access:\n  roles: ["discord:1"]',
      'config.yaml:2 access.roles[0] is "discord:1"; use a role such as "discord:<guild>/<role>"',
    ],
    ['home:\n  telegram: "discord:1"', 'config.yaml:2 home.telegram is "discord:1"; use an id such as "telegram:123"'],
    [
      'home:\n  Telegram: "telegram:1"',
      'config.yaml:2 unknown key "home.Telegram"; use the name of a platform, such as telegram',
    ],
    // Keys.
    ['aproval: {}', 'config.yaml:1 unknown key "aproval"; did you mean "approvals"?'],
    [
      'approvals:\n  corn_mode: ask',
      'config.yaml:2 unknown key "approvals.corn_mode"; did you mean "approvals.cron_mode"?',
    ],
    [
      'approvals:\n  everything: ask',
      'config.yaml:2 unknown key "approvals.everything"; remove it or correct its name',
    ],
    [
      'approvals.mode: off',
      'config.yaml:1 unknown key "approvals.mode"; write mode: in a line of its own below approvals:',
    ],
    ['__proto__:\n  x: 1', 'config.yaml:1 unknown key "__proto__"; remove it or correct its name'],
    [
      'providers:\n  a:\n    models:\n      gpt-4.1: {vison: true}',
      'config.yaml:4 unknown key "providers.a.models."gpt-4.1".vison"; did you mean "providers.a.models."gpt-4.1".vision"?',
    ],
    [
      'approvals:\n  job_allow:\n    - rule: fs.delete\n      argv: [rm, x]',
      'config.yaml:3 approvals.job_allow[0].cwd is missing; use some text',
    ],
    [
      'log:\n  level: info\n  file: true\n  level: debug',
      'config.yaml:4 log.level is written twice (first in line 2); keep one of them',
    ],
    // Keys against each other.
    [
      'breaker:\n  session_limit: 5',
      'config.yaml:2 breaker.session_limit is 5; it must be below breaker.global_limit, which is 5',
    ],
    [
      'approvals:\n  who: approvers',
      'config.yaml:2 approvals.who is "approvers" but approvers is empty: nobody could ever say yes',
    ],
    [
      'approvals:\n  redact_patterns: ["a("]',
      'config.yaml:2 approvals.redact_patterns[0] is not a regular expression: /a(/: Unterminated group',
    ],
    [
      'access:\n  open: [telegram]',
      'config.yaml:2 access.open lets everybody on telegram give hermod orders; set access.open_confirmed: true if you mean it',
    ],
    [
      'telegram:\n  enabled: true',
      'config.yaml:2 telegram.enabled is true but TELEGRAM_BOT_TOKEN is not set; put it in .env',
    ],
    // YAML itself.
    ['approvals:\n  deny:\n    - *.log', 'config.yaml:3 approvals.deny[0]: quote patterns that start with *'],
    ['approvals:\n  deny:\n    - * rm', 'config.yaml:3 approvals.deny[0]: quote patterns that start with *'],
    ['approvals:\n  deny: [ok, *rm]', 'config.yaml:2 approvals.deny[1]: quote patterns that start with *'],
    [
      'approvals: &a\n  guardian: *a',
      'config.yaml:2 approvals.guardian: this alias stands inside what it repeats; write the value out',
    ],
    ['log:\n\tlevel: info', 'config.yaml:2 is not YAML: Tabs are not allowed as indentation; mend this line'],
    ['- log', 'config.yaml:1 the file is a list; use a section with keys below it'],
  ])('%j', (yaml, sentence) => {
    expect(problemsOf(yaml)).toEqual([sentence]);
  });

  it('cuts a long value', () => {
    const [problem] = problemsOf(`busy:\n  mode: ${'x'.repeat(500)}`);
    expect(problem).toMatch(/^config\.yaml:2 busy\.mode is "x{59}\.\.\."; use queue, steer or interrupt$/);
  });
});

describe('a stop that would be cut off before what runs may have ended', () => {
  it.each([
    ['stop:\n  total_s: 30', 'config.yaml:2 stop.total_s is 30; cron.drain_s 30 needs at least 42'],
    ['stop:\n  total_s: 41', 'config.yaml:2 stop.total_s is 41; cron.drain_s 30 needs at least 42'],
    ['stop:\n  turns_s: 60', 'stop.total_s is 45; stop.turns_s 60 needs at least 72'],
    ['cron:\n  drain_s: 40', 'stop.total_s is 45; cron.drain_s 40 needs at least 52'],
    ['stop: {flush_s: 20}', 'stop.total_s is 45; cron.drain_s 30 needs at least 57'],
    ['stop: {adapters_s: 20}', 'stop.total_s is 45; cron.drain_s 30 needs at least 59'],
  ])('%j is refused (h94759) (gateway 14)', (yaml, sentence) => {
    expect(problemsOf(yaml)).toEqual([sentence]);
  });

  it('just long enough is long enough (gateway 14)', () => {
    expect(problemsOf('stop:\n  total_s: 42')).toEqual([]);
  });
});

describe('rules over several keys', () => {
  it.each([
    'breaker: {session_limit: 0, global_limit: 1}',
    'breaker: {session_limit: 9, global_limit: 0}',
    'stop: {turns_s: 31, total_s: 43}',
    'cron: {drain_s: 0}\nstop: {total_s: 22}',
    'access: {open: [telegram], open_confirmed: true}',
    'approvals: {who: approvers, approvers: ["telegram:1"]}',
    'http: {host: "::1"}',
    'http: {host: 127.0.0.2}',
    'http: {host: localhost}',
  ])('%s is fine', (yaml) => {
    expect(problemsOf(yaml)).toEqual([]);
  });

  it('are silent while one of their keys is wrong by itself', () => {
    expect(problemsOf('breaker:\n  session_limit: many\n  global_limit: 1')).toHaveLength(1);
    expect(problemsOf('approvals:\n  who: approvers\n  approvers: [1]')).toHaveLength(1);
  });

  it('are checked beside other problems', () => {
    expect(problemsOf('aproval: 1\nstop:\n  total_s: 1')).toHaveLength(2);
  });

  it('a page that others can reach needs a token of 32 characters', () => {
    const host = 'http:\n  host: 0.0.0.0';
    const rest =
      ': everyone who reaches this port could run commands. Write HERMOD_HTTP_TOKEN=<32 characters or more> into .env, or set http.host to 127.0.0.1.';
    expect(problemsOf(host)).toEqual([`config.yaml:2 http.host is 0.0.0.0 but HERMOD_HTTP_TOKEN is not set${rest}`]);
    expect(problemsOf(host, { env: { HERMOD_HTTP_TOKEN: 'x'.repeat(31) } })).toEqual([
      `config.yaml:2 http.host is 0.0.0.0 but HERMOD_HTTP_TOKEN has only 31 characters of 32${rest}`,
    ]);
    expect(problemsOf(host, { env: { HERMOD_HTTP_TOKEN: 'x'.repeat(32) } })).toEqual([]);
  });

  it('a webhook needs an address and a secret', () => {
    const webhook = 'telegram:\n  mode: webhook';
    expect(problemsOf(webhook)).toEqual([
      'config.yaml:2 telegram.mode is "webhook" but telegram.webhook.url is not set; write the public address there',
      'config.yaml:2 telegram.mode is "webhook" but TELEGRAM_WEBHOOK_SECRET is not 1 to 256 letters, digits, _ or -; put one in .env',
    ]);
    const env = { TELEGRAM_WEBHOOK_SECRET: 'abc-1' };
    expect(problemsOf(`${webhook}\n  webhook: {url: "https://bot.example"}`, { env })).toEqual([]);
  });
});

describe('secrets in the file', () => {
  const telegram = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

  it.each([
    [
      `telegram:\n  token: "${telegram}"`,
      'config.yaml:2 telegram.token holds a secret, which must not stand here; move it to .env as TELEGRAM_BOT_TOKEN=...',
    ],
    [
      `telegram:\n  mode: "${telegram}"`,
      'config.yaml:2 telegram.mode holds a secret, which must not stand here; move it to .env as TELEGRAM_BOT_TOKEN=...',
    ],
    [
      'providers:\n  my-llm:\n    api_key: abc',
      'config.yaml:3 providers.my-llm.api_key holds a secret, which must not stand here; move it to .env as MY_LLM_API_KEY=...',
    ],
    [
      'providers:\n  x:\n    headers:\n      Authorization: Bearer abcdefghij',
      'config.yaml:4 providers.x.headers.Authorization holds a secret, which must not stand here; move it to .env as X_API_KEY=...',
    ],
    [
      'providers:\n  x:\n    api_key_env: sk-ant-api03-abcdefghijkl',
      'config.yaml:3 providers.x.api_key_env holds a secret, which must not stand here; move it to .env as X_API_KEY=...',
    ],
    [
      'providers:\n  x:\n    base_url: http://me:secret@host/v1',
      'config.yaml:3 providers.x.base_url holds a secret, which must not stand here; move it to .env as X_API_KEY=...',
    ],
    [
      'OPENAI_API_KEY: whatever',
      'config.yaml:1 OPENAI_API_KEY holds a secret, which must not stand here; move it to .env as OPENAI_API_KEY=...',
    ],
    [
      'password: 12345',
      'config.yaml:1 password holds a secret, which must not stand here; move it to .env under a name of its own',
    ],
  ])('%j', (yaml, sentence) => {
    expect(problemsOf(yaml)).toEqual([sentence]);
  });

  it('knows its own by value, and shows none of it', () => {
    const problems = problemsOf('log:\n  level: so-very-hidden', { env: { HERMOD_HTTP_TOKEN: 'so-very-hidden' } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).not.toContain('hidden');
  });

  it('leaves names of variables and ordinary values alone', () => {
    expect(
      problemsOf(
        'providers:\n  x: {api_key_env: MY_KEY}\nshell: {env_pass: [GITHUB_TOKEN]}\nagent: {workspace: /srv/token}',
      ),
    ).toEqual([]);
  });
});

describe('the command line', () => {
  it.each([
    ['http.port=x', '--set: http.port is "x"; use a whole number from 0 to 65535'],
    ['log.levl=info', '--set: unknown key "log.levl"; did you mean "log.level"?'],
    [
      'telegram.token=123456:ABC',
      '--set: telegram.token holds a secret, which must not stand here; move it to .env as TELEGRAM_BOT_TOKEN=...',
    ],
    ['stop.total_s=1', '--set: stop.total_s is 1; cron.drain_s 30 needs at least 42'],
    ['log', '--set log is not KEY=VALUE; write --set http.port=9000'],
    ['=1', '--set =... is not KEY=VALUE; write --set http.port=9000'],
    ['log..level=1', '--set log..level=... is not KEY=VALUE; write --set http.port=9000'],
    ['log.level.=1', '--set log.level.=... is not KEY=VALUE; write --set http.port=9000'],
    ['log.level="x', '--set log.level=... has a value that cannot be read; put quotes around it'],
  ])('%s', (option, sentence) => {
    expect(problemsOf('', { set: [option] })).toEqual([sentence]);
  });

  it('comes after the file, whose lines are in order', () => {
    const problems = problemsOf('log:\n  level: x\nbusy:\n  mode: y\nhttp:\n  port: z', { set: ['log.file=1'] });
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'config.yaml:2',
      'config.yaml:4',
      'config.yaml:6',
      '--set:',
    ]);
  });
});

describe('.env', () => {
  it.each([
    ['TELEGRAM_BOT_TOKEN: 123:abc', ['.env:1 sets nothing; write NAME=value']],
    [
      'A=1\n\n# note\nhalf\nB=2\nexport C',
      ['.env:4 sets nothing; write NAME=value', '.env:6 sets nothing; write NAME=value'],
    ],
    ['A="two\nlines"\nexport B=1\n  C = "x" # note\nD=\nlost', ['.env:6 sets nothing; write NAME=value']],
    ['A=\'it is "so"\'\nB="\n"', []],
  ])('%j', (text, sentences) => {
    expect(problemsOf('', {}, { '.env': text })).toEqual(sentences);
  });
});

describe('files that cannot be read', () => {
  it('are named with what to do', () => {
    const readFile = (path: string): string => {
      throw Object.assign(new Error('no'), { code: path.endsWith('.env') ? 'EISDIR' : 'EACCES' });
    };
    expect(problemsOf('', { readFile, env: { OPENAI_API_KEY_FILE: '/run/key' } })).toEqual([
      '/home/me/.hermod/config.yaml cannot be read (EACCES); correct its owner or mode',
      '/home/me/.hermod/.env cannot be read (EISDIR); correct its owner or mode',
      'OPENAI_API_KEY_FILE names a file that cannot be read (EACCES); correct the path or its mode',
    ]);
  });
});
