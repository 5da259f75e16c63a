import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

describe('attributes that declare, typeset and local give a name', () => {
  it.each([
    [`declare -l y='RM -RF /'; eval "$y"`, 'hardline'],
    [`f() { local -rl y='RM -RF /'; eval "$y"; }; f`, 'hardline'],
    [`declare -l y; y='RM -RF BUILD'; bash -c "$y"`, 'dangerous'],
    [`declare -l y; declare +l y; y='RM -RF BUILD'; bash -c "$y"`, 'safe'],
    [`declare -l y='LS -LA'; eval "$y"`, 'safe'],
    [`declare -u y='rm -rf /'; eval "$y"`, 'safe'],
    [`x='RM -RF /'; y=${'$'}{x@L}; eval "$y"`, 'hardline'],
    [`typeset -L2 y='lsx'; eval "$y"`, 'dangerous'],
    [`declare -n r=t; t='rm -rf build'; eval "$r"`, 'dangerous'],
    [`declare -n r=t; r='rm -rf build'; eval "$t"`, 'dangerous'],
    [`r=t; declare -n r; t='rm -rf build'; eval "$r"`, 'dangerous'],
    [`declare -n r; r=t; t='rm -rf build'; eval "$r"`, 'dangerous'],
    [`declare -n a=b b=a; a=ls; eval "$b"`, 'dangerous'],
    [`declare -n r=$x; r=ls; eval "$r"`, 'dangerous'],
    [`declare -n r=t; t=ls; eval "$r"`, 'safe'],
    ['f() { local -n out=$1; out=5; }; f x; echo "$x"', 'safe'],
  ])('%s: %s', (command, grade) => {
    expect(analyze(command, FACTS).grade).toBe(grade);
  });
});
