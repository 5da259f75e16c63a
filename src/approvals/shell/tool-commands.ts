import type { Call } from './call.ts';
import { knownArgs, optionsOf } from './call.ts';
import type { CommandText } from './command-text.ts';
import { after, take, unreadCode } from './command-text.ts';
import { UNKNOWN } from './marks.ts';
import { parseOptions } from './options.ts';
import { SSH_OPTIONS } from './wrappers/remote.ts';
import { writtenTexts } from './written-text.ts';

const SSH_COMMANDS = /^(ProxyCommand|LocalCommand|KnownHostsCommand|Match\s+.*exec)\s*[= ]\s*(.*)$/is;

export function sshTexts(call: Call): readonly CommandText[] {
  return sshConfig(call, SSH_OPTIONS, true);
}

export function sshConfig(call: Call, grammar: string, stop = false): readonly CommandText[] {
  const options = parseOptions(call.args, grammar, { stop });
  const later = stop ? parseOptions(options.operands.slice(1), grammar, { stop: true }).values('o') : [];
  const lines = writtenTexts(call, options.values('F')).flatMap((file) =>
    file.text.split('\n').map((text) => ({ ...file, text: text.trim() })),
  );
  return [...options.values('o'), ...later, ...lines].flatMap((field) => {
    const match = SSH_COMMANDS.exec(field.text);
    return match
      ? [{ text: after(field, field.text.length - (match[2] as string).length), what: `ssh's ${match[1]}` }]
      : [];
  });
}

const TAR =
  'f|file: C|directory: I|use-compress-program: F|info-script|new-volume-script: to-command: checkpoint-action: checkpoint? rsh-command: T|files-from: X|exclude-from: exclude: x c t r u z j J v p k m O one-file-system strip-components: transform|xform: owner: group: mode: rmt-command:';

export function tarTexts(call: Call): readonly CommandText[] {
  const first = call.args[0];
  const args =
    first && /^[a-zA-Z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...call.args.slice(1)] : call.args;
  const options = parseOptions(args, TAR);
  return [
    ...take("tar's compressor", options.values('I')),
    ...take('a script tar starts', options.values('F')),
    ...take('a command tar pipes into', [
      ...options.values('to-command'),
      ...options.values('rsh-command'),
      ...options.values('rmt-command'),
    ]),
    ...options
      .values('checkpoint-action')
      .flatMap((field) =>
        /^exec=/.test(field.text) ? [{ text: after(field, 5), what: "tar's checkpoint action" }] : [],
      ),
  ];
}

export function zipTest(call: Call): readonly CommandText[] {
  const at = call.args.findIndex((arg) => arg.text === '-TT');
  return at < 0 ? [] : take('the test command of zip', call.args.slice(at + 1, at + 2));
}

export function plusCommands(call: Call): readonly CommandText[] {
  return call.args.flatMap((arg) => {
    const match = /^\+{1,2}[^!]*!(.*)$/s.exec(arg.text);
    return match
      ? [{ text: after(arg, arg.text.length - (match[1] as string).length), what: `a command ${call.program} runs` }]
      : [];
  });
}

export function aptHooks(call: Call): readonly CommandText[] {
  return optionsOf(call, 'o|option: c|config-file: t: y q')
    .values('o')
    .flatMap((field) => {
      const match =
        /^(?:APT::Update::(?:Pre|Post)-Invoke|Dpkg::(?:Pre-Invoke|Post-Invoke|Pre-Install-Pkgs)|DPkg::Pre[\w-]*|Binary::.*|Dir::Bin::\w+|APT::.*Invoke\w*)[^=]*=(.*)$/is.exec(
          field.text,
        );
      return match
        ? [{ text: after(field, field.text.length - (match[1] as string).length), what: 'a hook of apt' }]
        : [];
    });
}

/** The words behind options that name scripts. */
export function hookWords(call: Call, flag: RegExp): readonly CommandText[] {
  return take(
    `a hook of ${call.program}`,
    call.args.filter((_, i) => flag.test(call.args[i - 1]?.text ?? '')),
  );
}

export function rpmTexts(call: Call): readonly CommandText[] {
  const options = optionsOf(call, 'eval|E: pipe: root: define|D: q i a f: p: l e U v h');
  const macros = options.values('eval').flatMap((field) => {
    const match = /%\(([^)]*)\)|%\{lua:/.exec(field.text);
    return match
      ? [
          {
            text: match[1] === undefined ? unreadCode(field) : { ...field, raw: '', text: match[1] },
            what: "rpm's macros",
          },
        ]
      : [];
  });
  return [...macros, ...take('a command rpm pipes into', options.values('pipe'))];
}

export function latexTexts(call: Call): readonly CommandText[] {
  const args = knownArgs(call);
  return args.some((arg) => /^--?(?:shell-escape|enable-write18)$/.test(arg))
    ? [{ text: { ...call.argv0, text: UNKNOWN }, what: 'commands a document names' }]
    : [];
}
