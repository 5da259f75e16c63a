import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const grade = (command: string) => analyze(command, FACTS).grade;

describe('commands that editors and tracers run', () => {
  it.each([
    "ex -sc '!rm -rf /' -cq x",
    "ex -es x <<< 'sil! !rm -rf /'",
    "printf '!rm -rf /\\n' | vim -es f",
    "kak -n -e 'nop %sh{rm -rf /}' -ui dummy",
    'bpftrace --unsafe -e \'BEGIN { system("rm -rf /"); }\'',
    'stap -e \'probe begin { system("rm -rf /") }\'',
  ])('are graded as what they are: %s', (command) => expect(grade(command)).toBe('hardline'));

  it.each([
    "ex -sc 'g/x/d' -cx f.txt",
    "ex -s f.txt <<< $'g/x/d\\nx'",
    'ex -s f.txt < edits.ex',
    "vim -es '+%s/a/b/' +wq f",
    "kak -e 'set global tabstop 2' f",
    "emacsclient -c -a '' f",
    "bpftrace -l 'tracepoint:*'",
    'stap -L \'kernel.function("x")\'',
  ])('are none where text is edited or looked at: %s', (command) => expect(grade(command)).toBe('safe'));
});
