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
