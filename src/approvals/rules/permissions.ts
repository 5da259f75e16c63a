import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { isProtectedRoot } from '../shell/paths.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { targetsOf } from './targets.ts';

const CHMOD =
  'R|recursive v c f|silent|quiet h H L P reference: preserve-root no-preserve-root dereference no-dereference changes verbose';

function opensMode(mode: string): boolean {
  if (/^[0-7]{1,5}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o002) !== 0;
  return mode.split(',').some((part) => {
    const match = /^([ugoa]*)((?:[+=-][rwxXst]*|[+=-][ugo])+)$/.exec(part);
    if (!match || !/[oa]/.test(match[1] as string)) return false;
    return /[+=][rxXst]*w/.test(match[2] as string);
  });
}

function setsId(mode: string): boolean {
  if (/^[0-7]{4,5}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o6000) !== 0;
  return mode.split(',').some((part) => /^[ugoa]*(?:[+=][rwxXt]*s|[+=][ugo].*s)/.test(part) && !/^[ugoa]*-/.test(part));
}

/** chmod's mode, also where it begins with a dash (`chmod -R -w`, `chmod -x f`). */
function modeOf(call: Call): string {
  const options = optionsOf(call, CHMOD);
  if (call.program === 'chmod') return options.has('reference') ? '' : (options.operands[0]?.text ?? '');
  const value = optionsOf(call, 'm|mode: p|parents v o: g: d D t: T S: b c C s Z').value('m');
  return value?.text ?? '';
}

function worldWritable(call: Call): Hit {
  if (asksHelp(call)) return false;
  if (call.program === 'setfacl')
    return knownArgs(call).some(
      (arg) => /(?:^|,)(?:d:|default:)?(?:o|other):*:?[r-]*w/.test(arg) || /(?:^|,)(?:o|other)::?[rx-]*w/.test(arg),
    );
  if (call.program === 'icacls' || call.program === 'cacls')
    return (
      call.args.some((arg) =>
        /^["']?(?:everyone|\*s-1-1-0|users|authenticated users|builtin\\users):.*[fmw]/i.test(arg.text),
      ) || hasArg(call, '/reset')
    );
  if (call.program === 'umask') return /^0*[0-7]?[0-7]?[0145]$/.test(call.args[0]?.text ?? '') && call.args.length > 0;
  return opensMode(modeOf(call));
}

function setsSpecialBits(call: Call): Hit {
  if (asksHelp(call)) return false;
  if (call.program === 'setcap') return !hasArg(call, '-r', '-v');
  return setsId(modeOf(call));
}

function recursiveOwner(call: Call): Hit {
  if (asksHelp(call)) return false;
  if (call.program === 'takeown') return call.args.some((arg) => /^\/r$/i.test(arg.text));
  const options = optionsOf(call, CHMOD);
  if (call.program !== 'chmod') return options.has('R');
  if (!options.has('R')) return false;
  const hit = targetsOf(call, options.operands.slice(options.has('reference') ? 0 : 1)).find(({ path }) =>
    isProtectedRoot(path, call.facts),
  );
  if (hit) return fieldHit(hit.field, 'changes the permissions of a whole system folder or home');
  return locksOut(dashedMode(call) ?? options.operands[0]?.text ?? '')
    ? { why: 'takes the right to read a whole tree from its owner' }
    : false;
}

function dashedMode(call: Call): string | undefined {
  return call.args.find(({ text }) => /^-[rwxXst]+$/.test(text))?.text;
}

/** Modes after which the owner cannot read. */
function locksOut(mode: string): boolean {
  if (/^[0-7]{1,5}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o400) === 0;
  return mode.split(',').some((part) => /^(?:[go]*[ua][ugoa]*|)(?:-[wxX]*r|=[wxXst]*$)/.test(part));
}

export const permissionRules: readonly Rule[] = [
  {
    id: 'perm.world',
    grade: 'dangerous',
    programs: ['chmod', 'install', 'mkdir', 'mkfifo', 'setfacl', 'icacls', 'cacls', 'umask'],
    test: worldWritable,
    why: 'lets everybody on the machine write',
    smart: true,
    match: [
      'chmod 777 x',
      'chmod -R a+w .',
      'chmod o=rw f',
      'chmod 0666 f',
      'mkdir -m 777 d',
      'umask 000',
      'chmod ugo+rwx f',
    ],
    notMatch: ['chmod 755 x', 'chmod +x f', 'chmod u+w f', 'chmod o-w f', 'chmod 640 f', 'umask 022', 'chmod g+w f'],
  },
  {
    id: 'perm.setid',
    grade: 'dangerous',
    programs: ['chmod', 'install', 'setcap'],
    test: setsSpecialBits,
    why: 'makes a program run with the rights of its owner',
    match: ['chmod u+s x', 'chmod 4755 x', 'chmod 2755 d', 'setcap cap_net_raw+ep x', 'install -m 4755 a b'],
    notMatch: ['chmod 0755 x', 'chmod u-s x', 'chmod 1755 d', 'setcap -r x'],
  },
  {
    id: 'perm.owner',
    grade: 'dangerous',
    programs: ['chown', 'chgrp', 'chmod', 'takeown'],
    test: recursiveOwner,
    why: 'gives a whole tree to another owner or mode',
    smart: true,
    match: [
      'chown -R root /srv',
      'chgrp --recursive www .',
      'chmod -R 755 /',
      'chown -Rh me:me d',
      'chmod -R a-rwx .',
      'chmod -R -r .',
    ],
    notMatch: ['chmod -R go-rwx d', 'chown me f', 'chmod -R u+rwX d', 'chown --help', 'chgrp staff f'],
  },
];
