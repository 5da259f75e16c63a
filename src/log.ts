import { type DestinationStream, pino } from 'pino';
import { currentRun } from './context/run-context.ts';
import type { Log } from './contract/log.ts';

export interface LogOptions {
  readonly level: string;
  readonly boot: string;
  /** Masks secrets in one string. */
  readonly redact: (text: string) => string;
  readonly out: DestinationStream;
}

/** pino with the run it happens in and the redactor over every string, errors and stacks included. */
export function createLog({ level, boot, redact, out }: LogOptions): Log {
  return pino(
    {
      level,
      base: { boot },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: runFacts,
      formatters: {
        log: (facts) => scrub(facts, redact, 0) as Record<string, unknown>,
        level: (label) => ({ level: label }),
      },
      hooks: {
        logMethod([facts, sentence], method) {
          method.apply(this, [facts, typeof sentence === 'string' ? redact(sentence) : sentence] as Parameters<
            typeof method
          >);
        },
      },
    },
    out,
  );
}

function runFacts(): object {
  const run = currentRun();
  return run ? { run: run.runId, kind: run.kind, session: run.session.slice(0, 8) } : {};
}

const MAX_DEPTH = 6;

function scrub(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Error)
    return { name: value.name, message: redact(value.message), stack: redact(value.stack ?? '') };
  if (Array.isArray(value)) return value.map((inner) => scrub(inner, redact, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return scrub(value.toJSON(), redact, depth + 1);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrub(inner, redact, depth + 1)]));
}
