import { type Call, optionsOf, pathsOf } from './call.ts';
import { byName } from './lookup.ts';
import { UNKNOWN } from './marks.ts';
import { formatPath } from './paths.ts';

const NAMES = `sd${UNKNOWN}\n`;
const PATHS = `/dev/sd${UNKNOWN}\n`;

const LSBLK =
  'a|all b|bytes D|discard d|nodeps e|exclude: f|fs i|ascii I|include: J|json l|list M|merge m|perms n|noheadings o|output: O|output-all p|paths P|pairs r|raw S|scsi s|inverse t|topology x|sort: z|zoned T|tree? w|width: y|shell';

type Names = (call: Call) => string | undefined;

/** Programs that take some of the lines they read. */
const pass: Names = (call) => (call.stdin.text === NAMES || call.stdin.text === PATHS ? call.stdin.text : undefined);

const PRINTERS = byName<Names>({
  lsblk: (call) => {
    const options = optionsOf(call, LSBLK);
    const column = /^\+?([A-Za-z]+)/.exec(options.value('o')?.text ?? 'NAME')?.[1]?.toUpperCase();
    if (options.has('J', 'P', 'y')) return undefined;
    if (column === 'PATH' || (column === 'NAME' && options.has('p'))) return PATHS;
    return column === 'NAME' || column === 'KNAME' || column === 'PKNAME' ? NAMES : undefined;
  },
  ls: (call) => {
    const places = call.args.flatMap((arg) => (arg.text.startsWith('-') ? [] : pathsOf(call, arg).map(formatPath)));
    if (places.length === 0) return undefined;
    if (places.every((place) => place === '/sys/block' || place === '/sys/class/block')) return NAMES;
    return places.every((place) => /^\/dev\/(?:sd|nvme|vd|hd|r?disk)/.test(place)) ? PATHS : undefined;
  },
  awk: (call) => (/^\s*\{\s*print\s+\$1\s*\}\s*$/.test(call.args.at(-1)?.text ?? '') ? pass(call) : undefined),
  grep: (call) =>
    call.args.some(({ text }) => /^-[a-zA-Z]*[coqlL]|^--(?:count|only|quiet)/.test(text)) ? undefined : pass(call),
  ...Object.fromEntries(['head', 'tail', 'sort', 'uniq', 'tac', 'shuf'].map((name) => [name, pass])),
});

/** What a listing of disks prints: the beginning of one name tells what it is, the rest is unknown. */
export function diskNames(call: Call): string | undefined {
  return PRINTERS.get(call.program)?.(call);
}
