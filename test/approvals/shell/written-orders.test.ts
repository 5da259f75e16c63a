import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const rules = (text: string) => [...new Set(analyze(text, FACTS).findings.map(({ rule }) => rule))];
/** The text that writes the file, and what is run then. */
const ran = (file: string, lines: readonly string[], command: string) =>
  rules(`cat > ${file} <<'END'\n${lines.join('\n')}\nEND\n${command}`);

const MAKEFILE = [
  'OUT := build',
  'OBJ = $(SRC:.c=.o)',
  'SRC := a.c b.c',
  'ifeq ($(OS),Windows_NT)',
  'EXE := .exe',
  'endif',
  'all: app',
  'app: $(OBJ)',
  '\t$(CC) -o $@$(EXE) $^ && echo "pid $$$$"',
  '%.o: %.c',
  '\t@$(CC) -c $< -o $@',
  'clean: stop',
  '\trm -f $(OBJ)',
  'wipe-%:',
  '\t-rm -rf $(OUT)/$*',
  'stop: ; kill -9 1234',
  'odd:',
  '\t$(subst x,,rxm) -rf src',
];

describe('a makefile that was written here', () => {
  it('is judged by the goals that are reached', () => {
    expect(ran('Makefile', MAKEFILE, 'make')).toEqual([]);
    expect(ran('Makefile', MAKEFILE, 'make app')).toEqual([]);
    expect(ran('Makefile', MAKEFILE, 'make clean')).toEqual(['proc.kill']);
    expect(ran('Makefile', MAKEFILE, 'make wipe-all')).toEqual(['fs.delete']);
    expect(ran('Makefile', MAKEFILE, 'make -n wipe-all')).toEqual([]);
    expect(ran('Makefile', MAKEFILE, 'make odd')).toContain('code.hidden-command');
  });

  it('is found under the names make looks for, in its folder, or under the one it is given', () => {
    const wipe = ['all:', '\trm -rf src'];
    expect(ran('GNUmakefile', wipe, 'make')).toEqual(['fs.delete']);
    expect(ran('x.mk', wipe, 'make')).toEqual([]);
    expect(ran('x.mk', wipe, 'make -f x.mk')).toEqual(['fs.delete']);
    expect(ran('sub/Makefile', ['all:', '\trm -rf /'], 'make -C sub')).toContain('fs.wipe');
    expect(ran('sub/Makefile', ['all:', '\trm a'], 'make -C sub')).toEqual([]);
  });

  it('is read with what the words set, with one shell for a recipe, and by what runs while it is read', () => {
    expect(ran('Makefile', ['D = /tmp/x', 'all:', '\trm -rf $(D)'], 'make D=/')).toContain('fs.wipe');
    expect(ran('Makefile', ['.ONESHELL:', 'all:', '\tif true; then', '\tls', '\tfi'], 'make')).toEqual([]);
    expect(ran('Makefile', ['V := $(shell rm -rf src)', 'all:', '\tls'], 'make')).toEqual(['fs.delete']);
    expect(ran('Makefile', ['V != rm -rf src', 'all:', '\tls'], 'make')).toEqual(['fs.delete']);
    expect(ran('Makefile', ['PY := $(shell which python3)', 'all:', '\t$(PY) -m pytest'], 'make')).toEqual([]);
  });

  it('ends where it expands without end', () => {
    const grows = Array.from({ length: 60 }, (_, i) => `A${i} = $(A${i + 1})$(A${i + 1})`);
    expect(ran('Makefile', [...grows, 'A60 = x', 'all:', '\techo $(A0)', '\techo $(A1)'], 'make')).toEqual([]);
  });
});

describe('scripts of a project that were written here', () => {
  const PACKAGE = [
    '{"scripts": {"build": "tsc", "prebuild": "npm run clean", "clean": "rm -rf dist",',
    '"lint": "eslint .", "again": "npm run again", "postinstall": "kill -9 1"}}',
  ];

  it('are judged where they run', () => {
    for (const fine of ['npm run lint', 'yarn lint -- --fix "(a)"', 'pnpm lint', 'npm view x', 'npm run none'])
      expect([fine, ran('package.json', PACKAGE, fine)]).toEqual([fine, []]);
    expect(ran('package.json', PACKAGE, 'npm run build')).toEqual(['fs.delete']);
    expect(ran('package.json', PACKAGE, 'bun run clean')).toEqual(['fs.delete']);
    expect(ran('package.json', PACKAGE, 'npm i')).toEqual(['proc.kill']);
    expect(ran('p/package.json', PACKAGE, 'npm --prefix p run clean')).toEqual(['fs.delete']);
    expect(ran('package.json', PACKAGE, 'npm run again')).toEqual(['shell.unreadable']);
    expect(ran('package.json', ['{"scripts": 1'], 'npm run x')).toEqual([]);
  });

  it('are those that npm itself set', () => {
    const set = "npm pkg set scripts.x='rm -rf src' scripts.y=ls";
    expect(rules(`${set}; npm run x`)).toEqual(['fs.delete']);
    expect(rules(`${set}; npm run y`)).toEqual([]);
    expect(rules(`${set}; cat package.json`)).toEqual([]);
  });

  it('may be what direnv loads', () => {
    expect(ran('.envrc', ['export A=1', 'rm -rf src'], 'direnv allow')).toEqual(['fs.delete']);
    expect(ran('.envrc', ['export A=1', 'PATH_add bin'], 'direnv allow .')).toEqual([]);
  });

  it('may be those of a justfile', () => {
    const just = ['d := "src"', 'default: build', 'build:', '  cargo build', 'clean x="1": build', '  rm -rf {{d}}'];
    expect(ran('justfile', just, 'just')).toEqual([]);
    expect(ran('justfile', just, 'just clean')).toEqual(['fs.delete']);
  });
});

describe('modules and scripts that were written here', () => {
  it('are judged where they are loaded', () => {
    const wipe = ['import shutil', 'shutil.rmtree("src")'];
    for (const load of ['python3 -m m', 'python3 -c "import json, m"', 'python3 -c "from m import x"'])
      expect([load, ran('m.py', wipe, load)]).toEqual([load, ['fs.delete']]);
    expect(ran('m.py', wipe, 'python3 -c "import n"')).toEqual([]);
    expect(ran('m.js', ['require("fs").rmSync("src", {recursive: true})'], 'node -r ./m a.js')).toEqual(['fs.delete']);
    expect(ran('conftest.py', wipe, 'pytest -q')).toEqual(['fs.delete']);
    expect(ran('conftest.py', ['def d(tmp_path):', '    (tmp_path / "a").write_text("x")'], 'pytest')).toEqual([]);
  });

  it('count as the lines of an editor, a debugger, a database or ssh', () => {
    expect(ran('x.vim', [':!rm -rf src'], 'vim -S x.vim f')).toEqual(['code.option', 'fs.delete']);
    expect(ran('x.gdb', ['run', 'shell rm -rf src'], 'gdb -x x.gdb')).toEqual(['code.option', 'fs.delete']);
    expect(ran('q.sql', ['\\! rm -rf src'], 'psql -f q.sql')).toContain('fs.delete');
    expect(ran('c', ['Host h', '  ProxyCommand rm -rf src'], 'ssh -F c h')).toEqual(['code.option', 'fs.delete']);
    expect(ran('c', ['Host h', '  User u'], 'ssh -F c h uptime')).toEqual([]);
    expect(ran('x.vim', ['set number'], 'vim -S x.vim f')).toEqual([]);
  });
});

describe('what was written here and is read again and again', () => {
  it('is read up to a limit, past which nothing is said to be checked', () => {
    const long = ['all:', '\tls', ...Array.from({ length: 500 }, (_, i) => `${i}: all`)];
    expect(ran('Makefile', long, 'make;'.repeat(5))).toEqual([]);
    expect(ran('Makefile', long, 'make;'.repeat(200))).toEqual(['shell.unreadable']);
  });
});

describe('a file written in several folders of which any may be the one', () => {
  const both = (name: string, first: string, second: string, command: string) =>
    analyze(
      `printf '${first}' > a/${name}; printf '${second}' > b/${name}; if x; then cd a; else cd b; fi; ${command}`,
      FACTS,
    ).grade;

  it('is asked about where the texts differ', () => {
    expect(both('Makefile', 'all:\\n\\tls\\n', 'all:\\n\\treboot\\n', 'make')).toBe('dangerous');
    expect(both('package.json', '{"scripts":{"x":"ls"}}', '{"scripts":{"x":"reboot"}}', 'npm run x')).toBe('dangerous');
    expect(both('m.py', 'print(1)', 'import os;os.system("reboot")', 'python3 -m m')).toBe('dangerous');
    expect(both('s.sql', 'select 1', 'DROP TABLE x', 'psql -f s.sql')).toBe('dangerous');
    expect(both('name', 'x', '/etc/passwd', 'rm "$(<name)"')).toBe('dangerous');
    expect(both('t.sh', 'ls', 'reboot', 'bash t.sh')).toBe('hardline');
  });

  it('is judged as the one text where it is the same', () => {
    expect(both('Makefile', 'all:\\n\\tls\\n', 'all:\\n\\tls\\n', 'make')).toBe('safe');
    expect(both('m.py', 'print(1)', 'print(1)', 'python3 -m m')).toBe('safe');
    expect(both('name', 'x', 'x', 'rm "$(<name)"')).toBe('safe');
  });
});

describe('files that are read again and again', () => {
  it('are paid for by all shells of a text together', () => {
    const written = `printf 'all:\\n\\tls\\n${'a: b\\n'.repeat(500)}' > Makefile;`;
    expect(analyze(`${written}${'(make);'.repeat(5)}`, FACTS).grade).toBe('safe');
    expect(analyze(`${written}${'(make);'.repeat(40)}`, FACTS).readable).toBe(false);
    expect(analyze(`${written}${'cat <<E | make\n$(make)\nE\n'.repeat(40)}`, FACTS).readable).toBe(false);
  });
});
