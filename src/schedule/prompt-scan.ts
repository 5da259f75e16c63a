/** Why a prompt is not stored: a word for the log, a sentence for the person. */
export interface PromptFinding {
  readonly rule: string;
  readonly why: string;
}

interface Rule extends PromptFinding {
  readonly pattern: RegExp;
}

/** Joiners and selectors are fine inside emoji, nowhere else. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}])*(?:\u{200D}\p{Extended_Pictographic}(?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}])*)*|[\u{1F1E6}-\u{1F1FF}]{2}|[0-9#*]\u{FE0F}?\u{20E3}/gu;
const SECRET = String.raw`(?:password|passwd|secret|credential|api[ _-]?key|access[ _-]?key|private[ _-]?key|token|\.env\b|id_(?:rsa|ed25519|ecdsa)|\.ssh\b|\.netrc|keychain)s?`;

/** What hides from whoever reads it. */
const SHOWN: readonly Rule[] = [
  {
    rule: 'invisible',
    why: 'it holds characters nobody can see',
    pattern:
      /\u{34F}|[\u{FE00}-\u{FE0F}]|[\u{E0100}-\u{E01EF}]|[\u{AD}\u{61C}\u{115F}\u{1160}\u{180E}\u{200B}-\u{200D}\u{2060}-\u{2064}\u{206A}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E007F}]/u,
  },
  {
    rule: 'bidi',
    why: 'it holds characters that turn the reading order around',
    pattern: /[\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u,
  },
  {
    rule: 'control',
    why: 'it holds control characters',
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    pattern: /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/,
  },
];

/** What an agent must not be asked. */
const ASKED: readonly Rule[] = [
  {
    rule: 'override',
    why: 'it tells the agent to ignore its instructions',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system|safety)\b[^.\n]{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|restrictions?|directions)\b/i,
  },
  {
    rule: 'override',
    why: 'it tells the agent to ignore its instructions',
    pattern:
      /\b(?:do not|don't|never)\b[^.\n]{0,20}\b(?:tell|inform|ask|notify)\b[^.\n]{0,20}\b(?:the )?(?:user|owner|person|operator|anyone|anybody)\b/i,
  },
  {
    rule: 'exfiltration',
    why: 'it sends secrets or key files out',
    pattern: new RegExp(
      String.raw`\b(?:send|post|upload|mail|e-?mail|forward|transmit|exfiltrate|leak|curl|wget|scp|rsync|nc)\b[^\n]{0,120}${SECRET}|${SECRET}[^\n]{0,120}\b(?:send|post|upload|forward|exfiltrate)\b[^\n]{0,60}\b(?:to|https?:|@)`,
      'i',
    ),
  },
  {
    rule: 'daemon',
    why: 'it stops or restarts hermod',
    pattern:
      /\b(?:stop|restart|kill|pkill|killall|terminate|shut ?down|reboot|reload)\b[^.\n]{0,30}\b(?:hermod|hermes)\b|\b(?:hermod|hermes)(?:\.service)?\s+(?:stop|restart)\b/i,
  },
];

/** The first thing in a job's prompt that keeps it from being stored. A tripwire, no wall: tools and approvals are that. Pure. */
export function scanPrompt(prompt: string): PromptFinding | undefined {
  return find(prompt, [...SHOWN, ...ASKED]);
}

/** The same for a text that is only ever said: nobody is asked to do what it says. */
export function scanText(text: string): PromptFinding | undefined {
  return find(text, SHOWN);
}

function find(text: string, rules: readonly Rule[]): PromptFinding | undefined {
  const visible = text.replace(EMOJI, '');
  const found = rules.find(({ pattern }) => pattern.test(visible));
  return found && { rule: found.rule, why: found.why };
}
