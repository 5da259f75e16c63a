import type { NamedRule } from './rule.ts';

/** What the scan of inline code reports, beside fs.*, disk.*, proc.* and the rules of commands it starts. */
export const codeFindings: readonly NamedRule[] = [
  {
    id: 'code.unread',
    grade: 'dangerous',
    why: 'runs code in a language hermod cannot judge',
    smart: true,
    match: ['Rscript -e "unlink(\'x\')"', 'tclsh <<< "exec ls"', 'emacs --batch --eval \'(delete-file "x")\''],
    notMatch: ['python3 a.py', 'Rscript a.R'],
  },
];
