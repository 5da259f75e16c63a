import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gateRules } from '../../src/approvals/own-findings.ts';
import type { ApprovalsConfig } from '../../src/approvals/policy-config.ts';
import { allFindings } from '../../src/approvals/rules/all.ts';
import { explain } from '../../src/cli/explain.ts';
import { FACTS } from '../approvals/facts.ts';
import { APPROVALS_DEFAULTS } from '../fakes/approvals-config.ts';

async function run(
  args: readonly string[],
  { stdin = '', config = {} }: { readonly stdin?: string; readonly config?: Partial<ApprovalsConfig> } = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await explain(args, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stdin: (async function* () {
      for (let i = 0; i < stdin.length; i += 7) yield stdin.slice(i, i + 7);
    })(),
    facts: FACTS,
    config: { ...APPROVALS_DEFAULTS, ...config },
  });
  return { code, out, err };
}

describe('hermod explain', () => {
  it('exits 0, 2 or 3 for what would run, be asked or be refused', async () => {
    expect((await run(['ls -la'])).code).toBe(0);
    expect((await run(['rm -rf build'])).code).toBe(2);
    expect((await run(['rm -rf /'])).code).toBe(3);
    expect((await run(['--as', 'cron', 'rm -rf build'])).code).toBe(3);
    expect((await run(['rm -rf build', '--as=cron'], { config: { cron_mode: 'approve' } })).code).toBe(0);
  });

  it('underlines what was found and says what a wrapper hid', async () => {
    const { out } = await run(['sudo -u bob rm -rf build']);
    const at = out.findIndex((line) => line.includes('sudo -u bob rm -rf build') && !line.startsWith('runs'));
    expect(out[at + 1]?.indexOf('^')).toBe((out[at] as string).indexOf('build'));
    expect(out.some((line) => /^hidden by\s+sudo \(sudo:bob\): rm -rf build$/.test(line))).toBe(true);
  });

  it('shows the decision for every authority, or for one', async () => {
    const all = (await run(['rm -rf build'])).out.join('\n');
    for (const name of ['chat', 'cli', 'cron', 'unattended', 'worker', 'nobody'])
      expect(all).toMatch(new RegExp(`^${name} `, 'm'));
    const one = (await run(['rm -rf build', '--as', 'unattended'])).out.join('\n');
    expect(one).toContain('block:unattended');
    expect(one).not.toContain('block:cron');
  });

  it('names what could be granted, and why nothing lasting can', async () => {
    expect((await run(['rm -rf build'])).out.join('\n')).toMatch(/offered\s+once, timed, session, always, deny/);
    const several = (await run(['cd x && rm -rf build'])).out.join('\n');
    expect(several).toMatch(/offered\s+once, deny/);
    expect(several).toContain('it has several commands');
  });

  it('judges from the folder given', async () => {
    expect((await run(['--cwd', '/', 'rm -rf etc'])).code).toBe(3);
    expect((await run(['--cwd', '~', 'rm -rf docs'])).code).toBe(2);
  });

  it('takes words after -- as they are', async () => {
    const { out } = await run(['--json', '--', 'rm', '-rf', '--as', 'x']);
    expect(JSON.parse(out[0] as string).command).toBe('rm -rf --as x');
  });

  it('answers commands and JSON strings, one line each', async () => {
    const { code, out } = await run(['--stdin', '--json'], { stdin: 'ls\n"cd /\\nrm -rf *"\n\nrm -rf x' });
    expect(code).toBe(0);
    const answers = out.map((line) => JSON.parse(line));
    expect(answers.map((one) => one.grade)).toEqual(['safe', 'hardline', 'dangerous']);
    expect(answers[2]).toMatchObject({
      argv: [['rm', '-rf', 'x']],
      findings: [{ rule: 'fs.delete', text: 'x' }],
      decisions: { chat: { label: 'ask:chat' }, cron: { label: 'block:cron' }, nobody: { label: 'block:no-human' } },
    });
  });

  it('holds deny rules against what runs in the end', async () => {
    expect((await run(['nice git push origin x'], { config: { deny: ['git push *'] } })).code).toBe(3);
  });

  it('lists every rule', async () => {
    const { out } = await run(['--rules']);
    const all = [...allFindings, ...gateRules];
    expect(out).toHaveLength(all.length);
    for (const rule of all) expect(out.some((line) => line.startsWith(`${rule.id} `))).toBe(true);
  });

  it('says what is wrong with the arguments', async () => {
    for (const args of [[], ['--as', 'king', 'ls'], ['--wat', 'ls'], ['--cwd']]) {
      const { code, err } = await run(args);
      expect(code).toBe(64);
      expect(err.join()).toContain('hermod explain');
    }
  });

  it('writes control characters out', async () => {
    const { out } = await run(['echo a\u202eb']);
    expect(out.join('\n')).not.toContain('\u202e');
    expect(out.join('\n')).toContain('\\u{202e}');
  });
});

describe('explain over the corpus', () => {
  const rows = readFileSync(new URL('../corpus/commands.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { cmd: string });

  it('answers every row once, in order', async () => {
    const { out } = await run(['--stdin'], { stdin: rows.map((row) => JSON.stringify(row.cmd)).join('\n') });
    expect(out.map((line) => JSON.parse(line).command)).toEqual(rows.map((row) => row.cmd));
  });
});
