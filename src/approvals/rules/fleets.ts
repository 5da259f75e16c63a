import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { ansibleModule, saltFunction } from '../shell/wrappers/managed.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Changes to the machines a configuration manager holds. Commands it runs there are judged as commands (wrappers/managed.ts). */
function changesFleet(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  switch (call.program) {
    case 'ansible':
      return ansibleChanges(call);
    case 'salt':
    case 'salt-call':
    case 'salt-ssh':
    case 'salt-run':
      return !hasArg(call, 'test=True') && SALT_LOSS.test(saltFunction(call)[0]?.text ?? '');
    case 'salt-key':
      return call.args.some(({ text }) => /^(?:-[dDrR]|--(?:delete|delete-all|reject|reject-all))(?:=|$)/.test(text));
    case 'puppet':
      return puppetChanges(call);
    case 'puppetserver':
      return isVerb(operandsOf(call), ['ca clean|revoke']);
    case 'chef-apply':
      return hasArg(call, '-e', '--execute') && !hasArg(call, '-W', '--why-run');
    case 'ansible-pull':
      return !hasArg(call, '-C', '--check', '--list-hosts');
    default:
      return isVerb(operandsOf(call, 'c: u: k: s: V'), [
        'node|client|cookbook|role|environment|data|user|tag|vault delete|bulk',
        'data bag delete',
        'vault remove',
      ]);
  }
}

const SYSTEM_PLACE = /\b(?:dest|path|name)=\/(?:etc|usr|bin|sbin|boot|lib|root)\b/;

function ansibleChanges(call: Call): boolean {
  const { name, args, dry } = ansibleModule(call);
  if (dry) return false;
  const text = args?.text ?? '';
  if (/^(?:win_)?(?:reboot|user|group)$/.test(name)) return true;
  if (
    /^(?:copy|file|template|lineinfile|blockinfile|replace|synchronize|unarchive)$/.test(name) &&
    SYSTEM_PLACE.test(text)
  )
    return true;
  return /\bstate=(?:absent|stopped|restarted|killed|disabled|reset)\b/.test(text);
}

const SALT_LOSS =
  /^(?:(?:\w+)\.(?:stop|restart|kill|disable|mask|remove|purge|delete|delete_\w+|remove_\w+|reboot|shutdown|poweroff|halt|init|flush|rmdir|unmount|umount|uninstall|destroy|rm|rmi|truncate|kill_pid|pkill)|manage\.down|cloud\.(?:destroy|action)|cmd\.(?:script|exec_code\w*))$/;

function puppetChanges(call: Call): boolean {
  if (hasArg(call, '--noop')) return false;
  const [verb, ...words] = operandsOf(call, 'e|execute: modulepath: l|logdest: confdir: vardir:');
  if (verb === 'resource') return words.slice(1).some((word) => word.includes('='));
  if (verb === 'apply')
    return (
      hasArg(call, '-e', '--execute') &&
      knownArgs(call).some((arg) => /\b(?:exec|cron|user|group|mount)\b|\b(?:absent|stopped|purged)\b/.test(arg))
    );
  return isVerb(
    [verb ?? '', ...words],
    ['cert clean|revoke|destroy', 'node clean|deactivate|purge', 'module uninstall'],
  );
}

export const fleetRules: readonly Rule[] = [
  {
    id: 'infra.fleet',
    grade: 'dangerous',
    programs: [
      'ansible',
      'ansible-pull',
      'salt',
      'salt-call',
      'salt-ssh',
      'salt-run',
      'salt-key',
      'puppet',
      'puppetserver',
      'chef-apply',
      'knife',
    ],
    test: changesFleet,
    why: 'changes or stops machines through a configuration manager',
    smart: true,
    match: [
      "ansible all -m ansible.builtin.service -a 'name=nginx state=stopped'",
      "salt '*' service.stop nginx",
      'puppet resource service nginx ensure=stopped',
      'salt-key -D -y',
    ],
    notMatch: [
      "ansible all -m shell -a 'df -h'",
      "salt '*' test.ping",
      'puppet resource service nginx',
      'salt-key -L',
      "ansible all -C -m service -a 'name=nginx state=stopped'",
    ],
  },
];
