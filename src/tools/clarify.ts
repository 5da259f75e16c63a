import { z } from 'zod';
import type { Clarification, Clarified } from '../contract/clarification.ts';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';

export interface ClarifyDeps {
  /** Asks whoever the run belongs to and waits for the answer. */
  readonly ask: (clarification: Clarification, use: ToolUse) => Promise<Clarified>;
}

const MOST_CHOICES = 4;
const NOBODY = 'nobody can answer here, decide yourself';

interface Input {
  readonly question: string;
  readonly choices?: readonly string[] | undefined;
  readonly multi?: boolean | undefined;
}

/** Asks the person something and waits for their words. */
export function createClarify({ ask }: ClarifyDeps): Tool<Input> {
  return {
    name: 'clarify',
    description:
      'Asks the person a question and waits for the answer: one of up to four choices, or words of their own. Only for what you cannot find out and should not decide. Never for permission to run something: make the call, hermod asks.',
    input: z.strictObject({
      question: z.string().trim().min(1).max(300),
      choices: z
        .array(z.string().trim().min(1).max(60))
        .max(MOST_CHOICES)
        .optional()
        .describe('Short answers to pick from'),
      multi: z.boolean().optional().describe('Several choices may be picked'),
    }),
    effects: 'own',
    atomic: true,
    offered: (run) => run.depth === 0,
    run: async ({ question, choices = [], multi = false }, use) =>
      resultOf(await ask({ question, choices: [...new Set(choices)], multi }, use)),
  };
}

function resultOf(clarified: Clarified): ToolResult {
  switch (clarified.kind) {
    case 'answered':
      return { text: clarified.text, isError: false };
    case 'nobody':
      return { text: NOBODY, isError: false };
    case 'late':
      return { text: 'no answer', isError: false };
    case 'closed':
      return { text: `Not answered: ${clarified.why}.`, isError: true };
    case 'parked':
      return { text: '', isError: true, parked: clarified.question };
  }
}
