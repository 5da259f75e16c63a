import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { literalField } from '../shell/field.ts';
import { entryOf } from '../shell/lookup.ts';
import { parseOptions } from '../shell/options.ts';
import { isOwn } from '../shell/own-places.ts';
import { protectedPlace } from '../shell/places.ts';
import { GIT_GLOBAL } from '../shell/wrappers/runners.ts';
import { HERE_PROGRAMS, hereOutputs, inContainer } from './here-outputs.ts';
import { asksHelp, fieldHit } from './matching.ts';
import { below, dashed, TAR } from './packed-trees.ts';
import type { Hit, Rule } from './rule.ts';
import { targetsOf } from './targets.ts';

/** Where a call puts what it unpacks; `anywhere`: its names may say so themselves. */
interface Unpacked {
  readonly folders: readonly Field[];
  readonly anywhere?: boolean;
}

type Read = (call: Call) => Unpacked | undefined;

const sevenZip: Read = (call) => {
  if (!/^[xe]$/.test(call.args[0]?.text ?? '')) return undefined;
  const out = call.args.find(({ text }) => /^-o./.test(text));
  return { folders: out ? [] : here(call), anywhere: hasArg(call, '-spf', '-spf2') };
};

const UNPACKERS: Readonly<Record<string, Read>> = {
  tar: (call) => {
    const options = parseOptions(dashed(call.args), TAR);
    if (!options.has('x') || options.has('O', 'to-command')) return undefined;
    const base = options.value('C');
    const top = options.value('one-top-level');
    if (base && !top) return { folders: [], anywhere: options.has('P') };
    const folders = top ? [{ ...top, text: below(base?.text ?? '', top.text) }] : here(call);
    return { folders, anywhere: options.has('P') };
  },
  cpio: (call) => {
    const options = optionsOf(call, CPIO);
    if (!options.has('i') || options.has('t', 'to-stdout')) return undefined;
    return { folders: options.has('D') ? [] : here(call), anywhere: options.has('absolute-filenames') };
  },
  pax: (call) =>
    knownArgs(call).some((arg) => /^-[a-vx-z]*r[a-vx-z]*$/.test(arg)) ? { folders: here(call) } : undefined,
  unzip: (call) => {
    const options = optionsOf(call, 'd: x: P: o q n l t v Z p c z a j f u :');
    if (options.has('l', 't', 'v', 'Z', 'p', 'c', 'z')) return undefined;
    return { folders: options.has('d') ? [] : here(call), anywhere: options.has(':') };
  },
  '7z': sevenZip,
  '7za': sevenZip,
  '7zz': sevenZip,
  git: gitUnpacks,
  pip: (call) => {
    const options = optionsOf(call, 't|target: prefix: root: r: c: e: i: f: src:');
    const folders = ['t', 'prefix', 'root', 'src'].flatMap((name) => options.values(name));
    return options.operands[0]?.text === 'install' ? { folders } : undefined;
  },
  python: (call) => {
    const at = call.args.findIndex(({ text }) => text === '-m');
    const module = at < 0 ? '' : (call.args[at + 1]?.text ?? '');
    const rest = call.args.slice(at + 2);
    if (/^c?[pP]rofile$/.test(module)) return { folders: parseOptions(rest, 'o: s: m', { stop: true }).values('o') };
    if (module !== 'zipfile' && module !== 'tarfile') return undefined;
    const options = parseOptions(rest, 'e|extract: c|create: l|list: t|test: v|verbose filter: metadata-encoding:');
    if (!options.has('e')) return { folders: options.values('c') };
    return { folders: options.operands.length > 0 ? options.operands.slice(0, 1) : here(call) };
  },
};

const CPIO =
  'i|extract o|create p|pass-through D|directory: d m u v t|list F|file: H|format: I: O: E: R: B absolute-filenames no-absolute-filenames make-directories to-stdout';

/** Verbs that change the files of a work tree, and words with which they do not. */
const TREE_VERBS =
  /^(?:apply|am|checkout|restore|switch|pull|merge|rebase|cherry-pick|revert|stash|clean|sparse-checkout)$/;
const LEAVES_TREE =
  /^(?:--(?:check|stat|numstat|summary|cached|staged|dry-run|abort|quit|show-current-patch|help)|-n|-h|list|show|drop|clear|create|store)$/;

function changesTree(verb: string, rest: readonly Field[]): boolean {
  if (verb === 'reset') return rest.some(({ text }) => /^--(?:hard|merge|keep)$/.test(text));
  return TREE_VERBS.test(verb) && !rest.some(({ text }) => LEAVES_TREE.test(text));
}

/** `git checkout-index --prefix=/etc/`, `git worktree add /etc/x`, `git --work-tree=/etc checkout`. */
function gitUnpacks(call: Call): Unpacked | undefined {
  const global = parseOptions(call.args, GIT_GLOBAL, { stop: true });
  const [verb, ...rest] = global.operands;
  const tree = global.value('work-tree');
  if (!inContainer(call) && changesTree(verb?.text ?? '', rest)) {
    const folders = [...global.values('C'), ...(tree ? [tree] : [])];
    const base = folders.reduce((all, { text }) => below(all, text), '');
    const [first] = folders;
    return { folders: first ? [{ ...first, text: base }] : here(call) };
  }
  switch (verb?.text) {
    case 'checkout-index':
      return { folders: parseOptions(rest, 'prefix: a|all f|force u q n stage: z stdin temp').values('prefix') };
    case 'worktree': {
      if (rest[0]?.text !== 'add') return undefined;
      const words = parseOptions(rest.slice(1), 'b: B: f|force d|detach reason: lock orphan q|quiet track').operands;
      return { folders: words.slice(0, 1) };
    }
    default:
      return undefined;
  }
}

function here(call: Call): readonly Field[] {
  return [literalField('.', call.span)];
}

function unpacks(call: Call): Hit {
  const found = entryOf(UNPACKERS, call.program)?.(call) ?? { folders: hereOutputs(call) };
  if ((found.folders.length === 0 && !found.anywhere) || asksHelp(call)) return false;
  if (found.anywhere) return { why: 'unpacks an archive to wherever the names in it say' };
  const hit = targetsOf(call, found.folders).find(
    ({ path }) => protectedPlace(path, call.facts) !== null || (call.program !== 'git' && isOwn(path, call.facts)),
  );
  return hit ? fieldHit(hit.field) : false;
}

export const unpackingRules: readonly Rule[] = [
  {
    id: 'fs.unpack',
    grade: 'dangerous',
    programs: [...Object.keys(UNPACKERS), ...HERE_PROGRAMS],
    test: unpacks,
    why: 'puts files into a folder of the system, of hermod or of credentials',
    smart: true,
    match: [
      'tar -xPf x.tar',
      'cd / && cpio -idm < x.cpio',
      'tar -xf x.tar --one-top-level=/etc',
      'unzip -: x.zip',
      'git checkout-index --prefix=/etc/ -a',
      'python3 -m zipfile -e a.zip /etc',
      'python3 -m tarfile -c /etc/x.tar a',
      'pip install --target /usr/lib/python3/dist-packages x',
      'cd /etc && patch -p1 < ~/x.diff',
      'cd /usr/local/bin && curl -LO https://x.example/tool',
      'git -C /etc apply x.diff',
      'cd /etc/nginx && rename s/a/b/ *.conf',
    ],
    notMatch: [
      'tar -tPf x.tar',
      'tar -cPf x.tar /home/user/a',
      'cd /tmp && tar xzf x.tgz --one-top-level',
      'unzip x.zip -d out',
      'git worktree add -b x ../x main',
      'pip install -t vendor x && python3 -m tarfile -e a.tar out && python3 -m zipfile -l /etc/x.zip',
      'cd /etc && patch -p1 --dry-run < ~/x.diff',
      'cd /etc && curl -s https://x.example && wget -qO /tmp/x https://x.example',
      'cd /etc && git apply --check x.diff && git stash list && git status',
      'cd ~/.local/bin && curl -LO https://x.example/tool',
    ],
  },
];
