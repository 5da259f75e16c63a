import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

function gradeOf(command: string): string {
  return analyze(command, FACTS).grade;
}

describe('options of wrappers that stand in one word', () => {
  it.each([
    ['sudo -Eu root rm -rf /', 'hardline'],
    ['sudo -HEu root rm -rf /', 'hardline'],
    ['sudo -kEu root systemctl stop nginx', 'dangerous'],
    ['sudo -Eu root id', 'safe'],
    ['unshare -mfw /tmp rm -rf /', 'hardline'],
    ['strace -fqo out rm -rf /', 'hardline'],
    ['strace -fqo out ls', 'safe'],
    ['runuser -mu root rm -rf src', 'dangerous'],
    ['runuser -mu bob ls -la', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});

describe('shells by their other names and with other options', () => {
  it.each(['rbash', 'rksh', 'oksh', 'sash', 'pdksh', 'bash5', 'bash-5.2', 'zsh-5.9', 'ysh', 'fish', 'nu'])(
    '%s',
    (name) => {
      expect(gradeOf(`${name} -c 'rm -rf /'`)).toBe('hardline');
      expect(gradeOf(`${name} -c 'ls -la'`)).toBe('safe');
    },
  );

  it.each([
    ["fish -C 'rm -rf /' -c true", 'hardline'],
    ["fish --init-command='rm -rf /'", 'hardline'],
    ["fish --command 'rm -rf /'", 'hardline'],
    ["nu -e 'rm -rf /'", 'hardline'],
    ["echo 'rm -rf src' > x; fish -C true x", 'dangerous'],
    ["fish -C 'set x 1' -c true", 'safe'],
    ['fish script.fish', 'safe'],
    ['nu -n script.nu', 'safe'],
    ["echo 'rm -rf src' > rc && bash --rcfile rc -ic true", 'dangerous'],
    ["echo 'export A=1' > rc && bash --rcfile rc -ic true", 'safe'],
    ['bash --rcfile rc -ic true', 'safe'],
    ['bash -C x.sh', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});

describe('functions that come with the environment, and callbacks', () => {
  it.each([
    ["env 'BASH_FUNC_ls%%=() { rm -rf /; }' bash -c ls", 'hardline'],
    ["sudo env 'BASH_FUNC_f%%=() { rm -rf build; }' bash x.sh", 'dangerous'],
    ["sudo 'BASH_FUNC_f%%=() { rm -rf build; }' bash x.sh", 'dangerous'],
    ["env 'x=() { :;}; reboot' bash -c ls", 'hardline'],
    ["env 'BASH_FUNC_f%%=() { ls; }' bash x.sh", 'safe'],
    ["env 'my-name=1' rm -rf build", 'dangerous'],
    ["env 'my-name=1' ls", 'safe'],
    ["mapfile -c 1 -C 'rm -rf build; :' lines < f", 'dangerous'],
    ["readarray -C 'rm -rf' lines < f", 'dangerous'],
    ["readarray -C 'printf %s:%s' lines < f", 'safe'],
    ['mapfile -t lines < f', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});

describe('options of wrappers that nobody knows', () => {
  it.each([
    ['srun --new-option x rm -rf /', 'hardline'],
    ['srun --new-option rm -rf /', 'hardline'],
    ['firejail --new-option=x rm -rf /', 'hardline'],
    ['srun --new-option x ls -la', 'safe'],
    ['srun --new-option ls "$dir"', 'safe'],
    ['env --new-option make all', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});

describe('programs by their other names', () => {
  it.each([
    [`pypy3.10 -c 'import shutil; shutil.rmtree("/")'`, 'hardline'],
    [`python3.11-dbg -c 'import shutil; shutil.rmtree("/")'`, 'hardline'],
    [`perl5.36-x86_64-linux-gnu -e 'system("rm -rf /")'`, 'hardline'],
    [`luajit-2.1 -e 'os.execute("rm -rf /")'`, 'hardline'],
    [`gawk-5.1.0 'BEGIN{system("rm -rf /")}'`, 'hardline'],
    [`vim.nox -c '!rm -rf /' -c q`, 'hardline'],
    ['coreutils --coreutils-prog=rm -rf /', 'hardline'],
    ['gnurm -rf /', 'hardline'],
    ['slogin h rm -rf /data', 'dangerous'],
    ['python3.11-dbg script.py', 'safe'],
    ['gnuplot plot.gp', 'safe'],
    ['clang-18 -c a.c', 'safe'],
    ['php-cgi -v', 'safe'],
    ['coreutils --help', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(gradeOf(command)).toBe(grade);
  });
});
