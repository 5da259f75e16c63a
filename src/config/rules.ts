import { isIPv4 } from 'node:net';
import type { Finding } from './explain.ts';
import { formatPath, type Path } from './path.ts';
import type { WrittenConfig } from './schema.ts';
import type { Secrets } from './secrets.ts';

/** A rule over several keys. `reads` are the keys it depends on; it is silent while one of them is wrong by itself. */
interface Rule {
  readonly reads: readonly string[];
  check(config: WrittenConfig, secrets: Secrets): readonly Finding[];
}

/** What no single value shows: keys that contradict each other or ask for a secret that is not there. Pure. */
export function checkRules(config: WrittenConfig, secrets: Secrets, wrong: readonly Path[]): readonly Finding[] {
  const broken = new Set(wrong.flatMap((path) => path.map((_, i) => formatPath(path.slice(0, i + 1)))));
  return RULES.filter((rule) => !rule.reads.some((key) => broken.has(key))).flatMap((rule) =>
    rule.check(config, secrets),
  );
}

const TOKEN_LENGTH = 32;

const RULES: readonly Rule[] = [
  {
    reads: ['stop', 'cron.drain_s'],
    check: ({ stop, cron }) => {
      const [name, drain] =
        stop.turns_s > cron.drain_s ? ['stop.turns_s', stop.turns_s] : ['cron.drain_s', cron.drain_s];
      const least = drain + stop.flush_s + stop.adapters_s + 4;
      return found(
        stop.total_s < least,
        'stop.total_s',
        `is ${stop.total_s}; ${name} ${drain} needs at least ${least}`,
      );
    },
  },
  {
    reads: ['breaker.session_limit', 'breaker.global_limit'],
    check: ({ breaker }) => {
      const { session_limit, global_limit } = breaker;
      const wrong = session_limit > 0 && global_limit > 0 && session_limit >= global_limit;
      const text = `is ${session_limit}; it must be below breaker.global_limit, which is ${global_limit}`;
      return found(wrong, 'breaker.session_limit', text);
    },
  },
  {
    reads: ['approvals.who', 'approvals.approvers'],
    check: ({ approvals }) =>
      found(
        approvals.who === 'approvers' && approvals.approvers.length === 0,
        'approvals.who',
        'is "approvers" but approvers is empty: nobody could ever say yes',
      ),
  },
  {
    reads: ['approvals.redact_patterns'],
    check: ({ approvals }) =>
      approvals.redact_patterns.flatMap((pattern, i) => {
        const why = brokenPattern(pattern);
        const path = ['approvals', 'redact_patterns', i];
        return why ? [{ path, text: `${formatPath(path)} is not a regular expression: ${why}` }] : [];
      }),
  },
  {
    reads: ['access.open', 'access.open_confirmed'],
    check: ({ access }) =>
      found(
        access.open.length > 0 && !access.open_confirmed,
        'access.open',
        `lets everybody on ${access.open.join(', ')} give hermod orders; set access.open_confirmed: true if you mean it`,
      ),
  },
  {
    reads: ['home'],
    check: ({ home }) =>
      Object.entries(home).flatMap(([platform, address]) => {
        const path = ['home', platform];
        const other = !address.startsWith(`${platform}:`);
        return other
          ? [{ path, text: `${formatPath(path)} is "${address}"; use an id such as "${platform}:123"` }]
          : [];
      }),
  },
  {
    reads: ['telegram.enabled'],
    check: ({ telegram }, secrets) =>
      found(
        telegram.enabled === true && !secrets['TELEGRAM_BOT_TOKEN'],
        'telegram.enabled',
        'is true but TELEGRAM_BOT_TOKEN is not set; put it in .env',
      ),
  },
  {
    reads: ['discord.enabled'],
    check: ({ discord }, secrets) =>
      found(
        discord.enabled === true && !secrets['DISCORD_BOT_TOKEN'],
        'discord.enabled',
        'is true but DISCORD_BOT_TOKEN is not set; put it in .env',
      ),
  },
  {
    reads: ['telegram.mode', 'telegram.webhook.url'],
    check: ({ telegram }, secrets) => {
      const needed = telegram.mode === 'webhook';
      const secret = secrets['TELEGRAM_WEBHOOK_SECRET'] ?? '';
      return [
        ...found(
          needed && telegram.webhook.url === undefined,
          'telegram.mode',
          'is "webhook" but telegram.webhook.url is not set; write the public address there',
        ),
        ...found(
          needed && !/^[\w-]{1,256}$/.test(secret),
          'telegram.mode',
          'is "webhook" but TELEGRAM_WEBHOOK_SECRET is not 1 to 256 letters, digits, _ or -; put one in .env',
        ),
      ];
    },
  },
  {
    reads: ['http.host'],
    check: ({ http }, secrets) => {
      const token = secrets['HERMOD_HTTP_TOKEN'] ?? '';
      const state = token === '' ? 'is not set' : `has only ${token.length} characters of ${TOKEN_LENGTH}`;
      return found(
        !isLoopback(http.host) && token.length < TOKEN_LENGTH,
        'http.host',
        `is ${http.host} but HERMOD_HTTP_TOKEN ${state}: everyone who reaches this port could run commands. ` +
          `Write HERMOD_HTTP_TOKEN=<${TOKEN_LENGTH} characters or more> into .env, or set http.host to 127.0.0.1.`,
      );
    },
  },
];

function found(wrong: boolean, key: string, text: string): readonly Finding[] {
  return wrong ? [{ path: key.split('.'), text: `${key} ${text}` }] : [];
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function brokenPattern(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: /, '');
  }
}
