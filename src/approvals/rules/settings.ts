import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
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
        hasArg(call, '-f', '--file') ||
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
    case 'setenforce':
    case 'iptables-restore':
    case 'ip6tables-restore':
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
      return args.some((arg) => /^--(?:master-disable|global-disable|add|remove|disable)$/.test(arg));
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

function changesNetwork(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 'f|family: n|netns: t|terse:');
  switch (call.program) {
    case 'ip':
      return operands.some(
        (word, i) =>
          i > 0 &&
          /^(?:set|add|del|delete|flush|replace|change|append|exec)$/.test(word) &&
          !(word === 'exec' && operands[0] !== 'netns'),
      );
    case 'ifconfig':
      return operands.length > 1 && !hasArg(call, '-a', '-l');
    case 'route':
      return operands.some((word) => /^(?:add|del|delete|flush|change)$/.test(word));
    case 'nmcli':
      return operands.some(
        (word, i) =>
          i > 0 &&
          /^(?:up|down|delete|modify|add|edit|import|clone|off|connect|disconnect|reapply|hotspot|set)$/.test(word),
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

function changesJobs(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'crontab':
      return (
        optionsOf(call, 'u: l r e i n s V T').has('r', 'e') ||
        (!hasArg(call, '-l', '-V', '-T') && (call.args.length > 0 || call.stdin.kind !== 'none')) ||
        (optionsOf(call, 'u: l r e i').operands.length > 0 && !hasArg(call, '-l', '-T'))
      );
    case 'at':
    case 'batch':
      return !hasArg(call, '-l', '-V', '-c') && (call.args.length > 0 || call.stdin.kind !== 'none');
    case 'atrm':
      return call.args.length > 0;
    case 'schtasks':
      return call.args.some((arg) => /^\/(?:create|delete|change|run|end)$/i.test(arg.text));
    default:
      return true;
  }
}

function hidesTraces(call: Call): Hit {
  switch (call.program) {
    case 'history':
      return optionsOf(call, 'c d: a n r w p s').has('c', 'd', 'w');
    case 'journalctl':
      return knownArgs(call).some((arg) => /^--(?:vacuum|rotate|flush|relinquish-var|setup-keys)/.test(arg));
    case 'wevtutil':
      return isVerb(operandsOf(call), ['cl', 'clear-log', 'sl']);
    case 'clear-eventlog':
    case 'remove-eventlog':
    case 'clear-history':
      return true;
    case 'unset':
      return hasArg(call, 'HISTFILE', 'HISTSIZE');
    case 'log':
      return operandsOf(call)[0] === 'erase';
    case 'vssadmin':
    case 'wbadmin':
      return call.args.some((arg) => /^(?:delete|resize)$/i.test(arg.text));
    case 'wmic':
      return call.args.some((arg) => /^(?:delete|call|terminate)$/i.test(arg.text));
    case 'reg':
      return call.args.some((arg) => /^(?:delete|add|import|restore|load|unload|copy)$/i.test(arg.text));
    case 'defaults':
      return isVerb(operandsOf(call), ['delete', 'delete-all', '* delete']) || hasArg(call, '-delete-all');
    case 'dconf':
      return isVerb(operandsOf(call), ['reset']) && hasArg(call, '-f');
    case 'tccutil':
      return operandsOf(call)[0] === 'reset';
    default:
      return call.program !== 'logrotate' || hasArg(call, '-f', '--force');
  }
}

export const settingRules: readonly Rule[] = [
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
    ],
  },
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
  {
    id: 'host.jobs',
    grade: 'dangerous',
    programs: [
      'crontab',
      'at',
      'batch',
      'atrm',
      'schtasks',
      'register-scheduledtask',
      'unregister-scheduledtask',
      'new-scheduledtask',
    ],
    test: changesJobs,
    why: "changes the machine's scheduled jobs",
    match: [
      'crontab -r',
      'crontab jobs.txt',
      'echo "* * * * * x" | crontab -',
      'crontab -e',
      'schtasks /create /tn x /tr y',
      'echo ls | at now',
    ],
    notMatch: ['crontab -l', 'atq', 'crontab -l -u bob', 'schtasks /query', 'at -l'],
  },
  {
    id: 'host.traces',
    grade: 'dangerous',
    programs: [
      'history',
      'journalctl',
      'wevtutil',
      'clear-eventlog',
      'remove-eventlog',
      'clear-history',
      'unset',
      'log',
      'logrotate',
      'vssadmin',
      'wbadmin',
      'wmic',
      'reg',
      'defaults',
      'dconf',
      'tccutil',
    ],
    test: hidesTraces,
    why: 'clears logs, history or stored settings',
    match: [
      'history -c',
      'journalctl --vacuum-time=1s',
      'unset HISTFILE',
      'wevtutil cl System',
      'reg delete HKCU\\\\x /f',
      'vssadmin delete shadows /all',
    ],
    notMatch: [
      'history',
      'journalctl -u ssh',
      'unset FOO',
      'wevtutil el',
      'reg query HKCU',
      'defaults read com.apple.dock',
    ],
  },
];
