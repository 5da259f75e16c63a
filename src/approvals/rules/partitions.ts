import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { asksHelp, isShortVerb, isVerb, operandsOf, verbs } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const WIPERS = [
  'wipefs',
  'sgdisk',
  'hdparm',
  'nvme',
  'badblocks',
  'cryptsetup',
  'sg_format',
  'sg_sanitize',
  'blkdiscard',
  'diskutil',
  'mdadm',
  'parted',
  'sfdisk',
  'fdisk',
  'gdisk',
  'cfdisk',
  'cgdisk',
  'scrub',
  'nwipe',
  'dban',
  'clear-disk',
  'format-volume',
  'initialize-disk',
  'remove-partition',
  'new-partition',
  'gpart',
  'zpool',
  'flashrom',
  'flash_erase',
  'flash_eraseall',
  'fastboot',
  'disklabel',
  'bsdlabel',
  'nandwrite',
  'flashcp',
  'ubiformat',
  'mtd',
  'mtd_debug',
  'sdparm',
  'geli',
  'camcontrol',
  'nvmecontrol',
  'trim',
];

function wipesDisk(call: Call): Hit {
  if (asksHelp(call) || hasArg(call, '--no-act', '--test', '-WhatIf')) return false;
  const args = knownArgs(call);
  switch (call.program) {
    case 'wipefs':
      return wipesSignatures(call);
    case 'sgdisk':
      return args.some(
        (arg) =>
          /^(?:-[ZozngGdlRAcuUthb]\S*|--(?:zap|clear|new|delete|largest|load|replicate|move|mbrtogpt|gpttombr|change|typecode|randomize|disk-guid|partition-guid|sort|attributes|hybrid|transform)\S*)$/.test(
            arg,
          ) && !/^-[lbh]$/.test(arg),
      );
    case 'hdparm':
      return args.some((arg) =>
        /^--(?:security-erase|security-erase-enhanced|trim-sector|write-sector|repair-sector|make-bad-sector|sanitize|fallocate|dco-restore|yes-i-know)/.test(
          arg,
        ),
      );
    case 'nvme':
      return isVerb(operandsOf(call), [
        'format',
        'sanitize',
        'write',
        'write-zeroes',
        'delete-ns',
        'write-uncor',
        'fw-commit',
        'dsm',
      ]);
    case 'badblocks':
      return optionsOf(call, 'b: c: d: e: i: o: p: t: f n s v w X').has('w', 'n');
    case 'cryptsetup':
      return isVerb(
        operandsOf(
          call,
          'c: h: s: i: q y type: key-file|d: cipher: key-size: hash: S|key-slot: header: label: uuid: pbkdf: iter-time: o: b:',
        ),
        ['luksFormat', 'luksErase', 'erase', 'reencrypt', 'luksHeaderRestore', 'format', 'tcryptFormat'],
      );
    case 'blkdiscard':
    case 'sg_format':
    case 'sg_sanitize':
    case 'nwipe':
    case 'scrub':
      return call.args.some((arg) => !arg.text.startsWith('-'));
    case 'diskutil':
      return isVerb(
        operandsOf(call).map((word) => word.toLowerCase()),
        [
          'erasedisk',
          'erasevolume',
          'eraseoptical',
          'secureerase',
          'zerodisk',
          'randomdisk',
          'reformat',
          'partitiondisk',
          'addpartition',
          'splitpartition',
          'mergepartitions',
          'apfs deletecontainer|deletevolume|erasevolume|deletevolumegroup',
          'ar delete',
          'appleraid delete',
          'cs delete|deletevolume',
        ],
      );
    case 'mdadm':
      return args.some((arg) => arg === '--zero-superblock' || arg === '--create' || arg === '-C');
    case 'parted':
      return partedWrites(call);
    case 'sfdisk':
      return (
        !optionsOf(call, 'l d J F s V v T g N: n').has('l', 'd', 'J', 'F', 's', 'V', 'v', 'T', 'g') &&
        !hasArg(
          call,
          '--list',
          '--dump',
          '--json',
          '--list-free',
          '--show-size',
          '--verify',
          '--list-types',
          '--show-geometry',
          '--list-free',
        ) &&
        (call.stdin.kind !== 'none' ||
          hasArg(call, '--delete', '-A', '--activate', '--wipe') ||
          args.some((arg) => /^--(?:delete|part-|disk-id|move-data|append)/.test(arg)))
      );
    case 'fdisk':
    case 'gdisk':
    case 'cfdisk':
    case 'cgdisk':
      if (call.program === 'cfdisk' && hasArg(call, '-z', '--zero')) return true;
      return (
        !listsDisks(call) &&
        call.stdin.kind !== 'none' &&
        call.stdin.text !== '' &&
        (call.stdin.text === null || /(?:^|\n|\\n|\s)[wWy](?:$|\n|\\n|\s)/.test(call.stdin.text))
      );
    case 'clear-disk':
    case 'format-volume':
    case 'initialize-disk':
    case 'remove-partition':
    case 'new-partition':
      return true;
    case 'gpart':
      return isVerb(operandsOf(call), ['destroy', 'create', 'delete', 'add', 'bootcode', 'modify', 'restore']);
    case 'disklabel':
    case 'bsdlabel':
      return args.some((arg) => /^-[a-zA-Z]*[wRB]/.test(arg));
    case 'mtd':
    case 'mtd_debug':
      return isVerb(operandsOf(call), ['erase', 'write']);
    case 'sdparm':
      return args.some((arg) => /^(?:--command=|-C=?)?(?:sanitize|format)$/.test(arg));
    case 'geli':
      return isVerb(operandsOf(call, 'e: l: s: K: J: B: i: a: V:'), ['init', 'onetime', 'kill', 'restore']);
    case 'camcontrol':
      return (
        isVerb(operandsOf(call), ['format|sanitize']) ||
        (isVerb(operandsOf(call), ['security']) && hasArg(call, '-e', '-h'))
      );
    case 'nvmecontrol':
      return isVerb(operandsOf(call), ['format|sanitize']);
    case 'trim':
      return hasArg(call, '-f');
    case 'nandwrite':
    case 'flashcp':
    case 'ubiformat':
    case 'flash_erase':
    case 'flash_eraseall':
      return true;
    case 'flashrom':
      return hasArg(call, '-w', '-E', '--write', '--erase');
    case 'fastboot':
      return isVerb(operandsOf(call, 's:'), ['erase', 'format', 'flash', 'flashall', 'oem unlock', 'flashing unlock']);
    default:
      return false;
  }
}

function wipesSignatures(call: Call): boolean {
  const options = optionsOf(call, 'a|all o|offset: f|force q|quiet b|backup? t|types: p|parsable J n|no-act O:');
  return options.has('a', 'o') && !options.has('n');
}

const PARTED_WRITES =
  /^(?:mklabel|mktable|mkpart|mkpartfs|mkfs|rm|cp|move|set|name|toggle|disk_set|disk_toggle|rescue)$/;

/** Commands on its input that only show, with their words. */
const PARTED_READS = new Set([
  '',
  'p',
  'print',
  'unit',
  'q',
  'quit',
  'help',
  'list',
  'all',
  'free',
  'devices',
  's',
  'B',
  'MiB',
  'GiB',
]);

/** Resizing is asked; the rest of what changes a table is never run. */
function partedWrites(call: Call): boolean {
  const operands = operandsOf(call, 'a|align: s|script m f l j');
  const given = operands.length > 1 ? operands.slice(1) : [call.stdin.kind === 'none' ? '' : (call.stdin.text ?? '')];
  return given.flatMap((text) => text.split(/\s+/)).some((word) => PARTED_WRITES.test(word));
}

function listsDisks(call: Call): boolean {
  return hasArg(call, '-l', '--list', '-x', '--list-details', '-V', '--version', '-v', '-s', '--getsz', '-h');
}

function opensDisk(call: Call): Hit {
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 'n: L: l: s: size: e|extents: o: t: v');
  switch (call.program) {
    case 'fdisk':
    case 'gdisk':
    case 'cfdisk':
    case 'cgdisk':
    case 'sfdisk':
      return (
        !listsDisks(call) && !hasArg(call, '-d', '--dump', '-J') && (operands.length > 0 || /^c/.test(call.program))
      );
    case 'parted':
      return operands.length === 1 && !hasArg(call, '-l', '--list')
        ? call.stdin.kind === 'none' ||
            call.stdin.text === null ||
            !call.stdin.text.split(/\s+/).every((word) => PARTED_READS.has(word))
        : operands.slice(1).some((word) => /^(?:resizepart|resize|check)\b/.test(word));
    case 'diskpart':
      return true;
    case 'zpool':
    case 'zfs':
      return changesPool(call);
    case 'btrfs':
      return !asksHelp(call, true) && !hasArg(call, '--dry-run') && isShortVerb(operandsOf(call), BTRFS_CHANGES);
    case 'mdadm':
      return hasArg(call, '--stop', '-S', '--fail', '-f', '--remove', '-r', '--grow', '-G', '--assemble', '-A');
    case 'cryptsetup':
      return verbs(call, 'c: h: s: q type: d|key-file: S:', [
        'luksKillSlot',
        'luksRemoveKey',
        'luksAddKey',
        'luksChangeKey',
        'luksSuspend',
        'close',
        'luksClose',
        'remove',
        'resize',
        'config',
        'luksUUID *',
      ]);
    case 'fsfreeze':
      return hasArg(call, '-f', '--freeze');
    case 'tune2fs':
    case 'debugfs':
    case 'xfs_admin':
    case 'resize2fs':
    case 'xfs_growfs':
    case 'growpart':
    case 'e2label':
    case 'swaplabel':
    case 'partprobe':
    case 'kpartx':
    case 'dmsetup':
    case 'losetup':
      return tunesDisk(call, operands);
    case 'multipath':
      return hasArg(call, '-F', '-f');
    case 'lvm':
      return LVM_CHANGES.includes(operands[0] ?? '') && !rehearses(call);
    case 'diskutil':
      return isVerb(
        operands.map((word) => word.toLowerCase()),
        ['apfs deletesnapshot|changepassphrase|encryptvolume|decryptvolume|addvolume|eraseallsnapshots'],
      );
    case 'stratis':
      return isVerb(operands, ['pool destroy|create|rename', 'filesystem|fs destroy|create|rename']);
    case 'gpart':
      return verbs(call, '', ['resize|set|unset|recover|rename|commit|undo']);
    case 'glabel':
      return verbs(call, '', ['label|create|clear|destroy|stop']);
    case 'growfs':
      return !hasArg(call, '-N');
    case 'drbdadm':
      return isVerb(operands, [DRBD_CHANGES]) && !hasArg(call, '-d', '--dry-run');
    case 'systemd-cryptenroll':
      return call.args.some(({ text }) => text.startsWith('--wipe-slot'));
    default:
      return CHECKERS.includes(call.program) ? repairs(call) : !rehearses(call);
  }
}

const BTRFS_CHANGES = [
  'subvolume delete|set-default',
  'device delete|remove',
  'filesystem resize',
  'balance start',
  'check *',
  'rescue *',
  'replace start',
  'quota disable',
];

const DRBD_CHANGES = 'down|invalidate|invalidate-remote|secondary|primary|disconnect|detach|create-md|wipe-md';

const LVM_CHANGES = [
  'lvremove',
  'vgremove',
  'pvremove',
  'lvreduce',
  'lvresize',
  'lvextend',
  'vgreduce',
  'vgextend',
  'pvresize',
  'lvconvert',
  'vgcfgrestore',
  'pvmove',
  'lvcreate',
  'vgcreate',
  'pvcreate',
  'vgexport',
  'vgchange',
  'lvchange',
  'lvrename',
  'vgrename',
];

/** The volume tools say what they would do and leave it. */
function rehearses(call: Call): boolean {
  return hasArg(call, '-t', '--test');
}

const CHECKERS = [
  'fsck',
  'e2fsck',
  'xfs_repair',
  'ntfsfix',
  'dosfsck',
  'reiserfsck',
  'jfs_fsck',
  ...[
    'ext2',
    'ext3',
    'ext4',
    'vfat',
    'fat',
    'msdos',
    'xfs',
    'f2fs',
    'exfat',
    'jfs',
    'reiserfs',
    'minix',
    'hfsplus',
  ].map((kind) => `fsck.${kind}`),
  ...['apfs', 'hfs', 'msdos', 'exfat', 'ffs', 'ufs'].map((kind) => `fsck_${kind}`),
];

function repairs(call: Call): boolean {
  const looks = call.args.some(({ text }) => /^-[a-zA-Z]*[nNV]/.test(text));
  return !looks && call.args.some(({ text }) => !text.startsWith('-'));
}

const POOL_CHANGES = [
  'destroy',
  'rollback',
  'labelclear',
  'offline',
  'detach',
  'remove',
  'export',
  'replace',
  'split',
  'create',
  'upgrade',
  'unload-key',
  'promote',
  'inherit',
  'attach',
  'add',
  'initialize',
  'unmount',
  'umount',
  'set',
];

function changesPool(call: Call): boolean {
  const list = call.program === 'zpool' ? POOL_CHANGES : POOL_CHANGES.filter((verb) => verb !== 'create');
  const [verb] = operandsOf(call, 'o: O: t: n');
  if (verb === 'receive' || verb === 'recv') return call.args.some(({ text }) => /^-[a-zA-Z]*F/.test(text));
  const dry = call.args.some(({ text }) => /^-[a-zA-Z]*n[a-zA-Z]*$/.test(text));
  return !dry && verbs(call, 'o: O: t: n', list);
}

function tunesDisk(call: Call, operands: readonly string[]): boolean {
  if (call.program === 'tune2fs') return !hasArg(call, '-l');
  if (call.program === 'debugfs') return hasArg(call, '-w');
  if (call.program === 'dmsetup')
    return isVerb(operands, ['remove', 'remove_all', 'wipe_table', 'suspend', 'create', 'load', 'clear', 'rename']);
  if (call.program === 'losetup') return hasArg(call, '-d', '-D', '--detach', '--detach-all');
  if (call.program === 'e2label' || call.program === 'swaplabel') return operands.length > 1;
  if (call.program === 'growpart') return !hasArg(call, '-N', '--dry-run');
  return operands.length > 0 && call.program !== 'partprobe' && !(call.program === 'kpartx' && hasArg(call, '-l'));
}

export const partitionRules: readonly Rule[] = [
  {
    id: 'disk.wipe',
    grade: 'hardline',
    programs: WIPERS,
    test: wipesDisk,
    why: 'erases a disk or its partition table',
    match: [
      'wipefs -a /dev/sda',
      'sgdisk --zap-all /dev/sda',
      'parted /dev/sda mklabel gpt',
      "echo 'mklabel gpt' | parted /dev/sda",
      'cfdisk --zero /dev/sda',
      'cryptsetup luksFormat /dev/sdb',
      'blkdiscard /dev/sda',
      'hdparm --user-master u --security-erase p /dev/sda',
      'diskutil eraseDisk APFS X disk2',
      'sfdisk /dev/sda < layout',
      'disklabel -w sd0',
      'nandwrite -p /dev/mtd1 a.bin',
      'camcontrol sanitize da1 -a block',
      'nvmecontrol format -E nvme0ns1',
      'trim -f /dev/da1',
    ],
    notMatch: [
      'disklabel sd0',
      'mtd_debug info /dev/mtd0',
      'wipefs /dev/sda',
      'sgdisk -p /dev/sda',
      'parted /dev/sda print',
      'cryptsetup status x',
      'diskutil list',
      'sfdisk -d /dev/sda',
      'fdisk -l',
      'nvme list',
      'camcontrol devlist',
      'nvmecontrol identify nvme0',
    ],
  },
  {
    id: 'disk.manage',
    grade: 'dangerous',
    programs: [
      'fdisk',
      'gdisk',
      'cfdisk',
      'cgdisk',
      'sfdisk',
      'parted',
      'gparted',
      'diskpart',
      'zpool',
      'zfs',
      'btrfs',
      'mdadm',
      'cryptsetup',
      'lvm',
      ...LVM_CHANGES,
      ...CHECKERS,
      'diskutil',
      'stratis',
      'drbdadm',
      'gpart',
      'glabel',
      'growfs',
      'fsfreeze',
      'systemd-cryptenroll',
      'tune2fs',
      'debugfs',
      'xfs_admin',
      'resize2fs',
      'xfs_growfs',
      'growpart',
      'e2label',
      'kpartx',
      'dmsetup',
      'losetup',
      'multipath',
      'resize-partition',
      'set-disk',
    ],
    test: opensDisk,
    why: 'changes partitions, volumes or pools',
    match: [
      'lvremove -f vg/data',
      'zpool destroy tank',
      'fdisk /dev/sda',
      'parted /dev/sda resizepart 1 50GB',
      'btrfs subvolume delete /snap',
      'resize2fs /dev/sda1',
      'lvm lvremove vg0/x',
      'systemd-cryptenroll --wipe-slot=all /dev/sda3',
      'btrfs su de /mnt/x',
      'fsck.ext4 -p /dev/sda1',
      'zfs receive -F tank/x < s',
      'gpart resize -i 2 da0',
      'growfs -y /dev/ada0p2',
    ],
    notMatch: [
      'zfs destroy -nv tank/home@old',
      'lvremove --test vg0/x',
      'btrfs su l /mnt',
      'fsck.ext4 -fn /dev/sda1',
      'zpool status',
      'fdisk -l',
      'parted -l',
      'echo print | parted /dev/sda',
      'btrfs filesystem show',
      'lvs',
      'zfs list',
      'tune2fs -l /dev/sda1',
      'gpart show da0',
      'growfs -N /dev/ada0p2',
    ],
  },
];
