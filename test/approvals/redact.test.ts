import { describe, expect, it } from 'vitest';
import { createRedactor, MASK, masked } from '../../src/approvals/redact.ts';

const { text: redact, spans } = createRedactor(['acme-*-end', 'internal.example*'], ['the-daemons-own-token']);

// Made up, and put together here so that no scanner of repositories takes them for real ones.
const body = (length: number) => 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3'.repeat(3).slice(0, length);
const telegram = `123456789:${body(35)}`;
const discord = `M${body(24)}.${body(6)}.${body(30)}`;
const jwt = `eyJ${body(20)}.eyJ${body(30)}.${body(20)}`;
const pem = `-----BEGIN ${'OPENSSH PRIVATE'} KEY-----\n${body(64)}\n${body(20)}\n-----END OPENSSH PRIVATE KEY-----`;

/** Text and every secret in it. */
const FIXTURE: readonly (readonly [text: string, ...secrets: string[]])[] = [
  [`export OPENAI_API_KEY=sk-${body(48)}`, body(48)],
  [`curl -H "Authorization: Bearer ${body(30)}" https://x.example`, body(30)],
  [`curl -H 'Authorization: Basic dXNlcjpwYXNz' https://x.example`, 'dXNlcjpwYXNz'],
  [`curl -H "X-Api-Key: ${body(20)}" x`, body(20)],
  [`curl -H 'Cookie: a=b; session=${body(12)}' x`, body(12), 'a=b'],
  ['curl -u ann:hunter2hunter2 https://x.example', 'hunter2hunter2'],
  ['curl --user=ann:hunter2hunter2 https://x.example', 'hunter2hunter2'],
  ['git clone https://ann:hunter2@git.example/x.git', 'hunter2'],
  [`git clone https://${body(20)}@git.example/x.git`, body(20)],
  ['psql postgres://app:s3cret@db.internal:5432/app', 's3cret'],
  ['curl "https://x.example/a?token=abc123&page=2"', 'abc123'],
  ['curl "https://x.example/a?page=2&key=abc123"', 'abc123'],
  ['curl "https://x.example/a?X-Amz-Signature=deadbeef&x=1"', 'deadbeef'],
  ['mysql --password=letmein app', 'letmein'],
  ['tool --token letmein --verbose', 'letmein'],
  ["tool --api-key 'let me in'", 'let me in'],
  ['DB_PASSWORD="open sesame" ./run', 'open sesame'],
  ["PGPASSWORD='open sesame' psql", 'open sesame'],
  ['AWS_SECRET_ACCESS_KEY=abcd/efgh+ijkl aws s3 ls', 'abcd/efgh+ijkl'],
  [`aws configure set aws_access_key_id AKIA${'ABCDEFGHIJ234567'}`, 'ABCDEFGHIJ234567'],
  ['{"password": "swordfish", "user": "ann"}', 'swordfish'],
  ['{"apiKey":"swordfish"}', 'swordfish'],
  ['{\\"client_secret\\":\\"swordfish\\"}', 'swordfish'],
  ['clientSecret: swordfish', 'swordfish'],
  [`gh auth login --with-token ghp_${body(36)}`, body(36)],
  [`github_pat_${body(40)}`, body(40)],
  [`glpat-${body(20)}`, body(20)],
  [`xoxb-1234567890-${body(24)}`, body(24)],
  [`AIza${body(35)}`, body(35)],
  [`hf_${body(34)}`, body(34)],
  [`npm_${body(36)}`, body(36)],
  [`sk_live_${body(24)}`, body(24)],
  [`curl https://api.telegram.org/bot${telegram}/getMe`, body(35)],
  [`DISCORD=${discord}`, discord],
  [`echo ${jwt}`, jwt],
  [`cat <<X\n${pem}\nX`, body(64)],
  [`-----BEGIN RSA PRIVATE KEY-----\n${body(64)}`, body(64)],
  ['passphrase=correct,horse', 'correct'],
  ['deploy acme-77-zebra-end now', 'acme-77-zebra-end'],
  ['ping internal.example.corp', 'internal.example.corp'],
  ['echo the-daemons-own-token', 'the-daemons-own-token'],
  ['DB_PWD=letmein', 'letmein'],
  ['pwd: letmein', 'letmein'],
  ['pass: letmein9', 'letmein9'],
  ['openssl enc -pass pass:letmein', 'letmein'],
  [`Bearer ${body(12)}`, body(12)],
];

describe('redactor', () => {
  it.each(FIXTURE)('%s', (text, ...secrets) => {
    const shown = redact(text);
    expect(shown).toContain(MASK);
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  it('has at least the forty rows the audit promises', () => {
    expect(FIXTURE.length).toBeGreaterThanOrEqual(40);
  });

  it.each([
    'rm -rf build',
    'git push --force origin main',
    'read -s password',
    'echo max_tokens=4096',
    'curl https://x.example/a?page=2#top',
    'ssh ann@host.example uptime',
    'psql "$DATABASE_URL"',
    'curl -H "Authorization: $TOKEN" x',
    `PASSWORD=$\{PASSWORD} ./run`,
    'kubectl get secret',
    'cat ~/.ssh/id_ed25519.pub',
    '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
    'npm install compass',
    'x = monkey',
    'PWD=/tmp make',
    'echo OLDPWD=~/src',
    'api_key_env: OPENROUTER_API_KEY',
    'password_file: /run/x',
    'token_url: https://x.example/t',
    '--token-file creds.json',
    'pass:',
    'pass: ',
    'pass: 12, fail: 3',
    'token: null',
    'auth: true',
    'secrets: inherit',
    "fetch(u, { credentials: 'include' })",
    'docker login -u ann --password-stdin registry.example',
    'curl --cookie-jar jar.txt x',
    'uses Basic authentication here',
    'password: <your password>',
  ])('leaves %s alone', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('keeps what is around a secret', () => {
    expect(redact('mysql --password=letmein app')).toBe('mysql --password=[secret] app');
    expect(redact('git clone https://ann:hunter2@git.example/x.git')).toBe(
      'git clone https://ann:[secret]@git.example/x.git',
    );
    expect(redact('{"password": "swordfish", "user": "ann"}')).toBe('{"password": "[secret]", "user": "ann"}');
  });

  it('masks a piece whose cut runs through a secret', () => {
    const text = 'a --password=letmein b';
    const found = spans(text);
    expect(masked(text, found, 0, 16)).toBe('a --password=[secret]');
    expect(masked(text, found, 15, 18)).toBe('[secret]');
    expect(masked(text, found, 18, text.length)).toBe('[secret] b');
    expect(masked(text, found, 20, text.length)).toBe(' b');
  });

  // A scan that goes back over what it has seen would not finish these before the test's time is up.
  const hostile = [
    'token=',
    '://',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY',
    'eyJ',
    'eyJaaaaaa.',
    'sk-',
    'password ',
    'a@',
    'x:a@',
    'bearer ',
    '-u a',
    'acme-',
    '9',
  ];
  it.each(hostile)('reads a million characters of %j', (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(redact(text).length).toBeGreaterThan(0);
  });
});
