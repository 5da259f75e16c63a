import type { Effect, Use } from './effects.ts';
import {
  deletes,
  dynamic,
  execWords,
  gives,
  native,
  reports,
  runsProcess,
  shells,
  signals,
  writes,
} from './effects.ts';
import { copiesTree } from './tree-effects.ts';
import { constantText } from './values.ts';

const spawnAny = reports('code.spawn');

/** Programs that are started, signals, and rights. */
export const pythonProcesses: Readonly<Record<string, Effect>> = {
  'os.system': shells(0, 'command'),
  'os.popen': shells(0, 'cmd'),
  'os.popen2': shells(0),
  'os.startfile': spawnAny,
  'commands.getoutput': shells(0),
  'commands.getstatusoutput': shells(0),
  'subprocess.run': runsProcess,
  'subprocess.call': runsProcess,
  'subprocess.Popen': runsProcess,
  'subprocess.check_call': runsProcess,
  'subprocess.check_output': runsProcess,
  'subprocess.getoutput': shells(0, 'cmd'),
  'subprocess.getstatusoutput': shells(0, 'cmd'),
  'asyncio.create_subprocess_shell': shells(0, 'cmd'),
  'asyncio.create_subprocess_exec': execAll(),
  'pty.spawn': runsProcess,
  'pexpect.spawn': shells(0),
  'pexpect.run': shells(0),
  'sh.*': spawnAny,
  'plumbum.*': spawnAny,
  'fabric.*': spawnAny,
  'invoke.run': shells(0),
  'os.execl': execWords(),
  'os.execlp': execWords(),
  'os.execle': execWords(),
  'os.execlpe': execWords(),
  'os.execv': execWords(),
  'os.execvp': execWords(),
  'os.execve': execWords(),
  'os.execvpe': execWords(),
  'os.spawnl': execWords(1),
  'os.spawnlp': execWords(1),
  'os.spawnv': execWords(1),
  'os.spawnvp': execWords(1),
  'os.spawnve': execWords(1),
  'os.posix_spawn': execWords(),
  'os.posix_spawnp': execWords(),
  'os.chroot': native,
  'os.kill': signals(0, 1),
  'os.killpg': signals(0, 1),
  'os.abort': gives(() => undefined),
  'os.fork': gives(() => undefined),
  'os.forkpty': gives(() => undefined),
  'os.setuid': native,
  'os.setgid': native,
  'os.seteuid': native,
  'psutil.Process': gives(() => ({ kind: 'ref', name: 'psutil.Process()' })),
  'psutil.Process().kill': reports('proc.kill', 'ends a process'),
  'psutil.Process().terminate': reports('proc.kill', 'ends a process'),
  'psutil.Process().suspend': reports('proc.kill', 'ends a process'),
  'pydoc.pipepager': shells(1),
  'pydoc.tempfilepager': shells(1),
  'webbrowser.get': (use) => (/[\s%]/.test(constantText(use.args[0]) ?? '') ? shells()(use) : undefined),
  'webbrowser.GenericBrowser': runsProcess,
  'webbrowser.BackgroundBrowser': runsProcess,
  'distutils.spawn.spawn': runsProcess,
  'distutils.dir_util.remove_tree': deletes(),
  'distutils.dir_util.copy_tree': copiesTree(),
  '_posixsubprocess.*': native,
  'timeit.timeit': runsText('stmt', 'setup'),
  'timeit.repeat': runsText('stmt', 'setup'),
  'timeit.Timer': runsText('stmt', 'setup'),
  'timeit.main': dynamic,
  ...Object.fromEntries(
    [
      'cProfile',
      'profile',
      'cProfile.Profile()',
      'profile.Profile()',
      'pdb',
      'pdb.Pdb()',
      'bdb.Bdb()',
      'trace.Trace()',
    ].flatMap((name) => ['run', 'runctx'].map((method) => [`${name}.${method}`, runsOnlyText])),
  ),
  'pdb.runeval': runsOnlyText,
  'codeop.compile_command': dynamic,
  'codeop.Compile': dynamic,
  'codeop.CommandCompiler': dynamic,
  'code.InteractiveConsole': dynamic,
  'code.compile_command': dynamic,
  'imp.load_source': dynamic,
  'imp.load_module': dynamic,
  'signal.pthread_kill': reports('proc.kill', 'signals a process'),
};

/** Texts of Python, the later ones by name as well, that run one after the other; the last comes first. */
function runsText(...names: readonly string[]): Effect {
  return (use) => {
    const texts = names.map((name, i) => constantText(use.args[i] ?? use.named.get(name))).reverse();
    const code = texts.filter((text) => text !== null).join('\n');
    if (use.called && code !== '') use.sink.argv(['python3', '-c', code], use.at);
    return undefined;
  };
}

/** `cProfile.run(text, file)`: what is no constant text is asked about. */
function runsOnlyText(use: Use): undefined {
  if (constantText(use.args[0]) === null) dynamic(use);
  else runsText('statement')(use);
  if (use.name.endsWith('rofile.run') && use.args[1]) writes(1)(use);
}

function execAll(): Effect {
  return (use) =>
    runsProcess({
      ...use,
      args: [{ kind: 'list', items: use.args.filter((arg) => arg.kind === 'text' || arg.kind === 'unknown') }],
    });
}
