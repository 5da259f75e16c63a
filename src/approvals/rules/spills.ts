import { type Call, optionsOf, pathsOf } from '../shell/call.ts';
import { type Field, literalField } from '../shell/field.ts';
import { entryOf } from '../shell/lookup.ts';
import { hasGlob } from '../shell/marks.ts';
import { parseOptions } from '../shell/options.ts';
import { basenameOf, isAbove, type Path } from '../shell/paths.ts';
import { protectedPlace } from '../shell/places.ts';
import { asksHelp, fieldHit } from './matching.ts';
import { dashed, TAR } from './packed-trees.ts';
import type { Hit, Rule } from './rule.ts';
import { COPY, TRANSFERS } from './targets.ts';

/** A folder that gets files whose names the command does not say, or names below it that it says. */
interface Spill {
  readonly folder: Field;
  readonly names?: readonly Field[];
}

type Spiller = (call: Call) => Spill | undefined;

function unpacked(call: Call): Spill | undefined {
  const options = parseOptions(dashed(call.args), TAR);
  if (!options.has('x') || options.has('O', 'to-command')) return undefined;
  return into(call, options.value('C'), options.operands);
}

/** The folder that is named, or the one a `cd` led to. */
function into(call: Call, named: Field | undefined, names: readonly Field[] = []): Spill | undefined {
  const { cwd } = call.state;
  const here = cwd === null || cwd === call.facts.cwd ? undefined : literalField(cwd, call.span);
  const folder = named ?? here;
  return folder && (names.length > 0 ? { folder, names } : { folder });
}

function seven(call: Call): Spill | undefined {
  const [verb, out] = [call.args[0], call.args.find(({ text }) => /^-o./.test(text))];
  return out && /^[xe]$/.test(verb?.text ?? '') ? { folder: { ...out, text: out.text.slice(2) } } : undefined;
}

/** Copies of what is in a folder: `dir/`, `dir/.`, `host:*`. */
function poured(grammar: string, whole: RegExp): Spiller {
  return (call) => {
    const options = optionsOf(call, grammar);
    const sources = [...options.operands];
    const folder = options.value('t') ?? sources.pop();
    if (!folder || options.has('n')) return undefined;
    return options.has('T') || sources.some(({ text }) => whole.test(text)) ? { folder } : undefined;
  };
}

function cloned(call: Call, verbs = /^clone$/): Spill | undefined {
  const { operands } = optionsOf(call, 'C: c: b|branch: depth: o: j: u: r|revision: username: password: q|quiet');
  const [verb, , folder] = operands;
  return folder && verbs.test(verb?.text ?? '') ? { folder } : undefined;
}

const SPILLERS: Readonly<Record<string, Spiller>> = {
  tar: unpacked,
  unzip: (call) => {
    const options = optionsOf(call, 'd: x: o q n j l t v p Z');
    return options.has('l', 't', 'v', 'p', 'Z') ? undefined : into(call, options.value('d'), options.operands.slice(1));
  },
  unrar: (call) => {
    const { operands } = optionsOf(call, 'o+ y p: n: x:');
    const folder = operands.at(-1);
    return /^[xe]$/.test(operands[0]?.text ?? '') && folder?.text.endsWith('/') ? { folder } : undefined;
  },
  '7z': seven,
  '7za': seven,
  '7zz': seven,
  cpio: (call) => {
    const options = optionsOf(
      call,
      'i|extract o|create p|pass-through D|directory: t|list d m u v F|file: H|format: E: to-stdout',
    );
    return options.has('i') && !options.has('t', 'to-stdout') ? into(call, options.value('D')) : undefined;
  },
  rsync: poured(TRANSFERS['rsync'] as string, /\/\.?$/),
  scp: poured(TRANSFERS['scp'] as string, /\/\.$|:.*\*/),
  cp: poured(COPY, /\/\.$/),
  git: (call) => cloned(call),
  svn: (call) => cloned(call, /^(?:checkout|co|export)$/),
  stow: (call) => {
    const options = optionsOf(call, 't|target: d|dir: S|stow D|delete R|restow n|no|simulate v?');
    const folder = options.has('n') ? undefined : options.value('t');
    return folder && { folder };
  },
};

/** Below a home, folders above those that start programs at login. */
const HOLDERS = ['.bashrc', '.config/systemd/user', '.config/autostart', 'Library/LaunchAgents'];

function holdsProtected(path: Path, call: Call): boolean {
  const { facts } = call;
  return (
    basenameOf(path) === '.git' ||
    protectedPlace(path, facts) !== null ||
    HOLDERS.some((name) => isAbove(path, `${facts.home}/${name}`))
  );
}

function spills(call: Call): Hit {
  if (asksHelp(call) || call.frame.container?.mapped === false) return false;
  const spill = entryOf(SPILLERS, call.program)?.(call);
  if (!spill) return false;
  const { folder, names } = spill;
  if (!names || names.some(({ text }) => hasGlob(text) || text.includes('*')))
    return pathsOf(call, folder).some((path) => holdsProtected(path, call)) && fieldHit(folder);
  return names.some((name) => {
    const inner = { ...folder, text: `${folder.text}/${name.text}` };
    return pathsOf(call, inner).some((path) => protectedPlace(path, call.facts) !== null);
  });
}

export const spillRules: readonly Rule[] = [
  {
    id: 'fs.spill',
    grade: 'dangerous',
    programs: Object.keys(SPILLERS),
    test: spills,
    why: 'may put start-up files, hooks or configuration into a folder that holds them',
    match: [
      'tar xf dot.tar -C ~',
      'cd ~ && unzip /tmp/dot.zip',
      'rsync -a dot/ ~/',
      'cp -r dot/. ~/.config',
      'tar xf h.tar -C .git',
      'tar xf a.tar -C ~ .bashrc',
    ],
    notMatch: [
      'tar xf a.tar -C ~/src',
      'tar xf a.tar',
      'tar tf a.tar -C ~',
      'tar xf a.tar -C ~ notes/a.md',
      'rsync -a dot ~/',
      'rsync -a ~/ backup/',
      'git clone https://x.example/nvim ~/.config/nvim',
      'unzip -l a.zip -d ~',
    ],
  },
];
