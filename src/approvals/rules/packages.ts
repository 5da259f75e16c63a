import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { isLoopback } from '../shell/loopback.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const SIMULATED = ['--dry-run', '--test', '--simulate', '--just-print', '--recon', '--no-act', '--assumeno', '--print'];
/** Short options that only simulate. */
const SIMULATES: Readonly<Record<string, readonly string[]>> = {
  apt: ['-s'],
  brew: ['-n'],
  pacman: ['-p'],
  dpkg: ['-n'],
};

/** Removal verbs by package tool. Removing what a project depends on is part of building; removing from the machine is not. */
const REMOVALS: Readonly<Record<string, readonly string[]>> = {
  apt: ['remove', 'purge', 'autoremove', 'autopurge'],
  yum: ['erase', 'remove', 'autoremove', 'groupremove', 'group remove', 'history undo|rollback'],
  zypper: ['remove', 'rm', 'removelocale', 'rr', 'removerepo'],
  apk: ['del'],
  brew: ['uninstall', 'remove', 'rm', 'autoremove', 'untap', 'zap'],
  port: ['uninstall', 'reclaim'],
  snap: ['remove', 'purge'],
  flatpak: ['uninstall', 'remove', 'remote-delete'],
  pip: ['uninstall'],
  pipx: ['uninstall', 'uninstall-all'],
  uv: ['pip uninstall', 'tool uninstall', 'python uninstall'],
  conda: ['remove', 'uninstall', 'env remove'],
  mamba: ['remove', 'uninstall', 'env remove'],
  micromamba: ['remove', 'uninstall', 'env remove'],
  cargo: ['uninstall'],
  rustup: ['self uninstall', 'toolchain uninstall|remove', 'target remove', 'component remove'],
  gem: ['uninstall', 'cleanup'],
  choco: ['uninstall'],
  winget: ['uninstall', 'remove', 'rm'],
  scoop: ['uninstall'],
  opkg: ['remove'],
  xbps: [],
  pkg: ['delete', 'remove', 'autoremove'],
  pkgin: ['remove', 'autoremove'],
  emerge: [],
  guix: ['remove'],
  nvm: ['uninstall'],
  pyenv: ['uninstall'],
  rbenv: ['uninstall'],
  asdf: ['uninstall', 'plugin remove', 'plugin-remove'],
  mise: ['uninstall'],
  volta: ['uninstall'],
  mas: ['uninstall'],
  code: [],
  dotnet: ['tool uninstall'],
  go: [],
  swupd: ['bundle-remove'],
  helm: [],
};

function removesPackages(call: Call): Hit {
  if (call.program === 'pacman' && call.args.some(({ text }) => /^-R[a-z]*p/.test(text))) return false;
  if (asksHelp(call, true) || hasArg(call, ...SIMULATED, ...(SIMULATES[call.program] ?? []))) return false;
  const operands = operandsOf(call, 't: o: c: a: root: prefix: n|name: p|prefix: r: installroot: target:');
  const args = knownArgs(call);
  switch (call.program) {
    case 'npm':
    case 'pnpm':
    case 'bun':
      return (
        isVerb(operands, ['uninstall', 'remove', 'rm', 'un', 'unlink', 'r']) &&
        args.some((arg) => /^(?:-[a-zA-Z]*g|--global|--location=global)$/.test(arg))
      );
    case 'yarn':
      return isVerb(operands, ['global remove']);
    case 'dpkg':
      return args.some((arg) =>
        /^(?:-[rP]|--remove|--purge|--clear-selections|--set-selections|--force-all)$/.test(arg),
      );
    case 'rpm':
      return args.some((arg) => /^-e/.test(arg) || arg === '--erase');
    case 'pacman':
      return args.some((arg) => /^-R/.test(arg) || arg === '--remove');
    case 'emerge':
      return (
        args.some((arg) => /^(?:-[a-zA-Z]*[cC]|--unmerge|--depclean|--prune)$/.test(arg) && arg !== '--pretend') &&
        !hasArg(call, '-p', '--pretend')
      );
    case 'xbps-remove':
    case 'pkg_delete':
    case 'pkg_remove':
    case 'removepkg':
    case 'remove-package':
    case 'uninstall-package':
    case 'uninstall-module':
    case 'remove-appxpackage':
    case 'uninstall-windowsfeature':
      return true;
    case 'nix-env':
      return args.some((arg) => /^-e$|^--uninstall$/.test(arg));
    case 'nix-collect-garbage':
      return hasArg(call, '-d', '--delete-old') || args.some((arg) => arg.startsWith('--delete-older'));
    case 'nix':
      return isVerb(operands, ['profile remove', 'store delete|gc']);
    case 'code':
      return args.some((arg) => /^--uninstall-extension/.test(arg));
    case 'msiexec':
      return args.some((arg) => /^\/(?:x|uninstall)$/i.test(arg));
    case 'uninstall':
      return true;
    default:
      return isVerb(operands, REMOVALS[call.program] ?? []) || (call.program === 'apt' && hasArg(call, '--purge'));
  }
}

/** Where software comes from, and whose signatures count. */
function addsSource(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  const operands = operandsOf(call, 'o: c: keyring: keyserver: n|name: f:');
  switch (call.program) {
    case 'add-apt-repository':
    case 'apt-add-repository':
      return !hasArg(call, '-L', '--list') && call.args.length > 0;
    case 'apt-key':
      return isVerb(operands, ['add|adv|update|net-update']);
    case 'extrepo':
      return isVerb(operands, ['enable']);
    case 'rpm':
      return hasArg(call, '--import');
    case 'yum':
      return isVerb(operands, ['config-manager', 'copr enable']) && !hasArg(call, '--dump');
    case 'yum-config-manager':
      return call.args.some(({ text }) => /^--(?:add-repo|enable|setopt)/.test(text));
    case 'zypper':
      return isVerb(operands, ['addrepo|ar', 'addservice|as']);
    case 'pacman-key':
      return call.args.some(({ text }) => /^(?:-[ar]|--add|--recv-keys|--lsign-key|--populate|--init)$/.test(text));
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'pip':
      return takesUnsafe(call, isVerb(operands, ['config|c set', 'set']));
    case 'register-psrepository':
      return true;
    default:
      return false;
  }
}

const SOURCE_OPTION = /^(?:-i|--index-url|--extra-index-url|--registry)$/;

/** Such a source set for good, or given for this once. */
function takesUnsafe({ args }: Call, sets: boolean): boolean {
  return args.some(
    ({ text }, i) =>
      (sets || text.startsWith('-') || SOURCE_OPTION.test(args[i - 1]?.text ?? '')) && isUnsafeSource(text),
  );
}

/** A registry that anybody on the way can answer for, or none whose certificate counts. */
function isUnsafeSource(text: string): boolean {
  const host = /^(?:[\w.@:/-]*registry=|[\w.-]*index-url=)?http:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)/i.exec(text)?.[1];
  return host !== undefined && !isLoopback(host);
}

export const packageRules: readonly Rule[] = [
  {
    id: 'host.source',
    grade: 'dangerous',
    programs: [
      'add-apt-repository',
      'apt-add-repository',
      'apt-key',
      'extrepo',
      'rpm',
      'yum',
      'yum-config-manager',
      'zypper',
      'pacman-key',
      'npm',
      'pnpm',
      'yarn',
      'pip',
      'register-psrepository',
    ],
    test: addsSource,
    why: 'changes where the machine takes software from, or whose signatures it trusts',
    smart: true,
    match: [
      'add-apt-repository ppa:x/y',
      'apt-key add x.gpg',
      'rpm --import https://x.example/key',
      'dnf config-manager --add-repo https://x.example/x.repo',
      'zypper addrepo https://x.example x',
      'npm config set registry http://x.example',
      'pip config set global.index-url http://x.example/simple',
      'pip install --index-url http://x.example/simple a',
      'npm i --registry=http://x.example a',
    ],
    notMatch: [
      'apt-key list',
      'add-apt-repository --list',
      'rpm -qa',
      'dnf install httpd',
      'zypper lr',
      'npm config set registry https://r.example',
      'yarn config set registry http://localhost:4873',
      'pip install -i https://x.example/simple a',
    ],
  },
  {
    id: 'host.package',
    grade: 'dangerous',
    programs: [
      ...Object.keys(REMOVALS),
      'npm',
      'pnpm',
      'bun',
      'yarn',
      'dpkg',
      'rpm',
      'pacman',
      'emerge',
      'xbps-remove',
      'pkg_delete',
      'pkg_remove',
      'removepkg',
      'nix-env',
      'nix-collect-garbage',
      'nix',
      'msiexec',
      'remove-package',
      'uninstall-package',
      'uninstall-module',
      'remove-appxpackage',
      'uninstall-windowsfeature',
    ],
    test: removesPackages,
    why: 'removes software from the machine',
    smart: true,
    match: [
      'apt-get purge nginx',
      'brew uninstall node',
      'npm uninstall -g pnpm',
      'pacman -Rns base',
      'pip uninstall -y requests',
      'dpkg -P foo',
      'dnf remove httpd',
    ],
    notMatch: [
      'apt install nginx',
      'npm uninstall lodash',
      'pip list',
      'apt-get -s remove nginx',
      'brew list',
      'pacman -Syu',
      'pacman -Rp foo',
      'rpm -e --test foo',
      'dpkg -l',
      'poetry remove requests',
    ],
  },
];
