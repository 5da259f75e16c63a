/** A command line in parts: words, switches without a value, options with one. */
export interface Arguments {
  readonly words: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly options: Readonly<Record<string, string>>;
}

/** Reads `--name value`, `--name=value`, `--flag`; everything after `--` is a word. Returns a sentence for what is not known. */
export function readArguments(
  args: readonly string[],
  known: { readonly flags?: readonly string[]; readonly options?: readonly string[] },
): Arguments | string {
  const words: string[] = [];
  const flags = new Set<string>();
  const options: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name, value] = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (arg === '--') return { words: [...words, ...args.slice(i + 1)], flags, options };
    if (name === undefined) words.push(arg);
    else if (value === undefined && known.flags?.includes(name)) flags.add(name);
    else if (known.options?.includes(name)) {
      const given = value ?? args[++i];
      if (given === undefined) return `--${name} needs a value.`;
      options[name] = given;
    } else return `"${arg}" is not known here.`;
  }
  return { words, flags, options };
}
