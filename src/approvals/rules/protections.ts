import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function changesFirewall(call: Call): Hit {
  if (asksHelp(call)) return false;
  const args = knownArgs(call);
  const operands = operandsOf(call, 't: f: zone: permanent');
  switch (call.program) {
    case 'iptables':
    case 'ip6tables':
    case 'ebtables':
    case 'arptables':
    case 'iptables-legacy':
    case 'iptables-nft':
      return args.some((arg) =>
        /^(?:-[AIDRFXPNEZ]\S*|--(?:append|insert|delete|replace|flush|delete-chain|policy|new|rename-chain|zero))$/.test(
          arg,
        ),
      );
    case 'nft':
      return (
        (hasArg(call, '-f', '--file') && !hasArg(call, '-c', '--check')) ||
        isVerb(operands, ['add', 'create', 'insert', 'replace', 'delete', 'destroy', 'flush', 'rename', 'reset'])
      );
    case 'ufw':
      return (
        !isVerb(operands, ['status', 'version', 'show', 'app list|info']) &&
        operands.length > 0 &&
        !hasArg(call, '--dry-run')
      );
    case 'firewall-cmd':
      return args.some(
        (arg) =>
          /^--(?:add|remove|set|change|reload|complete-reload|panic-on|panic-off|runtime-to-permanent|new|delete|lockdown|reset)/.test(
            arg,
          ) && !/^--panic-query|^--query/.test(arg),
      );
    case 'pfctl':
      return args.some((arg) => /^-[a-zA-Z]*[dFefkKtTR]/.test(arg) && !/^-[a-zA-Z]*n/.test(arg) && !/^-s/.test(arg));
    case 'ipset':
      return isVerb(operands, ['add', 'del', 'create', 'destroy', 'flush', 'rename', 'swap', 'restore']);
    case 'netsh':
      return args.some((arg) => /^(?:set|add|delete|reset|import)$/i.test(arg));
    case 'iptables-restore':
    case 'ip6tables-restore':
      return !hasArg(call, '-t', '--test');
    case 'setenforce':
    case 'aa-disable':
    case 'aa-teardown':
    case 'aa-complain':
    case 'set-mppreference':
    case 'set-netfirewallprofile':
    case 'new-netfirewallrule':
    case 'remove-netfirewallrule':
    case 'disable-netfirewallrule':
      return true;
    case 'semanage':
      return (
        args.some((arg) => /^-(?:a|d|m|D)$|^--(?:add|delete|modify|deleteall)$/.test(arg)) ||
        operands[0] === 'permissive'
      );
    case 'setsebool':
      return operands.length > 0;
    case 'spctl':
      return (
        args.some((arg) => /^--(?:master-disable|global-disable|add|remove|disable)$/.test(arg)) ||
        isVerb(operands, ['kext-consent disable|add|remove'])
      );
    case 'csrutil':
      return isVerb(operands, ['disable', 'enable', 'clear', 'authenticated-root *']);
    case 'auditctl':
      return hasArg(call, '-e', '-D', '-d', '-a', '-A', '-w', '-W');
    case 'fail2ban-client':
      return isVerb(operands, ['stop', 'unban', 'set', 'reload', 'restart', 'flushlogs']);
    default:
      return true;
  }
}

export const protectionRules: readonly Rule[] = [
  {
    id: 'host.firewall',
    grade: 'dangerous',
    programs: [
      'iptables',
      'ip6tables',
      'ebtables',
      'arptables',
      'iptables-legacy',
      'iptables-nft',
      'nft',
      'ufw',
      'firewall-cmd',
      'pfctl',
      'ipset',
      'netsh',
      'setenforce',
      'iptables-restore',
      'ip6tables-restore',
      'aa-disable',
      'aa-teardown',
      'aa-complain',
      'semanage',
      'setsebool',
      'spctl',
      'csrutil',
      'auditctl',
      'fail2ban-client',
      'set-mppreference',
      'set-netfirewallprofile',
      'new-netfirewallrule',
      'remove-netfirewallrule',
      'disable-netfirewallrule',
    ],
    test: changesFirewall,
    why: 'changes the firewall or a protection of the machine',
    match: [
      'iptables -F',
      'ufw disable',
      'nft flush ruleset',
      'setenforce 0',
      'firewall-cmd --add-port=80/tcp',
      'pfctl -d',
    ],
    notMatch: [
      'iptables -L -n',
      'ufw status',
      'nft list ruleset',
      'firewall-cmd --list-all',
      'pfctl -s rules',
      'iptables-save',
      'nft -c -f rules.nft',
      'iptables-restore --test rules.v4',
    ],
  },
];
