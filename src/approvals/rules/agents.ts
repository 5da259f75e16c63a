import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import { entryOf } from '../shell/lookup.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

interface Agent {
  /** Options that take a value. */
  readonly options: string;
  /** Options that switch the asking off. */
  readonly bare: readonly string[];
  /** Options that do so with one of the values. */
  readonly modes?: Readonly<Record<string, RegExp>>;
}

const CLAUDE: Agent = {
  options:
    'permission-mode: p c r? model: allowedTools|allowed-tools: disallowedTools|disallowed-tools: settings: output-format: input-format: append-system-prompt: system-prompt: add-dir: mcp-config: max-turns: agents:',
  bare: ['dangerously-skip-permissions', 'allow-dangerously-skip-permissions'],
  modes: {
    'permission-mode': /^bypassPermissions$/i,
    allowedTools: /(?:^|[,\s])Bash(?:\(\*\)|\(:\*\)|(?=$|[,\s]))/,
  },
};
const CODEX: Agent = {
  options:
    's|sandbox: a|ask-for-approval: c|config: m|model: p|profile: C|cd: i|image: o|output-last-message: output-schema: color: add-dir: enable: disable:',
  bare: ['yolo', 'dangerously-bypass-approvals-and-sandbox'],
  modes: { s: /^danger-full-access$/, c: /^sandbox_mode=["']?danger-full-access/ },
};
const GEMINI: Agent = {
  options: 'approval-mode: m|model: p|prompt? i|prompt-interactive: y|yolo o|output-format: e|extensions: a c d s',
  bare: ['y'],
  modes: { 'approval-mode': /^yolo$/i },
};
const YOLO: Agent = { options: 'm|model: p? y', bare: ['yolo', 'y', 'always-approve'] };

/** Command lines of other agents, and how each is told not to ask its person. */
const AGENTS: Readonly<Record<string, Agent>> = {
  claude: CLAUDE,
  'claude-code': CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  'gemini-cli': GEMINI,
  qwen: GEMINI,
  'qwen-code': GEMINI,
  iflow: GEMINI,
  copilot: {
    options: 'p|prompt: model: agent: add-dir: allow-tool: deny-tool: resume?',
    bare: ['allow-all-tools', 'allow-all', 'yolo'],
  },
  amp: { options: 'x|execute? m|mode:', bare: ['dangerously-allow-all'] },
  aider: {
    options: 'm|message: f|message-file: model: test-cmd: lint-cmd: file: read:',
    bare: ['yes-always', 'yes'],
  },
  'cursor-agent': { options: 'p|print f|force m|model: output-format: a|api-key: resume?', bare: ['f', 'yolo'] },
  droid: { options: 'f|file: m|model: o|output-format: s|session-id: auto: r:', bare: ['skip-permissions-unsafe'] },
  q: { options: 'trust-tools: agent: model:', bare: ['a', 'trust-all-tools'] },
  'kiro-cli': { options: 'trust-tools: agent: model:', bare: ['a', 'trust-all-tools'] },
  goose: { options: 't|text: i|instructions: n|name: recipe:', bare: ['no-confirm'] },
  crush: YOLO,
  opencode: YOLO,
  openclaw: YOLO,
  openhands: YOLO,
  auggie: YOLO,
  cline: YOLO,
  kilocode: YOLO,
};

function neverAsks(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  const agent = entryOf(AGENTS, call.program);
  if (!agent) return false;
  const options = optionsOf(call, agent.options);
  if (options.has(...agent.bare)) return true;
  const hit = Object.entries(agent.modes ?? {}).flatMap(([name, value]) =>
    options.values(name).filter((field) => value.test(field.text)),
  )[0];
  return hit ? fieldHit(hit) : false;
}

export const agentRules: readonly Rule[] = [
  {
    id: 'code.agent',
    grade: 'dangerous',
    programs: Object.keys(AGENTS),
    test: neverAsks,
    why: 'starts another agent that will not ask before it acts',
    match: [
      'claude --dangerously-skip-permissions',
      'claude --allowedTools "Bash(*)" -p x',
      'codex -s danger-full-access',
      'gemini --approval-mode=yolo -p hi',
      'copilot --allow-all-tools -p x',
    ],
    notMatch: [
      'claude --permission-mode plan -p "what is --yolo"',
      'codex exec -s read-only "look at it"',
      'claude --allowedTools "Read,Bash(git log:*)" -p x',
      'gemini -p "is -y safe"',
      'aider --message "say yes"',
    ],
  },
];
