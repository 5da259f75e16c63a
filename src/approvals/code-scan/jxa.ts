import type { Effect } from './effects.ts';
import { deletes, dynamic, native, reports, shells } from './effects.ts';
import { javascript } from './javascript.ts';
import type { Language } from './language.ts';

const unread = reports('code.unread');

const EFFECTS: Readonly<Record<string, Effect>> = {
  '*.doShellScript': shells(0),
  '*.doScript': shells(0),
  '*.runScript': dynamic,
  '*.shutDown': reports('host.stop'),
  '*.restart': reports('host.stop'),
  '*.delete': reports('fs.delete'),
  '*.removeItemAtPathError': deletes(),
  '*.removeItemAtURLError': deletes(),
  '*.trashItemAtURLResultingItemURLError': deletes(),
  ...Object.fromEntries(
    ['logOut', 'quit', 'keystroke', 'keyCode', 'setTheClipboardTo', 'openForAccess', 'mountVolume'].map((name) => [
      `*.${name}`,
      unread,
    ]),
  ),
  'ObjC.bindFunction': native,
  '*.setLaunchPath': unread,
  '*.launchPath': unread,
  '*.launchedTaskWithLaunchPathArguments': unread,
  '$.system': shells(0),
  '$.popen': shells(0),
  '$.unlink': deletes(),
  '*.executeAndReturnError': dynamic,
};

/** JavaScript for Automation: what AppleScript says, in another language; `$` is not a shell but the way to the system's functions. */
export const jxa: Language = {
  ...javascript,
  effects: { ...javascript.effects, $: () => undefined, ...EFFECTS },
};
