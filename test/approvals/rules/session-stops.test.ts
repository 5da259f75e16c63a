import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const found = (text: string) => analyze(text, FACTS).findings.map(({ rule }) => rule);

describe('hermod by the session, the bus or the limits it lives under', () => {
  it.each([
    ['tmux kill-session -t hermod'],
    ['tmux kill-session -t her'],
    ['tmux kill-session -t =hermod'],
    ["tmux kill-session -t 'h*mod'"],
    ['tmux kill-window -t hermod:1'],
    ['tmux kill-pane -t hermod:1.0'],
    ['tmux send-keys -t hermod C-c'],
    ['tmux ls \\; kill-session -t hermod'],
    ['tmux -L x kill-session -t hermod'],
    ['tmux respawn-pane -k -t my-hermes'],
    ['screen -S hermod -X quit'],
    ['screen -S 123.hermod -X quit'],
    ['screen -X -r hermod quit'],
    ['start-stop-daemon -K -n hermod'],
    ['start-stop-daemon -K -p /run/hermod.pid'],
    ['start-stop-daemon -K -x /opt/hermod/bin'],
    ['start-stop-daemon -K --pid 4242'],
    ['prlimit --pid $PPID --nofile=1'],
    ['prlimit --pid 4242 --nofile=1'],
    ['prlimit --pid 4242 -n1'],
    ['choom -n 1000 -p 4242'],
    ['chrt -p 4242'],
    ['renice 19 4241'],
    ['taskset -p 1 4242'],
    ['criu dump -t 4242'],
    ['busctl call a b org.freedesktop.systemd1.Manager StopUnit ss hermod.service replace'],
    [
      'dbus-send --dest=org.freedesktop.systemd1 / org.freedesktop.systemd1.Manager.RestartUnit string:gateway.service string:replace',
    ],
    ['dbus-send --dest=x / org.x.DisableUnitFiles array:string:hermod.service'],
    ['gdbus call --method org.freedesktop.systemd1.Manager.KillUnit hermes.service all 9'],
    ['tmux ls\\; kill-session -t hermod'],
    ['screen -r hermod -X quit'],
    ['screen -X -S hermod quit'],
    ['screen -Shermod -X quit'],
    ['screen -dr 12.hermes -X quit'],
  ])('is stopped: %s', (text) => expect(found(text)).toContain('self.stop'));

  it.each([
    ['tmux kill-session -t he'],
    ['tmux kill-session -t dev'],
    ['tmux send-keys -t dev C-c'],
    ['tmux ls -t hermod'],
    ['tmux detach -s hermod'],
    ['screen -S hermod'],
    ['screen -S dev -X quit'],
    ['start-stop-daemon -S -n hermod -x /bin/true'],
    ['start-stop-daemon -T -n hermod'],
    ['start-stop-daemon -K --pid 999'],
    ['prlimit --pid 4242'],
    ['prlimit --pid=4242 --output=RESOURCE'],
    ['prlimit --pid 999 --nofile=1'],
    ['choom -n 4242 -p 999'],
    ['renice -n 4242 -p 999'],
    ['taskset 1 ls'],
    ['criu dump -t 999'],
    ['busctl call a b org.freedesktop.systemd1.Manager StopUnit ss nginx.service replace'],
    ['busctl call a b org.freedesktop.systemd1.Manager GetUnit s hermod.service'],
    ['screen -r dev -X stuff hermod'],
    ['screen -dmS hermod'],
  ])('is left alone: %s', (text) => expect(found(text)).not.toContain('self.stop'));
});

describe('sessions and units of others', () => {
  it.each([
    ['tmux kill-server'],
    ['tmux kill-ser'],
    ['tmux kill-session -a'],
    ['tmux kill-session -at dev'],
    ['tmux ls \\; kill-server'],
    ['busctl call a b org.x StopUnit ss nginx.service replace'],
    ['dbus-send --dest=x / org.x.Manager.MaskUnitFiles array:string:a.service'],
    ['tmux ls\\; kill-server'],
  ])('end: %s', (text) => expect(found(text)).toContain('host.sessions'));

  it.each([
    ['tmux kill-session -t dev'],
    ['tmux kill-session -C -t dev'],
    ['tmux new -d -s kill-server'],
    ['tmux kill-window -a'],
    ['busctl call a b org.x GetUnit s nginx.service'],
  ])('go on: %s', (text) => expect(found(text)).not.toContain('host.sessions'));
});

describe('keys and buttons', () => {
  it.each([
    ['xdotool key Return'],
    ['xdotool keydown a'],
    ['xdotool search --name x windowkill'],
    ['xdotool click 1'],
    ['xdotool search --name key'],
    ['wtype yes'],
    ['dotool'],
    ['echo key x | dotool'],
    ['ydotool type yes'],
  ])('are pressed for the person: %s', (text) => expect(found(text)).toContain('self.keys'));

  it.each([
    ['xdotool getactivewindow'],
    ['xdotool mousemove 1 1'],
    ['wtype --help'],
    ['wtype -h'],
    ['dotool --version'],
    ['ydotool --help'],
  ])('are not pressed: %s', (text) => expect(found(text)).not.toContain('self.keys'));
});
