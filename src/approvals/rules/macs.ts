import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Settings of macOS that guard the machine, its disk and its start. */
function changesMac(call: Call): Hit {
  if (asksHelp(call)) return false;
  const args = knownArgs(call);
  const operands = operandsOf(call);
  switch (call.program) {
    case 'softwareupdate':
      return args.some((arg) =>
        /^-[a-z]*[iR]|^--(?:install|restart|clear-catalog|set-catalog|reset-ignored)$/.test(arg),
      );
    case 'pmset':
      return (
        isVerb(operands, ['sleepnow|displaysleepnow|schedule|repeat|relative|restoredefaults']) ||
        (args.some((arg) => /^-[abcu]$/.test(arg)) && operands.length > 1)
      );
    case 'fdesetup':
      return isVerb(operands, ['disable|enable|remove|add|removerecovery|changerecovery|sync|authrestart']);
    case 'profiles':
      return isVerb(operands, ['remove|install|renew']) || args.some((arg) => /^-(?:[RIDW]|all)$/.test(arg));
    case 'asr':
      return isVerb(operands, ['restore']);
    case 'systemsetup':
      return args.some((arg) => /^-set/i.test(arg));
    case 'tmutil':
      return isVerb(operands, [
        'restore|thinlocalsnapshots|removedestination|setdestination|inheritbackup|associatedisk',
      ]);
    case 'security':
      return isVerb(operands, [
        'authorizationdb write|remove|merge',
        'add-trusted-cert|remove-trusted-cert|trust-settings-import',
      ]);
    case 'defaults':
      return changesDefaults(call, operands);
    case 'xattr':
      return (
        args.some((arg) => /^-[a-z]*c/.test(arg)) ||
        (args.includes('com.apple.quarantine') && args.some((arg) => /^-[a-z]*d/.test(arg)))
      );
    case 'sqlite3':
      return changesPrivacy(call, args);
    case 'pwpolicy':
      return args.some((arg) => /^-?(?:clear|set|disable|enable)/.test(arg));
    case 'mdutil':
      return hasArg(call, '-E', '-X') || (hasArg(call, '-i') && args.includes('off'));
    case 'bputil':
      return args.some((arg) => /^-[a-z]/.test(arg) && !/^-(?:d|-display)/.test(arg));
    case 'tccutil':
      return isVerb(operands, ['reset']);
    default:
      return false;
  }
}

/** A hook at login, the quarantine of downloads, and what holds for every user. */
function changesDefaults(call: Call, operands: readonly string[]): boolean {
  const [verb, domain = '', key = ''] = optionsOf(call, '').operands.map(({ text }) => text);
  if (!/^(?:write|delete|import|rename)$/.test(verb ?? '')) return false;
  return (
    /^\/(?:Library|System|var|private)\//.test(domain) ||
    /(?:Login|Logout)Hook|LSQuarantine|^(?:GKAutoRearm|DisableSignatureChecks)$/.test(key) ||
    operands.some((word) => /com\.apple\.(?:loginwindow|alf|TCC|security)\b/.test(word))
  );
}

/** The database of what apps may see and do; reading it is something else. */
function changesPrivacy(call: Call, args: readonly string[]): boolean {
  const text = [...args, call.stdin.kind === 'none' ? '' : (call.stdin.text ?? 'insert')].join('\n');
  return /com\.apple\.TCC\/TCC\.db/.test(text) && /\b(?:insert|update|delete|replace|drop)\b/i.test(text);
}

export const macRules: readonly Rule[] = [
  {
    id: 'host.mac',
    grade: 'dangerous',
    programs: [
      'softwareupdate',
      'pmset',
      'fdesetup',
      'profiles',
      'asr',
      'systemsetup',
      'tmutil',
      'security',
      'defaults',
      'xattr',
      'sqlite3',
      'pwpolicy',
      'mdutil',
      'bputil',
      'tccutil',
    ],
    test: changesMac,
    why: 'changes what guards or starts this Mac',
    match: [
      'fdesetup disable',
      'softwareupdate -ia --restart',
      'systemsetup -setremotelogin on',
      'sudo defaults write /Library/Preferences/com.apple.loginwindow LoginHook /x.sh',
    ],
    notMatch: [
      'fdesetup status',
      'softwareupdate -l',
      'systemsetup -getremotelogin',
      'defaults write com.apple.dock autohide -bool true',
    ],
  },
];
