import { parse } from 'yaml';
import type { Path } from './path.ts';

/** One `--set a.b=c`, or the sentence that says what is wrong with it. */
export type SetOption = { readonly path: Path; readonly value: unknown } | { readonly problem: string };

/** The value is read as YAML: `9000`, `true`, `[telegram:1]`. A name with a dot stands in double quotes. Pure. */
export function readSetOption(option: string): SetOption {
  const equals = option.indexOf('=');
  const path = equals > 0 ? readPath(option.slice(0, equals)) : undefined;
  if (!path) return { problem: `--set ${shown(option)} is not KEY=VALUE; write --set http.port=9000` };
  try {
    return { path, value: parse(option.slice(equals + 1)) as unknown };
  } catch {
    return { problem: `--set ${shown(option)} has a value that cannot be read; put quotes around it` };
  }
}

const STEP = /^(?:"([^"]+)"|([\w-]+))(?:\.|$)/;

function readPath(text: string): Path | undefined {
  const path: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (!found) return undefined;
    path.push(found[1] ?? found[2] ?? '');
    rest = rest.slice(found[0].length);
    if (rest === '' && found[0].endsWith('.')) return undefined;
  }
  return path;
}

/** Never the value: it may be a secret. */
function shown(option: string): string {
  return option.replace(/=.*$/s, '=...');
}
