import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { throughLinks } from '../shell/made-links.ts';
import { isKnown, UNKNOWN } from '../shell/marks.ts';
import type { Path } from '../shell/paths.ts';
import { isBlockDevice, isInRoots } from '../shell/paths.ts';
import { COPIERS, deviceOutputs } from './device-outputs.ts';
import { asksHelp, fieldHit, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import type { Target } from './targets.ts';
import { targetsOf } from './targets.ts';
import { WRITING_PROGRAMS, writeTargets } from './write-targets.ts';

const MKFS = [
  'mkfs',
  'mkfs.ext2',
  'mkfs.ext3',
  'mkfs.ext4',
  'mkfs.xfs',
  'mkfs.btrfs',
  'mkfs.vfat',
  'mkfs.fat',
  'mkfs.msdos',
  'mkfs.exfat',
  'mkfs.ntfs',
  'mkfs.f2fs',
  'mkfs.jfs',
  'mkfs.reiserfs',
  'mkfs.minix',
  'mkfs.cramfs',
  'mkfs.bfs',
  'mkfs.nilfs2',
  'mkfs.ocfs2',
  'mkfs.udf',
  'mkfs.hfsplus',
  'mkfs.erofs',
  'mkfs.gfs2',
  'mkfs.zonefs',
  'mkfs.bcachefs',
  'mkfs.ext4dev',
  'mkfs.hfs',
  'mkfs.lustre',
  'mke2fs',
  'mkswap',
  'mkdosfs',
  'mkexfatfs',
  'mkntfs',
  'mkreiserfs',
  'mkudffs',
  'newfs',
  'newfs_apfs',
  'newfs_hfs',
  'newfs_msdos',
  'newfs_exfat',
  'newfs_udf',
  'newfs_ext2fs',
  'newfs_lfs',
  'mkfs_msdos',
  'bcachefs',
  'make-bcache',
  'format',
  'format.com',
];

function formats(call: Call): Hit {
  if (asksHelp(call) || hasArg(call, '-V', '/?')) return false;
  if (call.program === 'format') return call.args.some((arg) => /^[A-Za-z]:\\?$/.test(arg.text));
  if (call.program === 'bcachefs') return operandsOf(call)[0] === 'format';
  if (hasArg(call, '-n') && call.program.startsWith('mke2')) return false;
  if (call.program.startsWith('newfs')) return makesFileSystem(call);
  const operands = optionsOf(
    call,
    't|type: L: U: b: i: N: m: O: E: n: F c q v f K: d: s: S: l: j J: e: o: p P',
  ).operands;
  const [target] = operands;
  if (!target) return false;
  return isImageFile(call, target) ? false : fieldHit(target);
}

/** The newfs kin differ in their options; the device is the last word, or the one before a disk type. */
function makesFileSystem(call: Call): Hit {
  if (hasArg(call, '-N')) return false;
  const target = call.args.slice(-2).findLast(({ text }) => text.startsWith('/dev/') || DEVICE_NAME.test(text));
  return target ? fieldHit(target) : false;
}

/** Devices as BSD tools name them, without their folder. */
const DEVICE_NAME = /^r?(?:disk|ada|da|nvd|vtbd|wd|sd)\d+[a-z0-9]*$/;

/** A named ordinary file in the work roots: formatting it makes a disk image. */
function isImageFile(call: Call, field: Field): boolean {
  return (
    isKnown(field.text) &&
    !DEVICE_NAME.test(field.text) &&
    pathsOf(call, field).every((path) => isInRoots(path, call.facts) && !isDevice(call, path))
  );
}

function writesDevice(call: Call): Hit {
  if (asksHelp(call)) return false;
  const onDevice = ({ path }: Target) => isDevice(call, path);
  const hit = writeTargets(call).find(onDevice) ?? targetsOf(call, deviceOutputs(call)).find(onDevice);
  return hit ? fieldHit(hit.field) : false;
}

/** A device whose name is only known when it runs, for programs whose outputs `fs.protected` does not know. */
function writesSomeDevice(call: Call): Hit {
  if (asksHelp(call)) return false;
  const hit = targetsOf(call, deviceOutputs(call)).find(
    ({ path }) => path.absolute && path.parts[0] === 'dev' && path.parts[1]?.startsWith(UNKNOWN) === true,
  );
  return hit ? fieldHit(hit.field) : false;
}

function isDevice(call: Call, path: Path): boolean {
  return isBlockDevice(path) || (call.state.files.size > 0 && isBlockDevice(throughLinks(path, call.state)));
}

function imagesDisk(call: Call): Hit {
  const inputs = call.args
    .filter((arg) => arg.text.startsWith('if='))
    .map((arg) => ({ ...arg, text: arg.text.slice(3) }));
  const read = call.files.filter((file) => file.use === 'read').map((file) => file.target);
  const operands =
    call.program === 'dd'
      ? inputs
      : READS_WHOLE.has(call.program)
        ? call.args.filter((arg) => !arg.text.startsWith('-'))
        : [];
  const hit = targetsOf(call, [...operands, ...read]).find(({ path }) => isDevice(call, path));
  return hit ? fieldHit(hit.field) : false;
}

function makesNode(call: Call): Hit {
  return !asksHelp(call) && optionsOf(call, 'm|mode: Z').operands[1]?.text === 'b';
}

const READS_WHOLE = new Set([
  'cat',
  'pv',
  'gzip',
  'pigz',
  'xz',
  'zstd',
  'strings',
  'nc',
  'ddrescue',
  'dcfldd',
  'dc3dd',
  'base64',
  'cp',
  'xxd',
  'hexdump',
  'od',
  'tar',
  'partclone.dd',
  'testdisk',
  'photorec',
  'foremost',
  'head',
  'tail',
  'less',
  'grep',
  'socat',
  'fsarchiver',
]);

export const diskRules: readonly Rule[] = [
  {
    id: 'disk.format',
    grade: 'hardline',
    programs: MKFS,
    test: formats,
    why: 'makes a new file system over what is there',
    match: [
      'mkfs.ext4 /dev/sda1',
      'mkfs -t xfs /dev/sdb',
      'mkswap /dev/sdb2',
      'format C:',
      'newfs -U /dev/ada0p2',
      'newfs_hfs -v Data /dev/disk3s1',
      'ln -s /dev/sda . && mkfs.ext4 sda',
    ],
    notMatch: [
      'mkfs --help',
      'newfs -N /dev/ada0p2',
      'mkfs.ext4 disk.img',
      'mkfs_helper --version',
      'mke2fs -n /dev/sda1',
    ],
  },
  {
    id: 'disk.write',
    grade: 'hardline',
    programs: [...WRITING_PROGRAMS, ...COPIERS],
    decorated: true,
    test: writesDevice,
    why: 'writes over a whole disk or partition',
    match: [
      'dd if=a.iso of=/dev/sda',
      'cat a > /dev/sdb',
      'cp a.iso /dev/disk2',
      'tee /dev/nvme0n1 < a',
      'shred /dev/sda',
      'gunzip -c a.gz | dd of=/dev/mmcblk0',
      'dc3dd wipe=/dev/sdb',
      'fsarchiver restfs a.fsa id=0,dest=/dev/sda1',
      'socat -u FILE:a.img OPEN:/dev/sdb',
      'mknod d b 8 0; dd if=/dev/zero of=d',
      'ln -s /dev/sda d; cat a > ./d',
      'ln -s /dev d; ln -s d e; dd if=/dev/zero of=e/sda',
      `ln -s /dev/sda d; python3 -c 'open("d", "wb").write(b"x")'`,
      'lsblk -dno NAME | xargs -I{} dd if=/dev/zero of=/dev/{}',
      'for d in $(ls /sys/block); do cat z > "/dev/$d"; done',
      'lsblk -dno PATH | grep -v loop | while read -r d; do dd if=z of="$d"; done',
    ],
    notMatch: [
      'fsarchiver savefs a.fsa /dev/sda1',
      'socat -u FILE:/dev/sdb OPEN:a.img',
      'dd if=a.bin of=b.bin',
      'cat /dev/sda1',
      'echo x > /dev/null',
      'ls /dev/sda',
      'dd if=/dev/sda of=a.img',
      'ln -s /dev/null d; cat a > d',
      'ln -s /dev/shm d; dd if=a of=d/sda',
      'ln -s /dev/mapper . && dd if=a of=b',
      'lsblk -dno NAME | xargs -I{} smartctl -H /dev/{}',
      'lsblk -dno SIZE | xargs -I{} dd if=/dev/zero of=/dev/{}',
      'for d in $(ls /sys/block); do echo "$d" > "out/$d"; done',
    ],
  },
  {
    id: 'disk.unnamed',
    grade: 'dangerous',
    programs: COPIERS,
    test: writesSomeDevice,
    why: 'writes over a device whose name is only known when it runs',
    match: ['qemu-img convert -O raw a.img "/dev/$(pick)"', 'pv -o "/dev/$(pick)" a.img'],
    notMatch: ['qemu-img convert -O raw a.img "out/$(pick)"', 'qemu-img info "/dev/$(pick)"', 'pv "/dev/$(pick)"'],
  },
  {
    id: 'disk.node',
    grade: 'dangerous',
    programs: ['mknod'],
    test: makesNode,
    why: 'makes a name of its own for a disk',
    match: ['mknod d b 8 0', 'sudo mknod -m 660 /tmp/disk b 259 1'],
    notMatch: ['mknod fifo p', 'mknod null c 1 3', 'mknod --help'],
  },
  {
    id: 'disk.image',
    grade: 'dangerous',
    programs: ['dd', ...READS_WHOLE],
    decorated: true,
    test: imagesDisk,
    why: 'reads a whole disk, with everything on it',
    match: ['dd if=/dev/sda of=disk.img', 'cat /dev/sda1 > copy.img', 'gzip < /dev/sda > a.gz'],
    notMatch: ['dd if=a.img of=b.img', 'lsblk /dev/sda', 'cat /dev/urandom', 'df -h /dev/sda1'],
  },
];
