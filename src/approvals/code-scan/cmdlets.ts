import { UNKNOWN } from '../shell/marks.ts';
import type { Place, Sink } from './effects.ts';

/** A cmdlet as the words that rules judge; an alias it makes. */
interface Resolved {
  readonly words: readonly string[];
  readonly alias?: { readonly name: string; readonly value: string };
}

const ALIASES: Readonly<Record<string, string>> = {
  rm: 'remove-item',
  ri: 'remove-item',
  del: 'remove-item',
  erase: 'remove-item',
  rd: 'remove-item',
  rmdir: 'remove-item',
  kill: 'stop-process',
  spps: 'stop-process',
  spsv: 'stop-service',
  sal: 'set-alias',
  nal: 'set-alias',
  'new-alias': 'set-alias',
  clc: 'clear-content',
  ac: 'add-content',
  sc: 'set-content',
  cat: 'cat',
  gc: 'get-content',
  irm: 'invoke-restmethod',
  iwr: 'invoke-webrequest',
};

/** What each is named after in rules: removal and signals are those of the shell, so that the same paths and pids count. */
export function resolveCmdlet(name: string, args: readonly string[], piped: boolean): Resolved {
  const known = Object.hasOwn(ALIASES, name.toLowerCase())
    ? (ALIASES[name.toLowerCase()] as string)
    : name.toLowerCase();
  switch (known) {
    case 'remove-item':
      return { words: removal(args, piped) };
    case 'stop-process':
      return { words: ending(args, piped) };
    case 'set-alias':
      return { words: [], ...aliasMade(args) };
    default:
      return { words: [Object.hasOwn(ALIASES, name.toLowerCase()) ? known : name, ...args] };
  }
}

const SWITCH = /^-[a-z]/i;
/** Parameters whose value names nothing that is removed or ended. */
const ASIDE = /^-(?:ea|erroraction|filter|include|exclude|stream|credential|warningaction|confirm)$/i;

function operandsOf(args: readonly string[]): readonly string[] {
  const words = args.flatMap((arg) => /^(-[a-z]+):(.+)$/i.exec(arg)?.slice(1) ?? [arg]);
  return words.filter((word, i) => !SWITCH.test(word) && !ASIDE.test(words[i - 1] ?? ''));
}

/** A folder goes with all in it, so what looks like one is asked about. */
function removal(args: readonly string[], piped: boolean): readonly string[] {
  if (args.some((arg) => /^-(?:whatif|wi)$/i.test(arg))) return [];
  const recursive = args.some((arg) => /^-(?:r|re|rec\w*|rf|fr)$/i.test(arg));
  const targets = operandsOf(args);
  const named = recursive || targets.every((target) => /\.\w+$/.test(target));
  if (!named || targets.some((target) => /^[a-z]+:|^\\|^\$env/i.test(target))) return ['remove-item', ...args];
  return ['rm', ...(recursive ? ['-rf'] : []), '--', ...(targets.length > 0 || !piped ? targets : [UNKNOWN])];
}

function ending(args: readonly string[], piped: boolean): readonly string[] {
  if (args.some((arg) => /^-(?:whatif|wi)$/i.test(arg))) return [];
  const forced = args.some((arg) => /^-(?:f|fo|for|forc|force|9)$/i.test(arg)) ? ['-9'] : [];
  const targets = operandsOf(args);
  if (args.some((arg) => /^-(?:n|na|nam|name|processname)$/i.test(arg))) return ['pkill', ...forced, '-x', ...targets];
  return ['kill', ...forced, ...(targets.length > 0 || !piped ? targets : [UNKNOWN])];
}

function aliasMade(args: readonly string[]): Pick<Resolved, 'alias'> {
  const [name, value] = operandsOf(args);
  return name !== undefined && value !== undefined ? { alias: { name, value } } : {};
}

/** What verbs of cmdlets do to what they are given. */
const ENDS =
  /^(?:remove|stop|disable|clear|restart|uninstall|reset|dismount|revoke|unregister|suspend|deny|block)-([a-z]\w+)$/i;
/** What belongs to the session alone, and what rules of their own judge. */
const OWN_NOUN =
  /^(?:variable|module|job|psdrive|event|eventsubscriber|typedata|pssession|psbreakpoint|alias|host|history|transcript|item|itemproperty|process|service|content|recyclebin|computer|partition|disk|netadapter\w*|localuser|localgroup\w*|psreadline\w*|error|runspacedebug|appxpackage|package)$/i;

export function judgeCmdlet(name: string, words: readonly string[], sink: Sink, at: Place): void {
  const noun = ENDS.exec(name)?.[1];
  if (noun === undefined || OWN_NOUN.test(noun) || words.some((word) => /^-(?:whatif|wi)$/i.test(word))) return;
  sink.report('host.cmdlet', at);
}
