import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

function gradeOf(command: string): string {
  return analyze(command, FACTS).grade;
}

describe('programs that start another one', () => {
  it.each([
    ['cmake -E rm -rf src', 'dangerous'],
    ['cmake -E remove_directory src', 'dangerous'],
    ['cmake -E env A=1 rm -rf src', 'dangerous'],
    ['cmake -E env --unset=A -- rm -rf src', 'dangerous'],
    ['cmake -E time rm -rf src', 'dangerous'],
    ['cmake -E chdir build rm -rf src', 'dangerous'],
    ['start-stop-daemon -S -x /bin/rm -- -rf src', 'dangerous'],
    ['start-stop-daemon --start --exec /bin/rm -- -rf src', 'dangerous'],
    ['start-stop-daemon -S -b -p x.pid -a /bin/rm -- -rf src', 'dangerous'],
    ['rsh h rm -rf /data', 'dangerous'],
    ['lockf /tmp/l rm -rf src', 'dangerous'],
    ['lockf -t 5 /tmp/l rm -rf src', 'dangerous'],
    ['dzdo rm -rf src', 'dangerous'],
    ['dzdo -u root rm -rf src', 'dangerous'],
    ['ts rm -rf src', 'dangerous'],
    ['ts -n rm -rf src', 'dangerous'],
    [`pueue add 'rm -rf src'`, 'dangerous'],
    ['pueue add -- rm -rf src', 'dangerous'],
    ['gpg-agent --daemon rm -rf src', 'dangerous'],
    ['gpg-agent --daemon -- rm -rf src', 'dangerous'],
    [`mvn exec:exec -Dexec.executable=rm -Dexec.args='-rf build'`, 'dangerous'],
    [`mvn -q exec:exec -Dexec.executable=rm '-Dexec.arguments=-rf,build'`, 'dangerous'],
    [`zsh -fc 'zf_rm -rf src'`, 'dangerous'],
    [`zsh -fc 'zmodload zsh/files; rm -rf src'`, 'dangerous'],
    [`php -r 'pcntl_exec("/bin/rm",["-rf","src"]);'`, 'dangerous'],
    ['srun rm -rf src', 'dangerous'],
    ['srun -n 4 -p gpu rm -rf src', 'dangerous'],
    ['srun --ntasks=4 rm -rf src', 'dangerous'],
    ['mpirun -n 4 rm -rf src', 'dangerous'],
    ['mpirun -np 4 --host a,b rm -rf src', 'dangerous'],
    ['mpiexec -n 4 rm -rf src', 'dangerous'],
    [`newgrp docker -c 'rm -rf src'`, 'dangerous'],
    [`sandbox-exec -p '(version 1)(allow default)' rm -rf src`, 'dangerous'],
    ['sandbox-exec -f x.sb rm -rf src', 'dangerous'],
    [`snap run --shell x -c 'rm -rf src'`, 'dangerous'],
    ['flatpak run --command=rm org.x.App -rf src', 'dangerous'],
    [`flatpak run --command=sh org.x.App -c 'rm -rf /data'`, 'dangerous'],
    ['pct exec 101 -- rm -rf /data', 'dangerous'],
    ['pct exec 101 rm -rf /data', 'dangerous'],
    [`sbatch --wrap='rm -rf src'`, 'dangerous'],
    ['salloc -n 1 rm -rf src', 'dangerous'],
    ['flatpak-spawn --host rm -rf src', 'dangerous'],
    ['cmake -E rm -rf /', 'hardline'],
    ['dzdo rm -rf /', 'hardline'],
    ['lockf /tmp/l rm -rf /', 'hardline'],
    ['srun rm -rf /', 'hardline'],
    ['start-stop-daemon -S -x /bin/rm -- -rf /', 'hardline'],
    ['cmake -E env rm -rf /', 'hardline'],
    ['cmake -E remove_directory /etc', 'hardline'],
    ['cmake -E make_directory build', 'safe'],
    ['cmake -E copy a b', 'safe'],
    ['cmake -E echo hi', 'safe'],
    ['cmake -E env A=1 ls', 'safe'],
    ['cmake -E rm a.txt', 'safe'],
    ['cmake -B build -S .', 'safe'],
    ['cmake -E time make', 'safe'],
    ['cmake --build build', 'safe'],
    ['start-stop-daemon -T -p x.pid', 'safe'],
    ['rsh h ls', 'safe'],
    ['rsh h', 'safe'],
    ['lockf /tmp/l make', 'safe'],
    ['dzdo ls', 'safe'],
    ['make | ts', 'safe'],
    ['make | ts "%H:%M:%S"', 'safe'],
    ['ts -s', 'safe'],
    ['make | ts -i "%.s"', 'safe'],
    ['pueue add ls', 'safe'],
    ['pueue add -- make test', 'safe'],
    ['pueue status', 'safe'],
    ['gpg-agent --daemon', 'safe'],
    ['mvn exec:exec -Dexec.executable=ls', 'safe'],
    ['mvn exec:java -Dexec.mainClass=x.Main', 'safe'],
    ['mvn test', 'safe'],
    [`zsh -fc 'ls'`, 'safe'],
    [`zsh -c 'zmodload zsh/datetime; ls'`, 'safe'],
    ['srun hostname', 'safe'],
    ['srun -n 4 ./a.out', 'safe'],
    ['mpirun -np 4 ./a.out', 'safe'],
    ['mpirun -n 4 python3 x.py', 'safe'],
    ['newgrp docker -c ls', 'safe'],
    ['sandbox-exec -f x.sb ls', 'safe'],
    ['snap run x', 'safe'],
    ['snap list', 'safe'],
    ['flatpak run org.x.App', 'safe'],
    ['flatpak run --command=ls org.x.App', 'safe'],
    ['flatpak list', 'safe'],
    ['pct exec 101 -- ls', 'safe'],
    ['pct list', 'safe'],
    ['sbatch job.sh', 'safe'],
    ['mpiexec -n 2 ./a', 'safe'],
    ['runuser -u bob -- ls', 'safe'],
    [`pueue add 'make test'`, 'safe'],
    ['mpirun -n 1 ls : -n 2 rm -rf src', 'dangerous'],
    ['mpirun -mca btl self -np 2 ./a -mca x', 'safe'],
    ['autossh -M 0 host rm -rf /data', 'dangerous'],
    ['autossh -M 0 host uptime', 'safe'],
    ['cmake -E copy x /etc/passwd', 'dangerous'],
    ['cmake -E chdir build make', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});

describe('programs of other systems that start another one', () => {
  it.each([
    'apptainer exec --nv x.sif',
    'daemon -n x --',
    'daemon -p x.pid',
    'nsjail -Mo --',
    'minijail0 -u root',
    'tcpserver -v 0 80',
    'bsub -q x -n 4',
    'qrsh -l x=1',
    'jobs -x',
    'tsocks',
    'rtprio 5',
    'limits -c 0',
    'cpuset -l 0',
  ])('%s', (wrapper) => {
    expect(gradeOf(`${wrapper} rm -rf /`)).toBe('hardline');
    expect(gradeOf(`${wrapper} ls -la`)).toBe('safe');
  });

  it.each(['runc exec -t web', 'ctr t exec --exec-id 1 web', 'vzctl exec 101', 'qm guest exec 101 --'])(
    '%s',
    (wrapper) => {
      expect(gradeOf(`${wrapper} rm -rf /data`)).toBe('dangerous');
      expect(gradeOf(`${wrapper} ls -la`)).toBe('safe');
    },
  );
});

describe('what tmux runs, now or later', () => {
  it.each([
    [`tmux set-hook -g after-new-window 'run-shell "rm -rf src"'`, 'dangerous'],
    [`tmux bind x run-shell 'rm -rf src'`, 'dangerous'],
    [`tmux bind-key -n C-x run 'rm -rf src'`, 'dangerous'],
    [`tmux display '#(rm -rf src)'`, 'dangerous'],
    [`tmux display-message -p '#(rm -rf src)'`, 'dangerous'],
    [`tmux set -g status-right '#(rm -rf src)'`, 'dangerous'],
    ['tmux bind r source-file ~/.tmux.conf', 'safe'],
    ['tmux display -p "#S"', 'safe'],
    ['tmux display-message "hi"', 'safe'],
    ['tmux set -g status on', 'safe'],
    ['tmux ls', 'safe'],
    [`tmux if-shell true 'run-shell "rm -rf src"'`, 'dangerous'],
    ['tmux if-shell true "split-window -h"', 'safe'],
    ['tmux show-buffer', 'safe'],
    ['tmux set-buffer "ls"', 'safe'],
    ['tmux bind x split-window -h', 'safe'],
    [`tmux set-hook -g after-new-session 'rename-window x'`, 'safe'],
    [`tmux bind x '{ run-shell "rm -rf src" }'`, 'dangerous'],
    [`tmux new -d \\; run-shell 'rm -rf src'`, 'dangerous'],
    ['tmux new -d \\; split-window -h', 'safe'],
    [`tmux set -g default-command 'rm -rf src'`, 'dangerous'],
    [`tmux set -g status-right '#(uptime)'`, 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});
