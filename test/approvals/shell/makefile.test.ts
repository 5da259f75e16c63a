import { describe, expect, it } from 'vitest';
import { makeLines } from '../../../src/approvals/shell/makefile.ts';
import { UNKNOWN } from '../../../src/approvals/shell/marks.ts';

const run = (lines: readonly string[], ...words: readonly string[]) => makeLines(lines.join('\n'), words);

describe('the lines that make runs', () => {
  it('are those of the goals that are reached, each once', () => {
    const two = ['a:', '\tone', 'b: a', '\ttwo'];
    expect(run(two)).toEqual(['one']);
    expect(run(two, 'b')).toEqual(['two', 'one']);
    expect(run([...two, '.DEFAULT_GOAL := b'])).toEqual(['two', 'one']);
    expect(run(['.PHONY: a', '%.x: y', '\tpat', 'a:', '\tone'])).toEqual(['one']);
    expect(run(['a: b', 'a: c', '\tone', 'b:', '\ttwo', 'c:', '\tthree'])).toEqual(['one', 'three', 'two']);
    expect(run(['a: b', 'b: a', '\tone'])).toEqual(['one']);
    expect(run(['a b: ; one', 'c: ; two'], 'b')).toEqual(['one']);
    expect(run(['a: ; one'], 'none')).toEqual([]);
  });

  it('may be those of a pattern, where no rule of the name has any', () => {
    expect(run(['a: x.o', '%.o: %.c', '\tcc $*', 'x.o:', '\town'])).toEqual(['own']);
    expect(run(['a: x.o', '%.o: %.c', '\tcc $*', 'x.o: h'])).toEqual(['cc stem']);
    expect(run(['a%c: b', '\tone'], 'axc')).toEqual(['one']);
    for (const other of ['ax', 'xc']) expect(run(['a%c: b', '\tone'], other)).toEqual([]);
    const many = Array.from({ length: 51 }, (_, i) => `p${i}%: ; one`);
    expect(run(many.slice(1), 'x')).toEqual([]);
    expect(run(many, 'x')).toHaveLength(51);
  });

  it('stand below the rule or behind a semicolon, without what is for make', () => {
    expect(run(['a: ', '\t@-+ one', '\t# c', '\t', '', 'V = 1', '\tlost'])).toEqual(['one']);
    expect(run(['a: ; one; two', '\tthree', 'ifdef X', '\tfour', 'endif'])).toEqual(['one; two', 'three', 'four']);
    expect(run(['a | c: d | e ; one', 'd: ; two', 'e: ; three'])).toEqual(['one', 'three', 'two']);
    expect(run(['a:', '\techo \\', '\t  x'])).toEqual(['echo  x']);
    expect(run(['.ONESHELL:', 'a:', '\tone', '\ttwo', 'b:', '\tthree'])).toEqual(['one\ntwo']);
  });

  it('have their variables filled in', () => {
    const sets = ['V = 1 # c', 'V += 2', 'V ?= 3', 'W ?= 4', 'U += 5', 'all: # d'];
    expect(run([...sets, '\techo $V $(W) $(U)$N $$N $(CC) $(HOME)'])).toEqual(['echo 1 2 4 5 $N cc $HOME']);
    expect(run(['export V = 1', 'override W = 2', 'a:', '\techo $(V) $(W)'], 'W=3')).toEqual(['echo 1 3']);
    expect(run(['V = $(W)', 'W = $(X)', 'X = z', 'a: ; echo $(V)'])).toEqual(['echo z']);
    expect(run(['V := a.c b.h', 'a: ; $(V:.c=.o) $(V:%.c=%.o) $(V:.h=)'])).toEqual(['a.o b.h a.o b.h a.c b']);
    expect(run(['T = a b', '$(T): ; one', 'x: ; no'])).toEqual(['one']);
    expect(run(['a/x: b c', '\techo $(@D) $@ $< $^ $+ $? $* $%'])).toEqual(['echo . a/x b b c b c b c stem stem']);
  });

  it('are not known where make would work them out', () => {
    expect(run(['S = a.c', 'a: ; $(wildcard $(S)) $(strip $(S)) $(subst a,b,c)'])).toEqual([`a.c a.c ${UNKNOWN}`]);
    expect(run(['A = $(A)', 'a: ; echo $(A)'])).toEqual([`echo ${UNKNOWN}`]);
    expect(run(['a:', '\techo $(A', '\techo ${A', '\techo $(A))'])).toEqual([
      `echo ${UNKNOWN}`,
      `echo ${UNKNOWN}`,
      'echo )',
    ]);
  });

  it('are followed up to a number of variables, and a length', () => {
    const uses = (count: number) => run(['V = x', `a: ; ${'$(V)'.repeat(count)}`])[0];
    expect(uses(2_000)).toBe('x'.repeat(2_000));
    expect(uses(2_001)).toBe(`${'x'.repeat(2_000)}${UNKNOWN}`);
    const long = 'x'.repeat(30_000);
    expect(run([`V = ${long}`, 'a: ; $(V)$(V)$(V)'])).toEqual([`${long}${long}${UNKNOWN}`]);
  });

  it('are also what it runs while it reads', () => {
    const reads = ['$(info x)', '$(shell ls)', '$(warning x $(shell pwd))', 'a: ; echo $(info x)$(error y)-'];
    expect(run(reads)).toEqual(['ls', 'pwd', 'echo -']);
    expect(run(['V != ls', 'a: ; echo $(V)'])).toEqual(['ls', 'echo $(ls)']);
    expect(run(['V := $(shell ls $(X)) $(shell which cc)', 'X = y', 'a: ; $(V)'])).toEqual([
      'ls y',
      'which cc',
      '$(ls y) cc',
    ]);
    expect(run(['V := $(shell one', 'a: ; x'])).toEqual(['x']);
    expect(run(['a: ; echo $(shell b $(c))'])).toEqual(['echo $(b )']);
  });

  it('take the value that a goal has of its own, and none where there are several', () => {
    expect(run(['a: V = rm x', 'b: private W = y', 'a: ; $(V) $(W)'])).toEqual(['rm x y']);
    expect(run(['V = ls', 'a: V = rm x', 'a: ; $(V)'])).toEqual([UNKNOWN]);
    expect(run(['a: V += rm x', 'V = ls', 'a: ; $(V)'])).toEqual([UNKNOWN]);
    expect(run(['V = ls', 'V = pwd', 'a: W = x', 'a: ; $(V)'])).toEqual(['pwd']);
    expect(run(['a: V != rm x', 'a: ; ls'])).toEqual(['rm x', 'ls']);
    expect(run(['a: V := $(shell rm x)', 'a: ; ls'])).toEqual(['rm x', 'ls']);
  });
});
