import { actorKey } from '../../approvals/actor-key.ts';
import { code } from '../../approvals/markdown.ts';
import type { UsageSum } from '../../store/usage.ts';
import type { Command, CommandContext } from './command.ts';

export const model: Command = {
  name: 'model',
  args: '[name | default]',
  about: 'The model of this conversation, from the next turn on',
  run(context) {
    const { store, models, key, from, clock, args } = context;
    const wanted = args.trim();
    if (wanted === '') return { text: shown(context) };
    if (wanted.startsWith('--global'))
      return { text: 'For everybody it is set in config.yaml: model.primary. Then restart hermod.' };
    const name = wanted === 'default' ? null : fullName(wanted, models.known);
    const problem = name === null ? undefined : models.problem(name);
    if (problem !== undefined) return { text: problem };
    const session = context.session ?? store.sessions.open(key, from.by, from.address, from.direct, clock.now());
    store.sessions.setModel(session.id, name);
    return { text: `This conversation asks ${code(name ?? models.primary)} from its next turn on.` };
  },
};

function shown({ models, session }: CommandContext): string {
  const own = session?.model ?? null;
  const now =
    own === null ? `${code(models.primary)}, the default` : `${code(own)}; the default is ${code(models.primary)}`;
  const others = models.known.map((name) => code(name)).join(', ');
  return `This conversation asks ${now}.${others === '' ? '' : ` Configured: ${others}.`}`;
}

/** The part behind the provider is enough where only one is called so. */
function fullName(wanted: string, known: readonly string[]): string {
  const same = known.filter((name) => name === wanted || name.slice(name.indexOf(':') + 1) === wanted);
  return same.length === 1 ? (same[0] as string) : wanted;
}

export const usage: Command = {
  name: 'usage',
  args: '[day | session]',
  about: 'Tokens and cost of today and of this conversation',
  run({ store, session, from, admin, args, clock, dayStart }) {
    const which = args.trim().toLowerCase();
    if (!['', 'day', 'session'].includes(which)) return { text: 'Write /usage, /usage day or /usage session.' };
    const today = dayStart(clock.now());
    const lines = [
      which === 'day' ? '' : `This conversation: ${sum(session ? store.usage.ofSession(session.id) : undefined)}`,
      which === 'session' ? '' : `You today: ${sum(store.usage.since(today, actorKey(from.by)))}`,
      which === 'session' || !admin ? '' : `Everybody today: ${sum(store.usage.since(today))}`,
    ];
    return { text: lines.filter((line) => line !== '').join('\n') };
  },
};

/** `12 requests, 34,000 tokens read (12,000 of them cached), 5,000 written, 0.12 USD`. */
function sum(used: UsageSum | undefined): string {
  if (!used || used.requests === 0) return 'nothing yet.';
  const { requests, input, cached, output, cost, unpriced, estimated } = used;
  const n = (count: number) => count.toLocaleString('en-US');
  const read = `${n(input)} tokens read${cached > 0 ? ` (${n(cached)} of them cached)` : ''}`;
  const money = cost === null ? 'cost unknown' : `${cost.toFixed(cost < 1 ? 4 : 2)} USD`;
  const partly = cost !== null && unpriced > 0 ? `, the cost of ${n(unpriced)} unknown` : '';
  const guessed = estimated > 0 ? `, ${n(estimated)} estimated` : '';
  return `${n(requests)} ${requests === 1 ? 'request' : 'requests'}, ${read}, ${n(output)} written, ${money}${partly}${guessed}.`;
}
