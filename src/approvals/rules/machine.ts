import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const NETWORK_OPTIONS: Readonly<Record<string, string>> = {
  ip: 'f|family: n|netns:',
  nmcli: 'f|fields: g|get-values: m|mode: c|colors: e|escape: w|wait: t p s a o',
};

const IP_CHANGES = ['add', 'append', 'change', 'replace', 'delete', 'flush', 'set', 'prepend'];
const IP_LOOKS = ['address show', 'rule show', 'route show', 'neighbour show', 'netns show'];
const NM_CHANGES = [
  'up',
  'down',
  'delete',
  'modify',
  'add',
  'edit',
  'import',
  'clone',
  'connect',
  'disconnect',
  'reapply',
];
const NM_LOOKS = ['monitor m'];

/** Both programs take any beginning of a verb; where it could be two, what these two take it for. */
function shortensChange(
  [object = '', verb = '']: readonly string[],
  changes: readonly string[],
  looks: readonly string[],
): boolean {
  if (verb === '' || !changes.some((change) => change.startsWith(verb))) return false;
  return !looks.some((look) => {
    const [name, shown] = look.split(' ') as [string, string];
    return name.startsWith(object) && shown.startsWith(verb);
  });
}

function changesNetwork(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, NETWORK_OPTIONS[call.program] ?? '');
  switch (call.program) {
    case 'ip':
      return (
        hasArg(call, '-b', '-batch') ||
        shortensChange(operands, IP_CHANGES, IP_LOOKS) ||
        operands.some(
          (word, i) =>
            i > 0 &&
            /^(?:set|add|del|delete|flush|replace|change|append|exec)$/.test(word) &&
            !(word === 'exec' && operands[0] !== 'netns'),
        )
      );
    case 'ifconfig':
      return operands.length > 1 && !hasArg(call, '-a', '-l');
    case 'route':
      return operands.some((word) => /^(?:add|del|delete|flush|change)$/.test(word));
    case 'nmcli':
      return (
        shortensChange(operands, NM_CHANGES, NM_LOOKS) ||
        isVerb(operands, ['g|gen|general hostname *']) ||
        operands.some(
          (word, i) =>
            i > 0 &&
            /^(?:up|down|delete|modify|add|edit|import|clone|off|connect|disconnect|reapply|hotspot|set)$/.test(word),
        )
      );
    case 'networksetup':
      return knownArgs(call).some((arg) =>
        /^-(?:set|remove|create|add|delete|switch|order|rename|duplicate|enable|disable)/i.test(arg),
      );
    case 'resolvectl':
    case 'systemd-resolve':
      return (
        isVerb(operands, ['dns * *', 'domain * *', 'revert', 'llmnr * *', 'dnssec * *', 'default-route * *']) ||
        hasArg(call, '--set-dns')
      );
    case 'hostnamectl':
      return isVerb(operands, [
        'set-hostname',
        'hostname *',
        'set-icon-name',
        'set-chassis',
        'set-deployment',
        'set-location',
      ]);
    case 'hostname':
    case 'domainname':
      return operands.length > 0 || hasArg(call, '-F', '--file');
    case 'timedatectl':
      return isVerb(operands, ['set-time', 'set-timezone', 'set-ntp', 'set-local-rtc']);
    case 'date':
      return (
        optionsOf(call, 's|set: d|date: r|reference: f|file: u R I? v: j').has('s') ||
        (/^\d{8,12}(?:\.\d\d)?$/.test(operands[0] ?? '') && !hasArg(call, '-j'))
      );
    case 'hwclock':
      return hasArg(call, '-w', '-s', '--systohc', '--hctosys', '--set', '--adjust');
    case 'tc':
      return operands.some((word) => /^(?:add|del|delete|replace|change)$/.test(word));
    case 'rfkill':
      return isVerb(operands, ['block', 'unblock', 'toggle']);
    case 'scutil':
      return hasArg(call, '--set', '--dns-set');
    case 'ethtool':
      return knownArgs(call).some((arg) => /^-[sKACLGEfpPUNXW]$|^--(?:change|set|flash|reset)/.test(arg));
    case 'iw':
    case 'iwconfig':
      return (
        operands.length > 2 && operands.some((word) => /^(?:set|del|add|disconnect|txpower|mode|essid|key)$/.test(word))
      );
    case 'arp':
      return hasArg(call, '-d', '-s', '--delete', '--set');
    case 'localectl':
      return isVerb(operands, ['set-locale', 'set-keymap', 'set-x11-keymap']);
    case 'ifdown':
    case 'ifup':
    case 'wg-quick':
    case 'openvpn':
    case 'dhclient':
    case 'netplan':
    case 'ifdownup':
    case 'set-dnsclientserveraddress':
    case 'disable-netadapter':
    case 'enable-netadapter':
    case 'new-netipaddress':
      return call.program !== 'netplan' || isVerb(operands, ['apply', 'try', 'set']);
    case 'tailscale':
      return isVerb(operands, ['down', 'logout', 'up', 'set', 'funnel *', 'serve *', 'lock *']);
    default:
      return false;
  }
}

function changesMounts(call: Call): Hit {
  if (asksHelp(call)) return false;
  const options = optionsOf(call, 't|types: o|options: L: U: l a f i n r s v w B R M N: O:');
  switch (call.program) {
    case 'mount':
      return options.operands.length > 0 || options.has('a', 'L', 'U') || options.has('o');
    case 'mountvol':
      return call.args.length > 0;
    case 'hdiutil':
      return isVerb(operandsOf(call), [
        'detach',
        'eject',
        'unmount',
        'erasekeys',
        'resize',
        'chpass',
        'compact',
        'burn',
      ]);
    case 'diskutil':
      return isVerb(
        operandsOf(call).map((word) => word.toLowerCase()),
        [
          'unmount',
          'unmountdisk',
          'eject',
          'mount',
          'mountdisk',
          'rename',
          'enablejournal',
          'disablejournal',
          'repairdisk',
          'repairpermissions',
          'resizevolume',
          'apfs resizecontainer',
          'corestorage *',
        ],
      );
    case 'udisksctl':
      return isVerb(operandsOf(call, 'b: p:'), ['unmount', 'mount', 'power-off', 'lock', 'unlock', 'loop-delete']);
    case 'zramctl':
      return hasArg(call, '-r', '--reset', '-f', '--find');
    case 'swapon':
      return (
        call.args.length > 0 &&
        !hasArg(call, '-s', '--summary', '--show', '-V') &&
        !call.args.some((arg) => arg.text.startsWith('--show'))
      );
    default:
      return call.args.length > 0;
  }
}

function changesKernel(call: Call): Hit {
  if (asksHelp(call)) return false;
  const args = knownArgs(call);
  const operands = operandsOf(call, 'p|load? b: L: l: d: n e q r w a A f:');
  switch (call.program) {
    case 'modprobe':
      return (
        !hasArg(
          call,
          '-n',
          '--dry-run',
          '--show',
          '--show-depends',
          '-D',
          '-c',
          '--showconfig',
          '-V',
          '-R',
          '--resolve-alias',
        ) && call.args.length > 0
      );
    case 'sysctl':
      return (
        args.some((arg) => /^(?:-w|--write|-p|--load|--system)/.test(arg)) ||
        operands.some((word) => word.includes('='))
      );
    case 'kexec':
      return hasArg(call, '-l', '--load', '-p', '-u', '--unload');
    case 'efibootmgr':
      return args.some(
        (arg) =>
          /^-[a-zA-Z]*[bBcCoOnNtTaA]/.test(arg) ||
          /^--(?:create|delete|bootorder|bootnext|active|inactive|remove)/.test(arg),
      );
    case 'bcdedit':
      return args.some((arg) =>
        /^\/(?:set|delete|deletevalue|create|import|default|timeout|bootsequence|displayorder|copy)$/i.test(arg),
      );
    case 'grub-mkconfig':
    case 'grub2-mkconfig':
      return hasArg(call, '-o', '--output');
    case 'bootctl':
      return isVerb(operands, [
        'install',
        'update',
        'remove',
        'set-default',
        'set-oneshot',
        'random-seed',
        'unlink',
        'cleanup',
      ]);
    case 'nvram':
      return !hasArg(call, '-p', '-xp') && call.args.length > 0;
    case 'dkms':
      return isVerb(operands, ['remove', 'uninstall', 'unbuild']);
    case 'dmesg':
      return hasArg(call, '-C', '--clear', '-c', '--read-clear', '-D', '-E');
    case 'mokutil':
      return args.some((arg) => /^--(?:import|delete|disable|enable|password|clear|reset)/.test(arg));
    case 'fwupdmgr':
      return isVerb(operands, [
        'install',
        'update',
        'upgrade',
        'downgrade',
        'reinstall',
        'activate',
        'unlock',
        'clear-offline',
      ]);
    case 'kmutil':
    case 'kextload':
    case 'kextunload':
      return call.program !== 'kmutil' || isVerb(operands, ['load', 'unload', 'install']);
    default:
      return true;
  }
}

export const machineRules: readonly Rule[] = [
  {
    id: 'host.network',
    grade: 'dangerous',
    programs: [
      'ip',
      'ifconfig',
      'route',
      'nmcli',
      'networksetup',
      'resolvectl',
      'systemd-resolve',
      'hostnamectl',
      'hostname',
      'domainname',
      'timedatectl',
      'date',
      'hwclock',
      'tc',
      'rfkill',
      'scutil',
      'ethtool',
      'iw',
      'iwconfig',
      'arp',
      'localectl',
      'ifdown',
      'ifup',
      'wg-quick',
      'openvpn',
      'dhclient',
      'netplan',
      'set-dnsclientserveraddress',
      'disable-netadapter',
      'enable-netadapter',
      'new-netipaddress',
      'tailscale',
    ],
    test: changesNetwork,
    why: "changes the machine's network, name or clock",
    match: [
      'ip link set eth0 down',
      'ip route del default',
      'ifconfig eth0 down',
      'nmcli con down home',
      'hostnamectl set-hostname x',
      'date -s 12:00',
      'ip -4 r d default',
      'ip l s eth0 do',
      'nmcli con mod x ipv4.dns 6.6.6.6',
      'route -n delete default',
    ],
    notMatch: [
      'ip addr',
      'ip route show',
      'ifconfig -a',
      'nmcli dev status',
      'date +%F',
      'hostname',
      'timedatectl status',
      'date -d yesterday',
      'ip a s eth0',
      'ip r g 1.1.1.1',
      'nmcli -t -f NAME c s',
      'nmcli d',
    ],
  },
  {
    id: 'host.mount',
    grade: 'dangerous',
    programs: [
      'mount',
      'umount',
      'fusermount',
      'fusermount3',
      'swapoff',
      'swapon',
      'mountvol',
      'hdiutil',
      'diskutil',
      'udisksctl',
      'zramctl',
      'pivot_root',
      'mount.nfs',
      'mount.cifs',
      'mount_smbfs',
      'eject',
    ],
    test: changesMounts,
    why: 'mounts or unmounts a file system or swap',
    match: ['mount -o remount,rw /', 'umount /mnt', 'swapoff -a', 'mount /dev/sdb1 /mnt', 'diskutil unmountDisk disk2'],
    notMatch: ['mount', 'mount -l', 'mount -t ext4', 'diskutil list', 'umount --help', 'findmnt'],
  },
  {
    id: 'host.kernel',
    grade: 'dangerous',
    programs: [
      'insmod',
      'rmmod',
      'modprobe',
      'sysctl',
      'kexec',
      'efibootmgr',
      'bcdedit',
      'grub-install',
      'grub2-install',
      'update-grub',
      'grub-mkconfig',
      'grub2-mkconfig',
      'grub-set-default',
      'grub-reboot',
      'grubby',
      'bootctl',
      'nvram',
      'bless',
      'dkms',
      'dmesg',
      'mokutil',
      'fwupdmgr',
      'update-initramfs',
      'dracut',
      'mkinitcpio',
      'kmutil',
      'kextload',
      'kextunload',
      'do-release-upgrade',
      'bootsect',
      'bootrec',
      'systemd-firstboot',
      'setfont-kernel',
    ],
    test: changesKernel,
    why: 'changes the kernel, its modules or how the machine boots',
    match: [
      'insmod evil.ko',
      'modprobe -r kvm',
      'sysctl -w net.ipv4.ip_forward=1',
      'update-grub',
      'efibootmgr -b 1 -B',
      'dmesg -C',
    ],
    notMatch: [
      'lsmod',
      'modprobe --show-depends kvm',
      'sysctl -a',
      'sysctl kernel.hostname',
      'efibootmgr',
      'dmesg',
      'bootctl status',
    ],
  },
];
