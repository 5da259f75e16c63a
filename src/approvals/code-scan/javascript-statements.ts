import type { Reading } from './language.ts';
import { bindPattern, patternAt } from './patterns.ts';
import { loadsModule } from './tree-effects.ts';

/** The name that tables know a module by. */
export function moduleName(text: string): string {
  const name = text
    .replace(/^(?:node|npm|jsr|bun):/, '')
    .replace(/(?<=[\w-])@[\d^~v].*$/, '')
    .replace(/\.[cm]?js$/, '');
  if (name === 'bun') return 'Bun';
  if (/^(?:@david\/dax|dax-sh|https?:\/\/deno\.land\/x\/dax|https?:\/\/esm\.sh\/dax(?:-sh)?)(?:\/|$)/.test(name))
    return 'dax';
  return /^(?:fs\/promises|fs\.promises|graceful-fs|fs-extra)$/.test(name) ? 'fs' : name;
}

/** `import`, `export ... from` and destructuring of a module. */
export function declaration(scan: Reading): boolean {
  if (scan.is('import') && !scan.is('(', 1) && !scan.is('.', 1)) return importStatement(scan);
  const ahead = /^(?:const|let|var|\()$/.test(scan.peek()?.text ?? '') ? 1 : 0;
  const pattern = scan.is('[', ahead) || (ahead > 0 && scan.is('{', ahead)) ? patternAt(scan, ahead) : null;
  if (!pattern || !scan.is('=', pattern.end)) return false;
  scan.skip(pattern.end + 1);
  bindPattern(scan, pattern, scan.expression(false));
  return true;
}

function importStatement(scan: Reading): boolean {
  scan.take();
  const members: [member: string, name: string][] = [];
  let whole = '';
  while (scan.peek() && !scan.is('from') && scan.peek()?.kind !== 'string') {
    if (scan.accept('{')) members.push(...importedMembers(scan));
    else if (scan.accept('*')) {
      scan.accept('as');
      whole = scan.take()?.text ?? '';
    } else if (!scan.accept(',')) whole = scan.take()?.text ?? '';
  }
  scan.accept('from');
  const token = scan.peek()?.kind === 'string' ? scan.take() : undefined;
  if (token) loadsModule(scan.sink, token.text, token);
  const source = moduleName(token?.text ?? '');
  if (whole !== '') scan.names.set(whole, { kind: 'ref', name: source });
  for (const [member, name] of members) scan.names.set(name, { kind: 'ref', name: `${source}.${member}` });
  return true;
}

/** `{ a, b as c }`. */
function importedMembers(scan: Reading): [member: string, name: string][] {
  const members: [string, string][] = [];
  while (scan.peek() && !scan.accept('}')) {
    const key = scan.take();
    if (key?.kind !== 'name' && key?.kind !== 'string') continue;
    const alias = scan.accept('as') && scan.peek()?.kind === 'name' ? (scan.take()?.text ?? '') : key.text;
    members.push([key.text, alias]);
  }
  return members;
}
