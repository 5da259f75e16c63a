import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../src/approvals/analysis.ts';
import { analyze, scanCode } from '../../src/approvals/analyze.ts';
import type { Grade } from '../../src/contract/tool.ts';
import { FACTS } from './facts.ts';
import { hostileShapes } from './hostile-shapes.ts';
import { PIECES } from './shell-pieces.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

const rows = readFileSync(new URL('../corpus/commands.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { cmd: string }).cmd);

const RANK: Readonly<Record<Grade, number>> = { safe: 0, dangerous: 1, hardline: 2 };
const grade = (text: string) => analyze(text, FACTS).grade;

/** Rows that stay themselves with other text around them: `a &; b` is no shell text. */
const plain = rows.filter((row) => !/[\n#]|<<|\\$|&\s*$/.test(row) && analyze(row, FACTS).readable);
/** Rows without what would end a single-quoted text. */
const quotable = plain.filter((row) => !row.includes("'"));

const row = (from: readonly string[]) => fc.constantFrom(...from);

function holds(analysis: Analysis, text: string): void {
  expect(analysis.grade === 'safe').toBe(analysis.findings.length === 0);
  if (!analysis.readable) expect(analysis.grade).not.toBe('safe');
  for (const { span } of analysis.findings) {
    expect(span[0] >= 0 && span[0] <= span[1] && span[1] <= text.length).toBe(true);
  }
}

describe('any text at all', () => {
  it('is judged without a throw: 12,000 strings of tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }), fc.boolean(), (pieces, spaced) => {
        const text = pieces.join(spaced ? ' ' : '');
        holds(analyze(text, FACTS), text);
      }),
      { numRuns: 12_000 },
    );
  });

  it('is judged without a throw: 6,000 corpus rows with characters changed', () => {
    fc.assert(
      fc.property(
        row(rows),
        fc.array(fc.tuple(fc.nat(200), fc.constantFrom('', ...PIECES)), { minLength: 1, maxLength: 4 }),
        (command, edits) => {
          let text = command;
          for (const [at, piece] of edits)
            text = text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + (at % 3));
          holds(analyze(text, FACTS), text);
        },
      ),
      { numRuns: 6_000 },
    );
  });

  it('is judged without a throw: 2,000 strings of any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => holds(analyze(text, FACTS), text)),
      { numRuns: 2_000 },
    );
  });

  it('is scanned as a script without a throw, in every language', () => {
    const languages = ['python', 'js', 'perl', 'ruby', 'php', 'lua', 'awk', 'powershell', 'r', 'tcl', 'bash', 'cobol'];
    const tokens = [
      ...PIECES,
      'import os',
      'os.system(',
      'require(',
      "'fs'",
      '.rmSync(',
      'q{',
      's{',
      '}e',
      '#{',
      '%w[',
      'def',
      'end',
      'lambda',
      '=>',
      '...',
      '`',
      '/x/',
      '//',
      '/*',
      '*/',
      '"""',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...languages),
        fc.array(fc.constantFrom(...tokens), { maxLength: 20 }),
        (language, pieces) => {
          const text = pieces.join(' ');
          holds(scanCode(language, text, FACTS), text);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('a text is never looser than the strictest of its parts', () => {
  const strictest = (...parts: readonly string[]) => Math.max(...parts.map((part) => RANK[grade(part)]));
  const check = (whole: string, ...parts: readonly string[]) => {
    expect({ whole, rank: RANK[grade(whole)] >= strictest(...parts) }).toEqual({ whole, rank: true });
  };

  it('in lists, pipelines and groups', () => {
    fc.assert(
      fc.property(row(plain), row(plain), fc.constantFrom('; ', ' && ', ' || ', '\n', ' & '), (a, b, by) =>
        check(`${a}${by}${b}`, a, b),
      ),
      { numRuns: 1_500 },
    );
    fc.assert(
      fc.property(row(plain), (a) => {
        check(`( ${a} )`, a);
        check(`{ ${a}\n}`, a);
        check(`if true; then ${a}\nfi`, a);
        check(`while ${a}\ndo break; done`, a);
        check(`g() { ${a}\n}`, a);
        check(`! ${a}`, a);
      }),
      { numRuns: 400 },
    );
  });

  it('in substitutions', () => {
    fc.assert(
      fc.property(row(plain), (a) => {
        check(`echo $(${a}\n)`, a);
        check(`x="$(${a}\n)"`, a);
        check(`cat <(${a}\n)`, a);
        check(`echo \${x:-$(${a}\n)}`, a);
        check(`cat <<E\n$(${a}\n)\nE`, a);
      }),
      { numRuns: 400 },
    );
  });

  it('in shells and behind wrappers', () => {
    fc.assert(
      fc.property(row(quotable), (a) => {
        check(`sh -c '${a}'`, a);
        check(`bash -lc '${a}'`, a);
        check(`eval '${a}'`, a);
        check(`sudo sh -c '${a}'`, a);
        check(`echo '${a}' | sh`, a);
        check(`sh <<'END_OF_IT'\n${a}\nEND_OF_IT`, a);
        check(`ssh host '${a}'`, a);
      }),
      { numRuns: 300 },
    );
  });

  it('before a plain command', () => {
    const simple = plain.filter(
      (one) =>
        /^[a-z][\w.-]* [^;&|<>()`$!{}=]*$/.test(one) &&
        !/^(?:export|alias|cd|eval|trap|time|if|for|case|while|source|history|read|unset|wait|shopt|exec|command|sudo) /.test(
          one,
        ),
    );
    fc.assert(
      fc.property(
        row(simple),
        fc.constantFrom(
          'nice',
          'nohup',
          'timeout 5',
          'env A=1',
          'sudo',
          'setsid',
          'stdbuf -oL',
          'ionice -c3',
          'time',
          'strace -f',
          'command',
          'busybox',
          'A=1',
        ),
        (a, wrapper) => check(`${wrapper} ${a}`, a),
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('texts made to be hard', () => {
  it('are asked, or judged whole, at 64 KB', () => {
    const shapes = Object.entries(hostileShapes(65_000));
    expect(shapes.length).toBeGreaterThanOrEqual(28);
    for (const [name, text] of shapes) {
      const analysis = analyze(text, FACTS);
      expect([name, analysis.readable || analysis.grade !== 'safe']).toEqual([name, true]);
      holds(analysis, text);
    }
  });

  it('nest 20,000 levels deep', () => {
    expect(analyze('"$('.repeat(20_000), FACTS)).toMatchObject({ readable: false, grade: 'dangerous' });
    expect(analyze(`${'$('.repeat(20_000)}ls${')'.repeat(20_000)}`, FACTS).readable).toBe(false);
    expect(analyze(`python3 -c '${'('.repeat(20_000)}'`, FACTS).grade).not.toBe('hardline');
  });
});
