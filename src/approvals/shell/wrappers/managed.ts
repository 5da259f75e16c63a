import type { Call } from '../call.ts';
import { after } from '../command-text.ts';
import type { Field } from '../field.ts';
import { literalField } from '../field.ts';
import { parseOptions } from '../options.ts';
import type { Inner, Peel } from './inner.ts';
import { bothReadings, RUNS_CODE } from './inner.ts';
import { remotePeels } from './remote.ts';

const ANSIBLE =
  'i|inventory: m|module-name: a|args: u|user: b|become K|ask-become-pass k|ask-pass f|forks: l|limit: e|extra-vars: t|tree: o|one-line c|connection: M|module-path: B|background: P|poll: T|timeout: private-key: become-user: become-method: C|check D|diff v|verbose h|help version list-hosts';
/** The module and its arguments; without a name ansible runs a command. */
export function ansibleModule(call: Call): {
  readonly name: string;
  readonly args: Field | undefined;
  readonly dry: boolean;
} {
  const options = parseOptions(call.args, ANSIBLE);
  return {
    name: (options.value('m')?.text ?? 'command').replace(/^(?:\w+\.){2}/, ''),
    args: options.value('a'),
    dry: options.has('C', 'h', 'version', 'list-hosts'),
  };
}

const COMMAND_MODULE = /^(?:shell|command|raw|script|win_shell|win_command)$/;

/** `ansible hosts -m shell -a text`: judged as that text on another machine. */
const ansible: Peel = (call) => {
  const { name, args, dry } = ansibleModule(call);
  if (dry || !args || !COMMAND_MODULE.test(name)) return [];
  const key = /^\s*(?:cmd|_raw_params)=(['"]?)/.exec(args.text);
  return [elsewhere(call, key ? bare(args, key[0].length, key[1] as string) : args)];
};

function bare(field: Field, from: number, quote: string): Field {
  const rest = after(field, from);
  return quote !== '' && rest.text.endsWith(quote) ? { ...rest, text: rest.text.slice(0, -1) } : rest;
}

const SALT =
  'E|pcre L|list G|grain P|grain-pcre N|nodegroup C|compound I|pillar S|ipcidr t|timeout: b|batch-size: out|output: c|config-dir: l|log-level: s|static a|auth: local async local-only r|raw: i|ignore-host-keys user: priv: roster: roster-file: id: v|verbose d';
/** The function a salt program calls and its words; those without a target (`salt-call`) run it here. */
export function saltFunction(call: Call): readonly Field[] {
  const { operands } = parseOptions(call.args, SALT);
  return call.program === 'salt-call' || call.program === 'salt-run' ? operands : operands.slice(1);
}

const salt: Peel = (call) => {
  const raw = call.program === 'salt-ssh' ? parseOptions(call.args, SALT).value('r') : undefined;
  if (raw) return [elsewhere(call, raw)];
  const [name, text] = saltFunction(call);
  if (!text || !/^cmd\.(?:run|shell|run_all|run_stdout|run_stderr|retcode|powershell)$/.test(name?.text ?? ''))
    return [];
  return [elsewhere(call, text, call.program !== 'salt-call')];
};

/** `knife ssh query text`. */
const knife: Peel = (call) => {
  const [verb, , text] = parseOptions(call.args, 'x: P: a: C: i: p: c: u: m').operands;
  return verb?.text === 'ssh' && text ? bothReadings([text], call, placed(call, true)) : [];
};

function elsewhere(call: Call, text: Field, remote = true): Inner {
  return { run: { kind: 'shell', text }, ...placed(call, remote) };
}

function placed(call: Call, remote: boolean): Omit<Inner, 'run'> {
  const wrapper = { program: call.program, identity: `remote:${call.args[0]?.text ?? ''}` };
  return remote ? { wrapper, bar: RUNS_CODE, remote, cwds: [null] } : { wrapper, bar: RUNS_CODE };
}

/** A distribution that has kubectl inside: `microk8s kubectl delete`, `minikube kubectl -- delete`. */
const kubectlInside: Peel = (call) => {
  const at = call.args.findIndex(({ text }) => text === 'kubectl');
  const words = call.args.slice(at + 1).filter(({ text }, i) => i > 0 || text !== '--');
  if (at < 0 || call.args.slice(0, at).some(({ text }) => text === '--')) return [];
  return kubectlWords(call, call.args[at] as Field, words);
};

function kubectlWords(call: Call, name: Field, words: readonly Field[]): readonly Inner[] {
  const first = literalField('kubectl', name.span);
  return [{ run: { kind: 'argv', argv: [first, ...words] }, wrapper: { program: call.program } }];
}

/** `pdsh -w hosts words`, joined for a shell there. */
function onHosts(grammar: string): Peel {
  return (call) => {
    const { operands } = parseOptions(call.args, grammar, { stop: true });
    return operands.length > 0 ? bothReadings(operands, call, placed(call, true)) : [];
  };
}

export const managedPeels: Readonly<Record<string, Peel>> = {
  ansible,
  salt,
  'salt-call': salt,
  'salt-ssh': salt,
  knife,
  pdsh: onHosts('w: x: g: X: l: u: t: f: R: M: a A i q b S d h V'),
  clush: onHosts(
    'w: x: g|group: X: l|user: u|command_timeout: t|connect_timeout: f|fanout: o|options: O|option: a b B q|quiet v|verbose d|debug L N S n|nostdin p r R|worker: hostfile: pick: color: mode: c copy rcopy dest:',
  ),
  'microk8s.kubectl': (call) => kubectlWords(call, call.argv0, call.args),
  k3s: kubectlInside,
  k0s: kubectlInside,
  microk8s: kubectlInside,
  rancher: kubectlInside,
  minikube: (call) => {
    const inside = kubectlInside(call);
    return inside.length > 0 ? inside : (remotePeels['minikube']?.(call) ?? []);
  },
};
