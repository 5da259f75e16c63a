import type { Call } from '../shell/call.ts';
import { knownArgs, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { mightBe } from '../shell/glob-match.ts';
import { entryOf } from '../shell/lookup.ts';
import { isKnown, STAR } from '../shell/marks.ts';
import { parseOptions } from '../shell/options.ts';
import { commandsIn } from '../shell/wrappers/tmux.ts';
import { matchesDaemon } from './daemon-names.ts';
import { fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** What reaches hermod by another program than one made to stop processes or services, and how that is told. */
const CHANNELS: Readonly<Record<string, (call: Call) => Field | undefined>> = {
  tmux: (call) => tmuxTargets(call).find(({ text }) => isOwnSession(text)),
  screen: (call) => screenTargets(call).find(({ text }) => isOwnSession(text.replace(/^\d+\./, ''))),
  busctl: busUnit,
  'dbus-send': busUnit,
  gdbus: busUnit,
  'start-stop-daemon': (call) => {
    const options = optionsOf(call, START_STOP);
    if (!options.has('K')) return undefined;
    const named = [...options.values('n'), ...options.values('x'), ...options.values('p')];
    return (
      named.find(({ text }) => matchesDaemon(text, call.facts)) ?? options.values('pid').find((pid) => isOwn(call, pid))
    );
  },
  prlimit: (call) => {
    const options = optionsOf(call, 'p|pid: o|output: noheadings raw verbose', { stop: true });
    const limits = knownArgs(call).some(
      (arg) => /^(?:--[a-z]+=.|-[a-oq-z]\w)/.test(arg) && !/^--(?:pid|output)=/.test(arg),
    );
    return limits ? options.values('p').find((pid) => isOwn(call, pid)) : undefined;
  },
  choom: ownPid,
  chrt: ownPid,
  renice: ownPid,
  taskset: ownPid,
  criu: (call) =>
    optionsOf(call, 't|tree: D|images-dir: W: o: v? j R')
      .values('t')
      .find((pid) => isOwn(call, pid)),
};

export const CHANNEL_PROGRAMS: readonly string[] = Object.keys(CHANNELS);

const START_STOP =
  'K|stop S|start T|status n|name: x|exec: a|startas: p|pidfile: pid: ppid: u|user: s|signal: R|retry: c|chuid: g|group: r|chroot: d|chdir: N|nicelevel: k|umask: o|oknodo q|quiet v|verbose b|background m|make-pidfile t|test';

/** hermod by the terminal session, the bus or the limits it lives under. */
export function stopsThroughChannel(call: Call): Hit {
  const hit = entryOf(CHANNELS, call.program)?.(call);
  return hit ? fieldHit(hit) : false;
}

function isOwn(call: Call, { text, raw }: Field): boolean {
  const { pid, parentPid } = call.facts;
  return /\$\{?PPID\b/.test(raw) || (isKnown(text) && [pid, parentPid].some((own) => own > 1 && Number(text) === own));
}

/** The pid among the words of a tool that changes how much of the machine a process gets. */
function ownPid(call: Call): Field | undefined {
  return call.args.find((word, i) => isOwn(call, word) && !/^-n$/.test(call.args[i - 1]?.text ?? ''));
}

/** A beginning of the name will do, or a pattern of it; a window and a pane may follow. */
function isOwnSession(target: string): boolean {
  const name = target
    .replace(/^[=$]/, '')
    .replace(/[:.].*$/s, '')
    .replaceAll('*', STAR);
  return name.length >= 3 && ['hermod', 'hermes'].some((own) => mightBe(name + STAR, own) || name.includes(own));
}

const TMUX = 'S: L: f: T: c: 2 C D l N u v V';
const TMUX_ENDS =
  /^(?:kill-(?:sess\w*|pane|window)|kill[pw]|respawn-?\w*|send(?:-keys?)?|send-prefix|unlink\w*|detach\w*|paste-buffer|pasteb|pipe-pane|pipep)$/;

function tmuxCommands(call: Call): readonly (readonly Field[])[] {
  return commandsIn(parseOptions(call.args, TMUX, { stop: true }).operands);
}

function tmuxTargets(call: Call): readonly Field[] {
  return tmuxCommands(call).flatMap(([verb, ...rest]) =>
    TMUX_ENDS.test(verb?.text ?? '')
      ? parseOptions(rest, 't: s: c: e: b: N: k a C d D p r F H l M R X K P E').values('t')
      : [],
  );
}

/** With `-X` a command is sent to the session that one of these options names. */
function screenTargets({ args }: Call): readonly Field[] {
  if (!args.some(({ text }) => /^-[a-zA-Z]*X$/.test(text))) return [];
  const attached = args.map((arg) => ({ ...arg, text: /^-[a-zA-Z]*?[SrRxdD](.+)$/.exec(arg.text)?.[1] ?? '' }));
  return [...args.filter((_, i) => /^-[a-zA-Z]*[SrRxdD]$/.test(args[i - 1]?.text ?? '')), ...attached];
}

const BUS_ENDS =
  /(?:^|\.)(?:Stop|Restart|TryRestart|ReloadOrRestart|ReloadOrTryRestart|Kill|Freeze|Clean)Unit\w*$|(?:^|\.)(?:Mask|Disable)UnitFiles\w*$/;

function busUnit(call: Call): Field | undefined {
  if (!call.args.some(({ text }) => BUS_ENDS.test(text))) return undefined;
  return call.args.find(({ text }) => /herm(?:od|es)|\bgateway\.service/i.test(text));
}

/** The units of systemd over the bus, whoever's they are. */
function endsUnit(call: Call): Hit {
  const hit = call.args.find(({ text }) => BUS_ENDS.test(text));
  return hit ? fieldHit(hit) : false;
}

/** Every session, or all but one. */
function endsSessions(call: Call): Hit {
  if (call.program !== 'tmux') return endsUnit(call);
  return tmuxCommands(call).some(
    ([verb, ...rest]) =>
      /^kill-ser/.test(verb?.text ?? '') ||
      (/^kill-sess/.test(verb?.text ?? '') && parseOptions(rest, 't: a C').has('a')),
  );
}

/** Words of the tools that press keys and buttons for the person at the screen. */
const STROKES = /^(?:key(?:down|up)?|type|click|mouse(?:down|up)|window(?:close|kill|quit))$/;

function presses(call: Call): Hit {
  if (call.program === 'wtype' || call.program === 'dotool')
    return !/^(?:-h|--help|--version)$/.test(call.args[0]?.text ?? '');
  const hit = call.args.find(({ text }) => STROKES.test(text));
  return hit ? fieldHit(hit) : false;
}

export const sessionStopRules: readonly Rule[] = [
  {
    id: 'host.sessions',
    grade: 'dangerous',
    programs: ['tmux', 'busctl', 'dbus-send', 'gdbus'],
    test: endsSessions,
    why: 'ends the terminal sessions or the units in which other programs run',
    smart: true,
    match: [
      'tmux kill-server',
      'tmux kill-session -a',
      'busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StopUnit ss nginx.service replace',
    ],
    notMatch: [
      'tmux ls',
      'tmux kill-session -t dev',
      'tmux new -d -s kill-server',
      'busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager GetUnit s nginx.service',
    ],
  },
  {
    id: 'self.keys',
    grade: 'dangerous',
    programs: ['xdotool', 'ydotool', 'wtype', 'dotool'],
    test: presses,
    why: 'presses keys or buttons in the place of the person, who may be asked just then',
    personOnly: true,
    match: [
      'xdotool key Return',
      'xdotool search --name chat windowactivate type yes',
      'wtype yes',
      'ydotool key 28:1 28:0',
    ],
    notMatch: ['xdotool getactivewindow', 'xdotool search --name x', 'xdotool mousemove 1 1', 'wtype --help'],
  },
];
