import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const ACCOUNT_TOOLS = [
  'useradd',
  'adduser',
  'userdel',
  'deluser',
  'usermod',
  'groupadd',
  'addgroup',
  'groupdel',
  'delgroup',
  'groupmod',
  'gpasswd',
  'passwd',
  'chpasswd',
  'chage',
  'vipw',
  'vigr',
  'visudo',
  'chsh',
  'chfn',
  'newusers',
  'dscl',
  'sysadminctl',
  'dseditgroup',
  'pwconv',
  'pwunconv',
  'net',
  'new-localuser',
  'add-localgroupmember',
  'remove-localuser',
  'set-localuser',
  'disable-localuser',
  'htpasswd-system',
  'smbpasswd',
  'realm',
  'faillock',
  'pam-auth-update',
  'authselect',
  'loginctl-user',
  'chpass',
  'pw',
  'rmuser',
  'homectl',
];

function changesAccounts(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 's: g: G: u: d: c: e: f: k: p: o: a: m: M: n: x: w: i:');
  switch (call.program) {
    case 'passwd':
      return !hasArg(call, '-S', '--status');
    case 'chage':
      return !hasArg(call, '-l', '--list');
    case 'visudo':
      return !hasArg(call, '-c', '--check');
    case 'dscl':
      return knownArgs(call).some((arg) => /^-?(?:create|delete|passwd|append|merge|change|changei)$/.test(arg));
    case 'net':
      return (
        isVerb(
          operands.map((word) => word.toLowerCase()),
          ['user * *', 'localgroup * *', 'accounts *', 'share *', 'group * *'],
        ) || call.args.some((arg) => /^\/(?:add|delete|del|active)/i.test(arg.text))
      );
    case 'realm':
      return isVerb(operands, ['join', 'leave', 'permit', 'deny']);
    case 'faillock':
      return hasArg(call, '--reset');
    case 'pw':
      return (
        /^(?:user|group)?(?:add|del|mod|lock|unlock)$/.test(operands.join('').slice(0, 9)) ||
        isVerb(operands, [
          'useradd',
          'userdel',
          'usermod',
          'groupadd',
          'groupdel',
          'groupmod',
          'user|group add|del|mod',
          'lock',
          'unlock',
        ])
      );
    case 'homectl':
      return isVerb(operands, ['create', 'remove', 'update', 'passwd', 'resize', 'lock', 'deactivate']);
    case 'authselect':
      return !isVerb(operands, ['current', 'list', 'show', 'check', 'test']);
    default:
      return true;
  }
}

export const accountRules: readonly Rule[] = [
  {
    id: 'host.account',
    grade: 'dangerous',
    programs: ACCOUNT_TOOLS,
    test: changesAccounts,
    why: 'changes accounts, groups or who may become root',
    match: [
      'userdel -r bob',
      'passwd root',
      'usermod -aG sudo bob',
      'visudo',
      'net user bob /add',
      'dscl . -create /Users/bob',
    ],
    notMatch: ['passwd -S', 'chage -l bob', 'id bob', 'groups', 'dscl . -list /Users', 'visudo -c'],
  },
];
