import type { Effect } from './effects.ts';
import { execWords, gives, native, reports, runsProcess, shells, signals } from './effects.ts';

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
  'signal.pthread_kill': reports('proc.kill', 'signals a process'),
};

function execAll(): Effect {
  return (use) =>
    runsProcess({
      ...use,
      args: [{ kind: 'list', items: use.args.filter((arg) => arg.kind === 'text' || arg.kind === 'unknown') }],
    });
}
