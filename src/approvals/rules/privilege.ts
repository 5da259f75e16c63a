import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import { parseOptions } from '../shell/options.ts';
import { canonicalProgram, SHELLS } from '../shell/program-names.ts';
import { SUDO_OPTIONS } from '../shell/wrappers/identity.ts';
import { asksHelp } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function sudoOptions(call: Call) {
  return parseOptions(call.args, SUDO_OPTIONS, { stop: true });
}

function readsPassword(call: Call): Hit {
  return sudoOptions(call).has('S');
}

/** A shell of its own as somebody else: what is typed there was never judged. */
function opensShell(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'sudo':
    case 'please': {
      const options = sudoOptions(call);
      return options.has('i', 's', 'A') || isBareShell(options.operands, call);
    }
    case 'doas':
      return (
        optionsOf(call, 'a: C: L n s u:', { stop: true }).has('s') ||
        isBareShell(optionsOf(call, 'a: C: L n s u:', { stop: true }).operands, call)
      );
    case 'pkexec':
      return isBareShell(optionsOf(call, 'user:', { stop: true }).operands, call);
    case 'su':
      return !hasArg(call, '-V', '-h');
    case 'runuser':
      return !optionsOf(call, 'u: c: l g: G: s:', { stop: true }).has('u');
    case 'runas':
    case 'gsudo':
      return true;
    default:
      return false;
  }
}

function isBareShell(operands: readonly { readonly text: string }[], call: Call): boolean {
  const words = operands.filter((field) => !/^\w+=/.test(field.text));
  const first = words[0];
  return (
    first !== undefined &&
    SHELLS.has(canonicalProgram(first.text, call.facts.os)) &&
    words.slice(1).every((word) => /^-(?:i|l|il|-login|s)?$/.test(word.text)) &&
    call.stdin.kind === 'none'
  );
}

function entersNamespace(call: Call): Hit {
  if (asksHelp(call)) return false;
  if (call.program === 'nsenter')
    return optionsOf(call, 't|target: a|all m? u? i? n? p? U? C? T?', { stop: true }).has('t', 'a');
  return call.program === 'capsh'
    ? call.args.some((arg) => /^--(?:gid|uid|user|caps)/.test(arg.text) && arg.text !== '--print')
    : true;
}

export const privilegeRules: readonly Rule[] = [
  {
    id: 'priv.sudo-stdin',
    grade: 'dangerous',
    programs: ['sudo', 'please'],
    test: readsPassword,
    why: 'feeds sudo a password from stdin',
    match: ['sudo -S id', 'sudo -nS id', 'sudo --stdin id', 'sudo --stdi id', 'echo x | sudo -u root -S ls'],
    notMatch: ['sudo id', 'sudo --set-home id', 'sudo -s', 'sudo ls -S', 'pseudosudo -S id'],
  },
  {
    id: 'priv.shell',
    grade: 'dangerous',
    programs: ['sudo', 'please', 'doas', 'pkexec', 'su', 'runuser', 'runas', 'gsudo'],
    test: opensShell,
    why: 'opens a shell as another account, or asks for its password',
    match: [
      'sudo -i',
      'sudo -s',
      'sudo -Ei',
      'sudo -EA id',
      'su - bob',
      'sudo -A id',
      'sudo su',
      'sudo bash',
      'doas -s',
    ],
    notMatch: [
      'sudo id',
      'sudo -l',
      'sudo -Eu bob ls',
      'sudo -u bob ls',
      'doas ls',
      'su --help',
      'sudo bash script.sh',
    ],
  },
  {
    id: 'priv.namespace',
    grade: 'dangerous',
    programs: ['nsenter', 'capsh'],
    test: entersNamespace,
    why: 'enters the namespaces of another process',
    match: ['nsenter -t 1 -m -u -i -n sh', 'nsenter --target 1 --all', 'nsenter -t 4242 -n ip addr'],
    notMatch: ['nsenter --help', 'lsns', 'capsh --print'],
  },
];
