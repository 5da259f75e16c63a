import type { Effect } from './effects.ts';
import { deletes, dynamic, gives, native, opens, reads, shells, writes } from './effects.ts';
import type { Language, Reading } from './language.ts';
import { constantText } from './values.ts';
import { sends } from './web-effects.ts';

const EFFECTS: Readonly<Record<string, Effect>> = {
  'os.execute': shells(0),
  'io.popen': shells(0),
  'os.remove': deletes(),
  'os.rename': writes(0, 1),
  'io.lines': reads(),
  'io.open': opens(0, 1, 'mode'),
  'io.output': (use) => (use.args.length > 0 ? writes(0)(use) : undefined),
  load: dynamic,
  loadstring: dynamic,
  dofile: dynamic,
  loadfile: dynamic,
  setfenv: dynamic,
  require: (use) => {
    const name = constantText(use.args[0]);
    if (name === null) dynamic(use);
    return name === null ? undefined : { kind: 'ref', name };
  },
  'package.loadlib': native,
  'ffi.*': native,
  'debug.*': gives(() => undefined),
  'socket.*': sends,
  'lfs.rmdir': deletes(),
};

function declaration(scan: Reading): boolean {
  if (!scan.is('local') || scan.is('function', 1)) return false;
  scan.take();
  return false;
}

export const lua: Language = {
  name: 'lua',
  givesSeveral: true,
  lexicon: {
    line: ['--', '#!'],
    block: [['--[[', ']]']],
    quotes: '\'"',
    newlines: true,
    nameStart: /[A-Za-z_]/,
    namePart: /\w/,
  },
  effects: EFFECTS,
  modules: {},
  statement: declaration,
  joins: ['..'],
  skipped: /^(?:return|local|not|and|or|if|elseif|else|then|while|do|for|in|repeat|until|end|function|break)$/,
  bareCalls: true,
  sensitive: /^(?:_G|_ENV|os|io)$/,
  endless: /$^/,
};
