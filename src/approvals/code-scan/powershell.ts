import { UNKNOWN } from '../shell/marks.ts';
import type { Sink } from './effects.ts';

const RUNS =
  /\b(?:iex|invoke-expression|invoke-command|icm|start-process|saps|add-type|invoke-wmimethod|invoke-cimmethod|new-object\s+(?:-comobject|system\.management)|\[scriptblock\]::create|downloadstring|downloadfile|downloaddata|frombase64string|invoke-restmethod\s[^|;]*\|\s*iex|set-executionpolicy|\[system\.reflection|\[reflection\.assembly|getmethod|\.invoke\(|register-\w+event|enter-pssession|start-job|unblock-file|add-mppreference)\b/i;
const FETCHES =
  /\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|downloadfile|net\.webclient|start-bitstransfer)\b/i;

/** PowerShell text: every statement as a program with words; what runs other code is asked. */
export function scanPowershell(source: string, sink: Sink): void {
  const whole = { pos: 0, end: source.length };
  if (RUNS.test(source)) sink.report(FETCHES.test(source) ? 'code.remote' : 'code.dynamic', whole);
  if (/\[(?:System\.)?IO\.(?:File|Directory)\]::(?:Delete|Move|WriteAll\w+)/i.test(source))
    sink.report('fs.delete', whole);
  for (const statement of statements(source)) if (statement.length > 0) sink.argv(statement, whole);
}

/** Words of each statement; quotes group, a backtick escapes, variables stay unknown but for the home. */
function statements(source: string): readonly (readonly string[])[] {
  const out: string[][] = [[]];
  let word = '';
  let quote = '';
  let open = false;
  const close = () => {
    if (open || word !== '') (out.at(-1) as string[]).push(variables(word));
    word = '';
    open = false;
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i] as string;
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char === '`' && quote === '"' ? (source[++i] ?? '') : char;
    } else if (char === '"' || char === "'") {
      quote = char;
      open = true;
    } else if (char === '`') word += source[++i] ?? '';
    else if (/[;|\n{}()&]/.test(char)) {
      close();
      if ((out.at(-1) as string[]).length > 0) out.push([]);
    } else if (/\s/.test(char)) close();
    else if (char === ',') close();
    else word += char;
  }
  close();
  return out.filter((words) => words.length > 0).slice(0, 200);
}

function variables(word: string): string {
  if (/^\$(?:HOME|env:(?:USERPROFILE|HOME|SystemRoot|SystemDrive|windir))/i.test(word)) return word;
  return word.replace(/\$[\w:{}]+/g, UNKNOWN);
}
