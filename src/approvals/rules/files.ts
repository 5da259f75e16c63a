import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { deletesFound, findRoots } from '../shell/find-words.ts';
import { isFresh } from '../shell/fresh-names.ts';
import { hasGlob, hasUnknown, isKnown } from '../shell/marks.ts';
import type { Options } from '../shell/options.ts';
import { isBlockDevice, isInRoots, isProtectedRoot, isUnknownPath } from '../shell/paths.ts';
import { protectedPlace, secretAt } from '../shell/places.ts';
import { asksHelp, fieldHit, operandsOf } from './matching.ts';
import { packed } from './packed-trees.ts';
import type { Hit, Rule } from './rule.ts';
import type { Target } from './targets.ts';
import { RM_OPTIONS, targetsOf } from './targets.ts';
import { removesWindows, WINDOWS_REMOVERS, wipesWindows } from './windows.ts';
import { WRITING_PROGRAMS, writeTargets } from './write-targets.ts';

/** Paths that a call removes with everything below, and whether it removes without a way back. */
interface Removal {
  readonly fields: readonly Field[];
  readonly recursive: boolean;
  /** Options that make an `rm` of a protected root more than an error message. */
  readonly forced: boolean;
}

const RSYNC =
  'e|rsh: exclude: include: filter|f: files-from: exclude-from: include-from: rsync-path: chmod: chown: partial-dir: backup-dir: log-file: T|temp-dir: password-file: port: bwlimit: B: M: n|dry-run delete delete-before delete-during|del delete-delay delete-after delete-excluded delete-missing-args ignore-errors force max-delete: remove-source-files';

function removalOf(call: Call): Removal | null {
  if (asksHelp(call)) return null;
  switch (call.program) {
    case 'rm':
      return rm(call);
    case 'srm':
    case 'rimraf':
    case 'del-cli':
    case 'rmrf':
      return {
        fields: optionsOf(call, 'g|glob v f r R max-retries: preserve-root').operands,
        recursive: true,
        forced: true,
      };
    case 'unlink':
      return { fields: optionsOf(call, '').operands, recursive: false, forced: call.frame.found };
    case 'wipe':
    case 'shred':
      return {
        fields: optionsOf(call, 'n|iterations: s|size: u v x z f|force r remove? random-source: q i l: p: P: S: k')
          .operands,
        recursive: true,
        forced: true,
      };
    case 'find':
      return deletesFound(call) ? { fields: findRoots(call), recursive: true, forced: true } : null;
    case 'rsync':
      return rsync(call);
    case 'tar': {
      const fields = (hasArg(call, '--remove-files') && packed(call)?.roots) || [];
      return fields.length > 0 ? { fields, recursive: true, forced: true } : null;
    }
    default:
      return null;
  }
}

/** With any of these a person meant it. */
const RM_NAMED = 'r f i I d v interactive one-file-system no-preserve-root preserve-root P W x'.split(' ');

function rm(call: Call): Removal {
  const options = optionsOf(call, RM_OPTIONS);
  return {
    fields: options.operands,
    recursive: options.has('r'),
    forced: options.has(...RM_NAMED) || options.unknown || call.frame.found,
  };
}

function rsync(call: Call): Removal | null {
  const options = optionsOf(call, RSYNC);
  if (!deletes(options) || options.has('n')) return null;
  const last = options.operands.at(-1);
  return last ? { fields: [last], recursive: true, forced: true } : null;
}

function deletes(options: Options): boolean {
  return options.has(
    'delete',
    'delete-before',
    'delete-during',
    'delete-delay',
    'delete-after',
    'delete-excluded',
    'delete-missing-args',
  );
}

function wipes(call: Call): Hit {
  const removal = removalOf(call);
  if (!removal?.forced) return wipesWindows(call);
  const hit = targetsOf(call, removal.fields).find(({ path }) => isProtectedRoot(path, call.facts));
  return hit ? fieldHit(hit.field) : wipesWindows(call);
}

function removes(call: Call): Hit {
  const removal = removalOf(call);
  if (!removal) return removesOtherwise(call) || removesWindows(call);
  if (removal.recursive)
    return removal.fields.length > 0 || call.program === 'find' || call.frame.appended
      ? firstHit(removal.fields)
      : false;
  const open = removal.fields.find((field) => isRisky(call, field));
  return open ? fieldHit(open, whyRisky(call, open)) : false;
}

function firstHit(fields: readonly Field[]): Hit {
  const [first] = fields;
  return first ? fieldHit(first) : true;
}

function isRisky(call: Call, field: Field): boolean {
  if (!isKnown(field.text)) return !isFresh(call, field);
  return pathsOf(call, field).some(
    (path) =>
      !isInRoots(path, call.facts) || protectedPlace(path, call.facts) !== null || secretAt(path, call.facts) !== null,
  );
}

function whyRisky(call: Call, field: Field): string {
  if (hasUnknown(field.text)) return 'deletes what is only known when it runs';
  if (hasGlob(field.text)) return 'deletes every file a pattern matches';
  return pathsOf(call, field).some(isUnknownPath)
    ? 'deletes a file in a folder that is only known when it runs'
    : 'deletes a file outside the work folders or one that is protected';
}

/** Programs that lose files without being made for it. */
function removesOtherwise(call: Call): Hit {
  switch (call.program) {
    case 'truncate':
      return !asksHelp(call) && optionsOf(call, 's|size: r|reference: c o').has('s', 'r');
    case 'tar':
      return hasArg(call, '--remove-files') || call.args.some((arg) => arg.text.startsWith('--remove-f'));
    case 'zip':
      return optionsOf(call, 'r m|move q j 9 x: i: u f d P: e y o n: b: t: s:').has('m');
    case '7z':
    case '7za':
    case '7zz':
      return hasArg(call, '-sdel');
    case 'rar':
      return ['m', 'mf'].includes(operandsOf(call)[0] ?? '') || hasArg(call, '-df', '-dr', '-dw');
    case 'rsync':
      return optionsOf(call, RSYNC).has('remove-source-files') && !optionsOf(call, RSYNC).has('n');
    case 'rclone':
      return (
        ['delete', 'deletefile', 'purge', 'rmdirs', 'sync', 'move', 'moveto', 'cleanup', 'dedupe', 'bisync'].includes(
          operandsOf(call, 'config: transfers: P v')[0] ?? '',
        ) && !hasArg(call, '--dry-run', '-n', '--help', '-i', '--interactive')
      );
    case 'trash-empty':
    case 'trash-rm':
      return !asksHelp(call) && !hasArg(call, '--dry-run');
    case 'gio':
      return operandsOf(call)[0] === 'trash' && hasArg(call, '--empty');
    case 'bleachbit':
      return hasArg(call, '-c', '--clean', '-s', '--shred');
    case 'tmutil':
      return ['delete', 'deletelocalsnapshots', 'deleteinprogress', 'disable'].includes(operandsOf(call)[0] ?? '');
    case 'mv':
      return optionsOf(call, 't: f n i v').operands.at(-1)?.text === '/dev/null';
    default:
      return overwritesWithNothing(call);
  }
}

const EMPTY_SOURCES = new Set(['/dev/null', '/dev/zero', '/dev/urandom', '/dev/random', '/dev/full']);

/** Copies nothing, zeros or noise over a file. */
function overwritesWithNothing(call: Call): Hit {
  const texts = call.args.map((arg) => arg.text);
  if (call.program === 'cp' || call.program === 'install' || call.program === 'rsync')
    return texts.slice(0, -1).includes('/dev/null');
  if (call.program === 'dd') return ddOverwrites(call, texts);
  const write = call.files.find(
    (file) => file.use === 'write' && (file.fd === 1 || file.fd === null) && !file.target.text.startsWith('/dev/'),
  );
  if (!write) return false;
  if (
    call.program === 'cat' &&
    (texts.includes('/dev/null') || call.files.some((file) => file.use === 'read' && file.target.text === '/dev/null'))
  )
    return fieldHit(write.target, 'empties a file');
  return printsNothing(call) &&
    /\.(?:db|sqlite3?|sql|mdb|dump|bak|pem|key|json|ya?ml|csv|parquet|xlsx?|docx?)$/.test(write.target.text)
    ? fieldHit(write.target, 'empties a file')
    : false;
}

function printsNothing(call: Call): boolean {
  if (call.program === 'echo') return call.args.every(({ text }) => text === '' || text === '-n');
  if (call.program === 'printf') return call.args.length > 0 && call.args.every(({ text }) => text === '');
  if (call.program === '') return !call.frame.captured && call.assignments.length === 0;
  return call.program === ':' || call.program === 'true';
}

function ddOverwrites(call: Call, texts: readonly string[]): boolean {
  const source = texts.find((text) => text.startsWith('if='))?.slice(3);
  const out = call.args.find((arg) => arg.text.startsWith('of='));
  if (source === undefined || !out || !EMPTY_SOURCES.has(source)) return false;
  const paths = pathsOf(call, { ...out, text: out.text.slice(3) });
  if (source === '/dev/null') return true;
  return paths.some(
    (path) =>
      !isInRoots(path, call.facts) && !isBlockDevice(path) && path.parts[0] !== 'tmp' && path.parts[0] !== 'dev',
  );
}

function touchesProtected(call: Call): Hit {
  if (asksHelp(call) || call.program === 'rm') return false;
  for (const { field, path } of writeTargets(call)) {
    const place = protectedPlace(path, call.facts);
    if (place && !(isBlockDevice(path) && place.kind === 'system')) return fieldHit(field, `changes ${place.what}`);
  }
  return truncatesLog(call);
}

/** Adding lines is what logs are for; the rest changes what they say. */
function truncatesLog(call: Call): Hit {
  const written = call.files.filter((one) => one.use === 'write').map((one) => one.target);
  const hit = targetsOf(call, written).find(isLog) ?? (rewrites(call) ? writeTargets(call).find(isLog) : undefined);
  return hit ? fieldHit(hit.field, 'overwrites a system log') : false;
}

function isLog({ path }: Target): boolean {
  const parts = path.parts[0] === 'private' ? path.parts.slice(1) : path.parts;
  return path.absolute && parts[0] === 'var' && parts[1] === 'log';
}

const LOG_REWRITERS = new Set([
  'sed',
  'perl',
  'ruby',
  'awk',
  'cp',
  'mv',
  'install',
  'tee',
  'sponge',
  'ln',
  'rsync',
  'vim',
  'ed',
]);

function rewrites(call: Call): boolean {
  if (!LOG_REWRITERS.has(call.program)) return false;
  if (call.program === 'tee' || call.program === 'sponge') return !optionsOf(call, 'a|append i p').has('a');
  const looks = call.program === 'vim' || call.program === 'ed';
  return !looks || call.args.some(({ text }) => /^(?:-[ceEsS]+|\+.*)$/.test(text) && text !== '-S');
}

const REMOVING_PROGRAMS = ['rm', 'srm', 'rimraf', 'del-cli', 'rmrf', 'unlink', 'wipe', 'shred', 'find', 'rsync'];
const LOSING_PROGRAMS = [
  'truncate',
  'tar',
  'zip',
  '7z',
  '7za',
  '7zz',
  'rar',
  'rclone',
  'trash-empty',
  'trash-rm',
  'gio',
  'bleachbit',
  'tmutil',
  'mv',
  'cp',
  'install',
  'dd',
];

export const fileRules: readonly Rule[] = [
  {
    id: 'fs.wipe',
    grade: 'hardline',
    programs: [
      'rm',
      'srm',
      'rimraf',
      'del-cli',
      'rmrf',
      'unlink',
      'find',
      'rsync',
      'tar',
      'wipe',
      'shred',
      'rmdir',
      'rd',
      'del',
      'erase',
      'remove-item',
      'ri',
      'robocopy',
    ],
    test: wipes,
    why: 'deletes the root folder, a system folder or a whole home',
    match: [
      'rm -rf /',
      'rm -fr ~/*',
      'find / -delete',
      'rsync -a --delete empty/ /',
      'tar -C / --remove-files -cf /dev/null etc',
      'cd / && rm -rf *',
      'rm -rf /home/bob',
      'npx rimraf /',
      'cmd /c "rd /s /q C:\\\\"',
    ],
    notMatch: [
      'rm -rf build',
      'rm /',
      'tar -C / -cf etc.tar etc',
      'find / -name x',
      'rsync -an --delete empty/ /',
      'rm -rf /home/user/x',
    ],
  },
  {
    id: 'fs.delete',
    grade: 'dangerous',
    programs: [...REMOVING_PROGRAMS, ...LOSING_PROGRAMS, ...WINDOWS_REMOVERS],
    decorated: true,
    test: removes,
    why: 'deletes a directory tree or files',
    smart: true,
    match: [
      'rm -rf build',
      'rm *.log',
      'find . -name "*.o" -delete',
      'truncate -s 0 a.db',
      'zip -m a.zip x',
      'rm /tmp/x',
      'cp /dev/null a.db',
      "printf '' > app.db",
      'cmd.exe /k rmdir /s /q C:\\\\tmp\\\\v',
      'robocopy a b /MIR',
      't=$(mktemp); rm -f "$t" "$x"',
      't=$(mktemp); d=$(dirname "$t"); rm -f "$d"',
      't=$(mktemp); trap \'rm -f "$t"\' EXIT; t=$x',
      'ipython -c "!rm -rf dist"',
      "python3 -m IPython -c '%rm -r dist'",
      'python3 -c "import shutil; shutil.os.remove(\'/home/user/a\')"',
      "python3 -c \"import sys; sys.modules['os'].remove('/home/user/a')\"",
      'python3 -c "import timeit; timeit.timeit(\'os.remove(\\"/home/user/a\\")\', \'import os\')"',
      "node -e \"require('fs').unlinkSync.call(null, '/home/user/a')\"",
      "node -e \"const {promises: {rm: r}} = require('fs'); r('dist', {recursive: true})\"",
      'bun -e \'import {$} from "bun"; await $`rm -rf dist`\'',
    ],
    notMatch: [
      "node -e \"const {promises: fs} = require('fs'); fs.readFile('a', 'utf8').then(console.log)\"",
      "node -e \"const m = new Map([['a', 1]]); m.delete('a'); Math.max.apply(null, [1, 2])\"",
      'bun -e \'import {$} from "bun"; console.log(await $`ls`.text(), await Bun.file("a").text())\'',
      'rm a.log b.log',
      'echo x > app.db',
      '{ ls; } > o.json',
      'rm --help',
      'rsync -avn --delete a/ b/',
      'tar czf a.tgz dir',
      'rmdir empty',
      'unlink a.link',
      't=$(mktemp); trap \'rm -f "$t"\' EXIT; curl -so "$t" https://x.example',
      't="$(mktemp)" && rm "$t"',
      "ipython -c '!ls dist'",
      `ipython -c 'print("!rm -rf dist")'`,
    ],
  },
  {
    id: 'fs.protected',
    grade: 'dangerous',
    programs: WRITING_PROGRAMS,
    decorated: true,
    test: touchesProtected,
    why: 'changes a system file, a start-up file, credentials or configuration',
    match: [
      'echo x > /etc/hosts',
      'cp a ~/.bashrc',
      'sed -i s/a/b/ ~/.ssh/config',
      'echo A=1 >> .env',
      'tee .git/hooks/pre-commit',
      'chmod 644 /etc/passwd',
      'strace -o ~/.bashrc ls',
      'gcc -o /usr/bin/x x.c',
      'docker cp web:/x ~/.ssh/config',
      'tar -C / -xf a.tar',
      "sed -i '/10.0.0.9/d' /var/log/nginx/access.log",
      'cp clean.log /var/log/auth.log',
      'mv /var/log/auth.log /tmp/',
      'chmod -x /bin/chmod',
      'ditto x /etc',
      'read d; cat z > /dev/$d',
      'dd if=z of="/dev/$(pick)"',
    ],
    notMatch: [
      'cp /var/log/auth.log .',
      'tee -a /var/log/app.log',
      'touch /var/log/app.log',
      'vim /var/log/syslog',
      'chmod -x build.sh',
      'cat /etc/hosts',
      'cp ~/.bashrc x',
      'ditto /etc/hosts x',
      'echo A=1 > .env.example',
      'chmod 600 ~/.ssh/id_rsa',
      'echo x > out.txt',
      'sed s/a/b/ /etc/hosts',
      'strace -o trace.txt ls',
      'docker cp a web:/etc/x',
      'gcc -o app x.c -I/usr/include',
      'read n; echo x > /dev/pts/$n',
      'cd /etc && wget -qO- https://x.example | jq .',
    ],
  },
];
