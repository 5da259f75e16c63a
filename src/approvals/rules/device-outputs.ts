import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { byName } from '../shell/lookup.ts';
import { operandsOf } from './matching.ts';
import { operands, type Pick, values } from './picks.ts';

const ERASERS: Pick = operands('n|iterations: s|size: u v x z f p|pattern: o|offset: l|length: k');
const RESTORES: Pick = values('o|output: O|overwrite: s|source: c r d', 'o', 'O');
const INSTALLS: Pick = (call) => call.args.filter(({ text }) => text.includes('/'));

/** Words of the form `key=path`, `key=path,key=path` or `OPEN:path` that name an output. */
function assigned(keys: RegExp): Pick {
  return (call) =>
    call.args.flatMap((arg) =>
      arg.text
        .split(',')
        .filter((part) => keys.test(part))
        .map((part) => ({ ...arg, text: part.replace(keys, '') })),
    );
}

/** The address that is written to: the second with `-u`, the first with `-U`, else both. */
function socatOutputs(call: Call): readonly Field[] {
  const options = optionsOf(call, 'd D h v x u U s t: T: b: l: L: W: g');
  const [from, to] = options.operands.slice(-2);
  const written = [options.has('u') ? undefined : from, options.has('U') ? undefined : to];
  return written.flatMap((field) =>
    field
      ? [{ ...field, text: field.text.replace(/^(?:open|file|gopen|create|creat):/i, '').replace(/,.*$/, '') }]
      : [],
  );
}

/** Outputs of programs that copy or erase, beyond what `writeTargets` knows. */
const OUTPUTS = byName<Pick>({
  dcfldd: assigned(/^(?:of|hof)=/),
  dc3dd: assigned(/^(?:of|hof|wipe|hwipe)=/),
  sg_dd: assigned(/^of=/),
  fsarchiver: assigned(/^dest=/),
  ddrescue: (call) => optionsOf(call, 'b: c: d f n r: s: v').operands.slice(1, 2),
  dd_rescue: (call) => call.args.slice(-1),
  xfs_copy: (call) => optionsOf(call, 'b d L: ').operands.slice(1),
  'qemu-img': (call) => (operandsOf(call, 'f: O: o: p c')[0] === 'convert' ? call.args.slice(-1) : []),
  pv: values('o|output: s: L: p t e r b', 'o'),
  bmaptool: (call) => (operandsOf(call)[0] === 'copy' ? call.args.slice(-1) : []),
  socat: socatOutputs,
  asr: (call) =>
    hasArg(call, '--erase') ? call.args.filter((_, i) => /^-{1,2}target$/.test(call.args[i - 1]?.text ?? '')) : [],
  partimage: (call) => (operandsOf(call)[0] === 'restore' ? call.args : []),
  ntfsclone: (call) => optionsOf(call, 'o|output: O|overwrite: s|save-image r|restore-image f|force').values('O'),
  'coreos-installer': (call) => (operandsOf(call)[0] === 'install' ? INSTALLS(call) : []),
  'flatcar-install': values('d: C: V: i: b: f: o:', 'd'),
  'rpi-imager': INSTALLS,
  woeusb: INSTALLS,
  ventoy: INSTALLS,
  'Ventoy2Disk.sh': INSTALLS,
  shred: ERASERS,
  wipe: ERASERS,
  scrub: ERASERS,
  srm: ERASERS,
  nwipe: ERASERS,
  blkdiscard: ERASERS,
  ...Object.fromEntries(
    ['restore', 'dd', 'ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'ntfs', 'vfat', 'fat32', 'exfat'].map((kind) => [
      `partclone.${kind}`,
      RESTORES,
    ]),
  ),
});

export const COPIERS: readonly string[] = [...OUTPUTS.keys()];

export function deviceOutputs(call: Call): readonly Field[] {
  return OUTPUTS.get(call.program)?.(call) ?? [];
}
