import type { Call } from '../shell/call.ts';
import { optionsOf } from '../shell/call.ts';
import { isLoopback } from '../shell/loopback.ts';
import { isProtectedRoot } from '../shell/paths.ts';
import { protectedPlace } from '../shell/places.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { targetsOf } from './targets.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

/** Tools that make keys unusable, or put in others. */
const KEY_LOSSES: VerbTable = {
  gpg: { arg: /^--delete-(?:secret-)?(?:and-public-)?keys?$|^--delete-secret-and-public-keys?$/ },
  ykman: {
    grammar: 'd|device: r|reader: l|log-level:',
    verbs: [
      'piv|fido|oath|openpgp|hsmauth|config reset',
      'otp delete',
      'oath accounts delete',
      'piv keys|certificates delete',
    ],
  },
  'fido2-token': { arg: /^-[RD]/ },
  nitropy: { verbs: ['fido2|nk3|pro|storage|nethsm reset|factory-reset'] },
  tpm2: { verbs: ['clear|evictcontrol|nvundefine|changeauth|dictionarylockout'] },
  tpm2_clear: {},
  tpm2_evictcontrol: {},
  tpm2_nvundefine: {},
  tpm2_changeauth: {},
  tpm_clear: {},
  'pkcs11-tool': { arg: /^(?:-b|--delete-object|--init-token)$/ },
  'pkcs15-init': { arg: /^(?:-E|--erase-card)/ },
  'softhsm2-util': { arg: /^--(?:delete-token|init-token)$/ },
  keytool: { arg: /^-(?:delete|changealias)$/ },
  keyctl: { verbs: ['clear|revoke|unlink|invalidate|purge|reap'] },
};

/** Whose certificates, keys and modules the machine believes. */
const TRUST: VerbTable = {
  sbctl: { verbs: ['reset|rotate-keys|enroll-keys|remove-file|import-keys'] },
  'update-ca-certificates': {},
  'update-ca-trust': { unless: /^(?:check|list)$/ },
  trust: { verbs: ['anchor'], unless: /^(?:-l|--list)$/ },
  certutil: { arg: /^-(?:A|D|M|addstore|delstore|importpfx)$/i, unless: /^-(?:L|K|dump|verify|hashfile)$/ },
  'efi-updatevar': {},
  semodule: { arg: /^-(?:[irdexEB]|-install|-remove|-disable|-enable|-disable_dontaudit)/, unless: /^-l|^--list/ },
  apparmor_parser: { arg: /^(?:-[a-zA-Z]*[RrC]|--remove|--replace|--Complain)/ },
};

function changesLabels(call: Call): Hit {
  if (asksHelp(call)) return false;
  const options = optionsOf(call, 'R|recursive r F f v n h e: t|type: u|user: l|range: o: reference: p q i');
  if (call.program === 'setcap') return inSystem(call, options.operands);
  if (call.program !== 'chcon') return !options.has('n') && inSystem(call, options.operands);
  return inSystem(call, options.has('t', 'u', 'l', 'reference') ? options.operands : options.operands.slice(1));
}

function inSystem(call: Call, fields: Parameters<typeof targetsOf>[1]): Hit {
  const hit = targetsOf(call, fields).find(
    ({ path }) => isProtectedRoot(path, call.facts) || protectedPlace(path, call.facts)?.kind === 'system',
  );
  return hit ? fieldHit(hit.field) : false;
}

/** A key that may log in here from now on. */
function admitsKey(call: Call): Hit {
  if (asksHelp(call)) return false;
  const options = optionsOf(call, 'i? f n s x p: F: o: t: h');
  const host = options.operands.findLast(({ text }) => isLoopback(text.replace(/^.*@/s, '')));
  return !options.has('n') && host ? fieldHit(host) : false;
}

export const trustRules: readonly Rule[] = [
  {
    id: 'secret.keys',
    grade: 'dangerous',
    programs: Object.keys(KEY_LOSSES),
    test: usedBy(KEY_LOSSES),
    why: 'deletes keys, which cannot be made again',
    match: ['gpg --delete-secret-keys me', 'ykman -d 1 piv reset', 'tpm2_clear'],
    notMatch: ['gpg --list-secret-keys', 'ykman piv info', 'tpm2 getrandom 8', 'keytool -list'],
  },
  {
    id: 'host.trust',
    grade: 'dangerous',
    programs: Object.keys(TRUST),
    test: usedBy(TRUST),
    why: 'changes whose certificates, keys or policies the machine trusts',
    match: [
      'sbctl reset',
      'update-ca-certificates --fresh',
      'trust anchor x.crt',
      'semodule -i x.pp',
      'apparmor_parser -R x',
    ],
    notMatch: ['sbctl status', 'trust list', 'semodule -l', 'apparmor_parser -N x', 'certutil -L -d db'],
  },
  {
    id: 'host.login',
    grade: 'dangerous',
    programs: ['ssh-copy-id'],
    test: admitsKey,
    why: 'lets a key log in to this machine',
    match: ['ssh-copy-id -i x.pub user@localhost', 'ssh-copy-id 127.0.0.1'],
    notMatch: ['ssh-copy-id me@server.example', 'ssh-copy-id -n user@localhost'],
  },
  {
    id: 'perm.label',
    grade: 'dangerous',
    programs: ['chcon', 'restorecon', 'setcap'],
    test: changesLabels,
    why: 'changes security labels or capabilities of system files',
    match: ['chcon -R -t x /etc', 'chcon a:b:c:d /usr/bin/x', 'restorecon -RF /', 'setcap -r /usr/bin/ping'],
    notMatch: ['chcon -R -t x data', 'restorecon -Rv .', 'restorecon -nRv /etc', 'setcap -r x'],
  },
];
