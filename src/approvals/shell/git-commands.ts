import type { Call } from './call.ts';
import type { CommandText } from './command-text.ts';
import { after, take } from './command-text.ts';
import type { Field } from './field.ts';
import { UNKNOWN } from './marks.ts';
import { parseOptions } from './options.ts';
import { GIT_GLOBAL } from './wrappers/runners.ts';

const GIT_KEYS =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|hookspath|gitproxy|alternaterefscommand|worktree)|alias\..+|pager\..+|diff\.(?:external|.+\.(?:command|textconv))|merge\..+\.driver|mergetool\..+\.cmd|difftool\..+\.cmd|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg\.(?:.+\.)?program|sequence\.editor|sendemail\.(?:smtpserver|tocmd|cccmd|sendmailcmd)|protocol\.(?:ext\.)?allow|uploadpack\.packobjectshook|receive\..*hook|web\.browser|browser\..+\.cmd|interactive\.difffilter|remote\..+\.(?:uploadpack|receivepack|proxy|vcs)|submodule\..+\.update|trailer\..+\.(?:command|cmd)|man\..+\.cmd|instaweb\.httpd|imap\.tunnel|init\.templatedir|include\.path|includeif\..+\.path|tar\..+\.command|guitool\..+\.cmd|hook\..+\.command)$/i;

/** What a git configuration key would run; aliases only behind `!`. */
function configText(key: string, value: Field, what: string): readonly CommandText[] {
  if (!GIT_KEYS.test(key)) return [];
  if (/^alias\./i.test(key)) return value.text.startsWith('!') ? take(what, [after(value, 1)]) : [];
  if (/^submodule\..+\.update$/i.test(key) || /^credential/i.test(key))
    return value.text.startsWith('!')
      ? take(what, [after(value, 1)])
      : /^credential/i.test(key) && value.text.includes('/')
        ? take(what, [value])
        : [];
  if (/^protocol\./i.test(key))
    return value.text === 'always' && /ext/i.test(key) ? [{ text: { ...value, text: 'ext::' }, what }] : [];
  if (/^pager\./i.test(key) && /^(?:true|false)$/.test(value.text)) return [];
  if (/^core\.fsmonitor$/i.test(key) && /^(?:true|false)$/.test(value.text)) return [];
  return take(what, [value]);
}

export function gitTexts(call: Call): readonly CommandText[] {
  const options = parseOptions(call.args, GIT_GLOBAL, { stop: true });
  const [verb, ...rest] = options.operands;
  const out: CommandText[] = [];
  for (const pair of options.values('c')) {
    const eq = pair.text.indexOf('=');
    if (eq > 0) out.push(...configText(pair.text.slice(0, eq), after(pair, eq + 1), `git's ${pair.text.slice(0, eq)}`));
  }
  for (const pair of options.values('config-env')) {
    const eq = pair.text.indexOf('=');
    if (eq > 0) out.push(...configText(pair.text.slice(0, eq), hidden(pair), `git's ${pair.text.slice(0, eq)}`));
  }
  if (verb?.text === 'config') out.push(...configCall(rest));
  if (verb) out.push(...verbTexts(verb.text, rest));
  const url = rest.find((field) => field.text.startsWith('ext::'));
  if (url) out.push({ text: after(url, 5), what: 'a git transport' });
  return out;
}

/** The value is in a variable of the environment. */
function hidden(pair: Field): Field {
  return { ...pair, raw: '', text: UNKNOWN };
}

const CLONE =
  'u|upload-pack: b|branch: depth: o: c|config: j: origin: reference: template: filter: separate-git-dir: shallow-since: bare mirror n q v';

/** What `git clone` runs from its options: keys set in the new repository, and hooks out of a template folder. */
function cloneTexts(rest: readonly Field[]): readonly CommandText[] {
  const options = parseOptions(rest, CLONE);
  const keys = options.values('c').flatMap((pair) => {
    const eq = pair.text.indexOf('=');
    return eq > 0 ? configText(pair.text.slice(0, eq), after(pair, eq + 1), `git's ${pair.text.slice(0, eq)}`) : [];
  });
  const hooks = options.values('template').filter((field) => field.text !== '');
  return [...keys, ...take('the hooks of a template', hooks.map(hidden))];
}

function configCall(rest: readonly Field[]): readonly CommandText[] {
  const options = parseOptions(
    rest,
    'global local system worktree add replace-all unset unset-all get get-all get-regexp l|list e|edit f|file: type: bool int path default: name-only show-origin show-scope z|null fixed-value comment:',
  );
  if (options.has('get', 'get-all', 'get-regexp', 'l', 'unset', 'unset-all')) return [];
  const words = /^(?:set|get|list|unset|edit)$/.test(options.operands[0]?.text ?? '')
    ? options.operands.slice(1)
    : options.operands;
  if (/^(?:get|list|unset)$/.test(options.operands[0]?.text ?? '')) return [];
  const [key, value] = words;
  return key && value ? configText(key.text, value, `git's ${key.text}`) : [];
}

const SENDERS = ['to-cmd', 'cc-cmd', 'header-cmd', 'sendmail-cmd', 'smtp-server'];

function verbTexts(verb: string, rest: readonly Field[]): readonly CommandText[] {
  switch (verb) {
    case 'clone':
      return [
        ...cloneTexts(rest),
        ...take('the program git starts on the other side', parseOptions(rest, CLONE).values('u')),
      ];
    case 'init':
      return take(
        'the hooks of a template',
        parseOptions(rest, 'template: b|initial-branch: q bare shared? separate-git-dir: object-format:')
          .values('template')
          .filter((field) => field.text !== '')
          .map(hidden),
      );
    case 'send-email':
      return take(
        'a program git starts',
        SENDERS.flatMap((name) =>
          parseOptions(rest, 'to-cmd: cc-cmd: header-cmd: sendmail-cmd: smtp-server: to: cc: from:').values(name),
        ).filter((field) => field.text.includes('/') || !/^[\w.-]+$/.test(field.text)),
      );
    case 'fetch':
    case 'pull':
    case 'ls-remote':
    case 'fetch-pack':
      return take(
        'the program git starts on the other side',
        parseOptions(rest, 'u|upload-pack: b|branch: depth: o: c|config: j: origin: reference: template: filter:')
          .values('u')
          .concat(parseOptions(rest, 'upload-pack: exec:').values('upload-pack')),
      );
    case 'push':
    case 'send-pack':
      return take(
        'the program git starts on the other side',
        parseOptions(rest, 'receive-pack: exec: o: u f').values('receive-pack'),
      );
    case 'grep':
      return take('a pager', parseOptions(rest, 'O|open-files-in-pager? e: f: A: B: C: m: n i l c w').values('O'));
    case 'difftool':
    case 'mergetool':
      return take('a diff tool', parseOptions(rest, 'x|extcmd: t|tool: y d g').values('x'));
    case 'archive':
      return take('a program git starts', parseOptions(rest, 'exec: remote: format: o: prefix:').values('exec'));
    default:
      return [];
  }
}
