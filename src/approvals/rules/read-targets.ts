import type { Call } from '../shell/call.ts';
import { optionsOf, remember } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { WGET_OPTIONS } from '../shell/file-effects.ts';
import { inlineCode } from '../shell/inline-code.ts';
import { sedFiles } from '../shell/script-commands.ts';
import { copySources, type Target, targetsOf, transferOperands } from './targets.ts';

const READERS = new Set([
  'cat',
  'tac',
  'less',
  'more',
  'head',
  'tail',
  'bat',
  'nl',
  'grep',
  'rg',
  'ag',
  'ack',
  'sed',
  'awk',
  'cut',
  'sort',
  'uniq',
  'tr',
  'paste',
  'join',
  'comm',
  'diff',
  'cmp',
  'colordiff',
  'vimdiff',
  'cp',
  'mv',
  'install',
  'ln',
  'scp',
  'rsync',
  'tar',
  'zip',
  '7z',
  '7za',
  'rar',
  'cpio',
  'pax',
  'gzip',
  'bzip2',
  'xz',
  'zstd',
  'dd',
  'base64',
  'base32',
  'xxd',
  'od',
  'hexdump',
  'hd',
  'strings',
  'rev',
  'fold',
  'fmt',
  'pr',
  'column',
  'expand',
  'jq',
  'yq',
  'xmllint',
  'vim',
  'nano',
  'emacs',
  'code',
  'micro',
  'ed',
  'open',
  'xdg-open',
  'pbcopy',
  'xclip',
  'xsel',
  'wl-copy',
  'clip',
  'split',
  'csplit',
  'shuf',
  'tee',
  'pv',
  'gpg',
  'mail',
  'mailx',
  'mutt',
  'sendmail',
  'nc',
  'socat',
  'rclone',
  'gsutil',
  'lpr',
  'lp',
  'enscript',
  'iconv',
  'dos2unix',
  'look',
  'source',
  '.',
  'highlight',
  'pygmentize',
  'glow',
  'mdcat',
  'view',
  'zcat',
  'zgrep',
  'get-content',
  'gc',
  'type',
  'copy',
  'copy-item',
  'move-item',
  'certutil',
  'ul',
  'unexpand',
  'ptx',
  'tsort',
  'hexyl',
  'most',
  'date',
  'arp',
  'as',
  'nmap',
  'wget',
  'curl',
  'msgattrib',
  'uudecode',
  'redcarpet',
  'soelim',
  'troff',
  'nroff',
  'eqn',
  'tbl',
  'pic',
  'cowsay',
  'dialog',
  'whiptail',
  'readelf',
  'ss',
  'update-alternatives',
  'qrencode',
  'puttygen',
  'ssh2john',
  'john',
  'sqlite3',
  'plutil',
  'hashcat',
  'uuencode',
  'xargs',
  'python',
  'perl',
  'ruby',
  'node',
  'php',
  'lua',
]);

/** Programs that show, copy or send on what they read. */
export const READING_PROGRAMS: readonly string[] = [...READERS];

/** Paths whose content the call would show, copy or send on. Unknown programs do not count: a name is no reading. */
export function readTargets(call: Call): readonly Target[] {
  return remember(call, readTargets, () => readsOf(call));
}

/** As `readTargets`, without what `find` puts in: its names are judged by where and what it looks for (tree-reads.ts). */
export function knownReads(call: Call): readonly Target[] {
  const targets = readTargets(call);
  return call.frame.found ? targets.filter(({ field }) => !field.expanded) : targets;
}

function readsOf(call: Call): readonly Target[] {
  const redirected = call.files.filter((file) => file.use === 'read').map((file) => file.target);
  return targetsOf(call, READERS.has(call.program) ? [...redirected, ...readOperands(call)] : redirected);
}

export function readOperands(call: Call): readonly Field[] {
  switch (call.program) {
    case 'cp':
    case 'mv':
    case 'install':
    case 'scp':
    case 'rsync':
      return transferOperands(call).slice(0, -1);
    case 'ln':
      return copySources(call);
    case 'sed':
      return [...afterPattern(call), ...sedFiles(call, 'read')];
    case 'grep':
    case 'rg':
    case 'ag':
    case 'ack':
    case 'zgrep':
    case 'awk':
    case 'jq':
    case 'yq':
      return afterPattern(call);
    case 'curl':
    case 'wget':
      return localUrls(call);
    case 'dd':
      return call.args.filter((arg) => arg.text.startsWith('if=')).map((arg) => ({ ...arg, text: arg.text.slice(3) }));
    case 'tee':
    case 'tr':
      return [];
    case 'xargs':
      return optionsOf(call, 'a|arg-file: I: J: L: n: P: s: d: E: 0 r t x i? l? e?', { stop: true }).values('a');
    case 'python':
    case 'perl':
    case 'ruby':
    case 'node':
    case 'php':
    case 'lua':
      return givenToCode(call);
    default:
      return call.args
        .map((arg) =>
          /^--?[\w-]+=/.test(arg.text) ? { ...arg, text: arg.text.slice(arg.text.indexOf('=') + 1) } : arg,
        )
        .filter((arg) => !arg.text.startsWith('-'));
  }
}

/** What inline code is given as words, it reads: `perl -ne print file`. */
function givenToCode(call: Call): readonly Field[] {
  const { texts, stdin } = inlineCode(call);
  return texts.length > 0 || (stdin && call.args.length > 0)
    ? call.args.filter((arg) => !arg.text.startsWith('-') && !texts.includes(arg))
    : [];
}

/** `file:///path`, and a file of addresses (`wget -i`). */
function localUrls(call: Call): readonly Field[] {
  const urls = call.args.filter((arg) => /^file:\/\//i.test(arg.text));
  const lists = call.program === 'wget' ? optionsOf(call, WGET_OPTIONS).values('i') : [];
  return [...urls.map((arg) => ({ ...arg, text: arg.text.replace(/^file:\/\/(?:localhost)?/i, '') })), ...lists];
}

/** The operands behind a pattern or script. */
function afterPattern(call: Call): readonly Field[] {
  const options = optionsOf(
    call,
    'e|regexp|expression: f|file: A|after-context: B|before-context: C|context: m|max-count: g|glob: t|type: T: F: v|assign: exclude: include: exclude-dir: color? r R n i l c o w x E P q s h H L z a arg: args: slurpfile: rawfile: argjson:',
  );
  return options.has('e', 'f') && call.program !== 'jq' ? options.operands : options.operands.slice(1);
}
