import { varyingLine } from './prompt.ts';
import { StoreWorld } from './store-world.ts';
import { Turn } from './turn.ts';
import type { TurnRunner, TurnRunnerDeps } from './turn-port.ts';
import { turnResult } from './turn-result.ts';

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  return {
    async run({ turn, run, input }, sink) {
      const { maxSteps: chatSteps, cronMaxSteps, resultBytes } = deps.limits();
      const { id, session, direct, address } = turn;
      const stable = deps.prompt.stable(session, { platform: address.platform, direct });
      const system = { stable, varying: varyingLine(run) };
      const conversation = () => deps.conversations.read(session, id);
      const maxSteps = run.kind === 'cron' ? cronMaxSteps : chatSteps;
      const model = deps.model(run);
      const world = new StoreWorld(
        { id, session, run, sink, system, conversation, ...(input && { input }) },
        model,
        deps,
      );
      const end = await new Turn(world, { maxSteps, resultBytes }, run.signal).run();
      return turnResult(end, {
        model,
        maxSteps,
        signal: run.signal,
        message: (text, keep) => world.message(text, keep),
      });
    },
  };
}
