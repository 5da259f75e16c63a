import type { Call } from '../shell/call.ts';
import { knownArgs } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { isProtectedRoot, resolvePath } from '../shell/paths.ts';
import { asksHelp, fieldHit } from './matching.ts';
import type { Hit, NamedRule, Rule } from './rule.ts';

interface Removal {
  readonly recursive: boolean;
  readonly targets: readonly Field[];
}

export const WINDOWS_REMOVERS: readonly string[] = [
  'rmdir',
  'rd',
  'del',
  'erase',
  'remove-item',
  'ri',
  'clear-content',
  'clear-recyclebin',
  'remove-itemproperty',
  'rm',
  'robocopy',
  'cipher',
  'start',
  'for',
];
const REMOVERS = new Set(WINDOWS_REMOVERS);

/** There a slash begins a path. */
const CMDLET = /^(?:remove|clear)-|^ri$/;

/** `start /b rd /s x`, `for /d %d in (*) do rd /s %d`: the command they run. */
function started(call: Call): Call | undefined {
  if (call.program !== 'start' && call.program !== 'for') return undefined;
  const from = call.program === 'for' ? call.args.findIndex(({ text }) => /^do$/i.test(text)) + 1 : 0;
  const at = call.args.findIndex(({ text }, i) => i >= from && !/^(?:\/.*|@?)$/.test(text));
  const program = call.args[at]?.text.replace(/^@/, '').toLowerCase() ?? '';
  const found = REMOVERS.has(program) && program !== call.program && !(call.program === 'for' && from === 0);
  return found ? { ...call, program, args: call.args.slice(at + 1) } : undefined;
}

/** `rmdir /s`, `del /q`, `Remove-Item -Recurse`, and their short names. */
function removal(call: Call): Removal | null {
  const inner = started(call);
  if (inner) return removal(inner);
  if (!REMOVERS.has(call.program)) return null;
  const switches = call.args.filter((arg) => /^\/[a-z]+$/i.test(arg.text)).map((arg) => arg.text.toLowerCase());
  const switched = CMDLET.test(call.program) ? /^-[a-z]/i : /^[-/][a-z]/i;
  const targets = call.args.filter((arg) => !switched.test(arg.text) || /^\/[a-z]+\//i.test(arg.text));
  switch (call.program) {
    case 'rmdir':
    case 'rd':
      return switches.includes('/s') || (switches.includes('/q') && switches.length > 0)
        ? { recursive: true, targets }
        : null;
    case 'del':
    case 'erase':
      return call.args.length > 0 && !switches.includes('/?') ? { recursive: switches.includes('/s'), targets } : null;
    case 'remove-item':
    case 'ri':
    case 'clear-content':
    case 'clear-recyclebin':
    case 'remove-itemproperty':
      return knownArgs(call).some((arg) => /^-whatif$/i.test(arg))
        ? null
        : { recursive: knownArgs(call).some((arg) => /^-(?:r|re|rec|recu|recur|recurs|recurse)$/i.test(arg)), targets };
    case 'rm':
      return knownArgs(call).some((arg) => /^-recurse$/i.test(arg)) ? { recursive: true, targets } : null;
    case 'robocopy':
      return switches.some((arg) => arg === '/mir' || arg === '/purge' || arg === '/move' || arg === '/mov') &&
        !switches.includes('/l')
        ? { recursive: true, targets: targets.slice(1, 2) }
        : null;
    case 'cipher':
      return knownArgs(call).some((arg) => /^\/w/i.test(arg)) ? { recursive: true, targets } : null;
    default:
      return null;
  }
}

const HOME_WORDS =
  /^(?:%userprofile%|\$env:userprofile|\$home|~|%homedrive%%homepath%|%systemroot%|%windir%|%systemdrive%|\$env:systemroot|\$env:systemdrive|\$env:windir|%programfiles%)(?:[\\/]\*?(?:\.\*)?)?$/i;

/** A drive, a system folder or a home under Windows, with everything below. */
export function wipesWindows(call: Call): Hit {
  const found = removal(call);
  if (!found?.recursive) return false;
  const hit = found.targets.find(
    (field) =>
      HOME_WORDS.test(field.text) ||
      HOME_WORDS.test(field.raw.replace(/^["']|["']$/g, '')) ||
      isProtectedRoot(resolvePath(field.text.replaceAll('\\', '/'), call.state.cwd), call.facts),
  );
  return hit ? fieldHit(hit) : false;
}

export function removesWindows(call: Call): Hit {
  const found = removal(call);
  if (!found) return false;
  const [first] = found.targets;
  return first ? fieldHit(first) : true;
}

/** Tools of Windows that stop, unprotect or start something, and how. */
const TOOLS: Readonly<Record<string, RegExp>> = {
  iisreset: /^[/-](?:stop|restart|reboot\w*|disable)$/i,
  'manage-bde': /^-(?:off|pause|wipefreespace|forcerecovery|protectors|lock)$/i,
  psexec: /./,
  psexec64: /./,
  fsutil: /^(?:deletejournal|setzerodata|setzero|createjournal|disable|enable|set)$/i,
  sdelete: /^[^-/]/,
  sdelete64: /^[^-/]/,
  dism: /^[/-](?:disable-feature|remove-\w+|apply-\w+|set-\w+)/i,
  auditpol: /^[/-](?:clear|remove|set|restore)$/i,
  regedit: /^[/-]s$|\.reg$/i,
  forfiles: /^[/-]c$/i,
};

function usesTool(call: Call): Hit {
  if (asksHelp(call)) return false;
  const how = TOOLS[call.program];
  const hit = how && call.args.find((arg) => how.test(arg.text));
  return hit ? fieldHit(hit) : false;
}

export const windowsRules: readonly Rule[] = [
  {
    id: 'host.windows',
    grade: 'dangerous',
    programs: Object.keys(TOOLS),
    test: usesTool,
    why: 'stops or unprotects a part of Windows, or runs commands with its tools',
    match: [
      'iisreset /stop',
      'manage-bde -off C:',
      'regedit /s x.reg',
      'forfiles /p . /c "cmd /c del @path"',
      'auditpol /clear /y',
      'fsutil usn deletejournal /d C:',
      'sdelete64 -s a',
    ],
    notMatch: [
      'iisreset /status',
      'manage-bde -status',
      'regedit /e out.txt',
      'auditpol /get /category:*',
      'fsutil fsinfo drives',
      'dism /online /get-features',
      'forfiles /p . /m *.log',
    ],
  },
];

/** Found by the code scan, as there are more cmdlets than names to list. */
export const windowsFindings: readonly NamedRule[] = [
  {
    id: 'host.cmdlet',
    grade: 'dangerous',
    why: 'removes, stops or disables something with a PowerShell command',
    match: [
      "pwsh -c 'Remove-AzResourceGroup -Name x -Force'",
      "pwsh -c 'Remove-ADUser bob'",
      "pwsh -c 'Disable-NetFirewallProfile'",
    ],
    notMatch: [
      "pwsh -c 'Get-AzVM'",
      "pwsh -c 'Remove-Variable x'",
      "pwsh -c 'Stop-Job 1'",
      "pwsh -c 'Remove-VM x -WhatIf'",
    ],
  },
];
