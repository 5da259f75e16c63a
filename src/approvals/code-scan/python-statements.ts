import type { Reading } from './language.ts';
import { pythonName } from './python-modules.ts';

/** `import a.b as c, d` and `from x import a as b, (c)`. */
export function pythonStatement(scan: Reading): boolean {
  if (scan.is('with')) return false;
  if (scan.is('as')) return bindsOpened(scan);
  if (scan.is('import')) {
    scan.take();
    do {
      const name = dotted(scan);
      const alias = scan.accept('as') ? (scan.take()?.text ?? '') : (name.split('.')[0] as string);
      bindImport(scan, alias, alias === name.split('.')[0] ? alias : name);
    } while (scan.accept(','));
    return true;
  }
  if (!scan.is('from') || scan.peek(1)?.kind !== 'name') return false;
  scan.take();
  const module = dotted(scan);
  if (!scan.accept('import')) return true;
  scan.accept('(');
  do {
    scan.skipLines();
    if (scan.accept('*')) scan.starred.add(module);
    const token = scan.peek();
    if (token?.kind !== 'name') break;
    scan.take();
    const alias = scan.accept('as') ? (scan.take()?.text ?? '') : token.text;
    scan.imported.add(module.split('.')[0] as string);
    bindImport(scan, alias, `${module}.${token.text}`);
  } while (scan.accept(','));
  scan.accept(')');
  return true;
}

function bindImport(scan: Reading, alias: string, name: string): void {
  scan.imported.add(name.split('.')[0] as string);
  const known = pythonName(name, scan.imported);
  if (known !== name) scan.imported.add(known);
  scan.names.set(alias, { kind: 'ref', name: known });
}

/** `with open(x) as f`. */
function bindsOpened(scan: Reading): boolean {
  const name = scan.peek(1);
  if (name?.kind !== 'name' || !/^(?:ref|any)$/.test(scan.last.kind)) return false;
  scan.take();
  scan.take();
  scan.names.set(name.text, scan.last);
  return true;
}

function dotted(scan: Reading): string {
  let name = scan.take()?.text ?? '';
  while (scan.accept('.')) name += `.${scan.take()?.text ?? ''}`;
  return name;
}
