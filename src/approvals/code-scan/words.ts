import { entryOf } from '../shell/lookup.ts';
import { UNKNOWN } from '../shell/marks.ts';
import type { Sink } from './effects.ts';
import { judgeDeletion } from './effects.ts';

/** What makes code of a language that is not read in full risky, and where it hands text to a shell. */
interface WordTable {
  readonly shell: readonly RegExp[];
  readonly risky: RegExp;
  /** Stops the machine. */
  readonly stop?: RegExp;
  /** Strings and comments: words in them are data. */
  readonly data?: RegExp;
  readonly deletes?: RegExp;
}

const TABLES: Readonly<Record<string, WordTable>> = {
  r: {
    shell: [/\b(?:system|shell|shell\.exec|pipe)\s*\(\s*(["'])((?:\\.|(?!\1).){0,500})\1\s*[),]/gs],
    risky:
      /\b(?:system2?|shell|pipe|eval|parse|source|dyn\.load|\.Call|\.C|\.External|do\.call|match\.fun|get0?|socketConnection|download\.file|write|writeLines|write\.\w+|save|saveRDS|sink|cat\s*\([^)]*file|file\.(?:create|rename|copy|symlink)|Sys\.(?:kill|chmod|setenv)|pskill|POST|PUT|DELETE)\s*\(/,
    deletes: /\b(?:unlink|file\.remove|dir_delete|file_delete)\s*\(/,
  },
  julia: {
    shell: [/\b(?:run|read|readchomp|pipeline)\s*\(\s*`([^`]{0,500})`/gs],
    risky:
      /`|\b(?:ccall|eval|include|include_string|Meta\.parse|write|open|cp|mv|download|connect|unsafe_\w+|chmod|chown)\s*\(|@eval/,
    deletes: /\brm\s*\(/,
  },
  applescript: {
    shell: [/\bdo\s+shell\s+script\s+"((?:\\.|[^"\\]){0,500})"/gis],
    risky:
      /\b(?:do\s+shell\s+script|run\s+script|load\s+script|do\s+script|keystroke|key\s+code|administrator\s+privileges|mount\s+volume|open\s+for\s+access|write\s|ObjC|set\s+the\s+clipboard|make\s+new\s+login\s+item|quit|log\s+out)\b|(?:«|<<)event\b/i,
    deletes: /\b(?:delete|empty|to\s+(?:the\s+)?trash)\b/i,
    stop: /(?:^|[\n\r(]|\b(?:to|then|else)\b)[ \t]*(?:shut[ \t]+down|restart)\b(?![ \t]*\()|(?:«|<<)event[ \t]+(?:aevtr(?:sdn|rst)|(?:aevt|fndr)(?:shut|rest))/i,
    data: /"(?:\\.|[^"\\])*"?|(?:--|#)[^\n]*|\(\*(?:[^*]|\*(?!\)))*(?:\*\))?/gs,
  },
  lisp: {
    shell: [
      /\(\s*(?:shell-command(?:-to-string)?|async-shell-command|sh|uiop:run-program)\s+"((?:\\.|[^"\\]){0,500})"/gs,
    ],
    risky: /./s,
    deletes: /\(\s*(?:delete-(?:file|directory)|uiop:delete-\w+)(?=\s)/,
  },
  kakoune: {
    shell: [/%sh\{([^}]{0,500})\}/gs],
    risky: /%sh|\bexec(?:ute-keys)?\b[^\n;]*[|!$]/,
  },
  bpftrace: {
    shell: [/\bsystem\s*\(\s*"((?:\\.|[^"\\]){0,500})"\s*[),]/gs],
    risky: /\b(?:system|signal|override)\s*\(/,
  },
  systemtap: {
    shell: [/\bsystem\s*\(\s*"((?:\\.|[^"\\]){0,500})"\s*\)/gs],
    risky: /\bsystem\s*\(|%\{|\$[\w>-]+\s*=(?!=)/,
  },
  tcl: {
    shell: [
      /(?:^|[;[\n{])[ \t]*(?:exec|spawn|system)\s+((?:-\w+\s+)*[^\]\n;}]{1,500})/gs,
      /\bsend\s+(?:--\s+)?"((?:\\.|[^"\\]){0,500})"/gs,
    ],
    risky: /\b(?:exec|spawn|system|eval|subst|source|socket|open|load|uplevel|interp|send)\b/,
    deletes: /\bfile\s+delete\b/,
  },
  elixir: {
    shell: [
      /\bSystem\.shell\s*\(\s*"((?:\\.|[^"\\]){0,500})"/gs,
      /:os\.cmd\s*\(?\s*(?:'|~c")((?:\\.|[^'"\\]){0,500})/gs,
    ],
    risky:
      /:(?:os\.cmd|gen_tcp|httpc)\b|\b(?:System\.(?:cmd|shell|stop|halt)|Port\.open|Code\.(?:eval|compile|require)\w*|File\.(?:write|cp|rename|ln|chmod|open|touch|mkdir)\w*|apply|spawn|Node\.|Repo\.(?:delete_all|query|update_all))/,
    deletes: /\bFile\.(?:rm_rf|rmdir|rm)!?/,
  },
  raku: {
    shell: [/\bshell\s*\(?\s*(["'])((?:\\.|(?!\1).){0,500})\1/gs, /\bqq?x\s*([{[(/|])([^}\])/|]{0,500})[}\])/|]/gs],
    risky:
      /\b(?:shell|run|qq?x|EVAL|EVALFILE|spurt|open|copy|move|rename|symlink|link|mkdir|chmod|chown|Proc|NativeCall|IO::Socket|require|kill|fork|syscall)\b/,
    deletes: /\b(?:unlink|rmdir|rm_rf|rmtree)\b/,
  },
  gnuplot: {
    shell: [/\bsystem\s*\(?\s*(["'])((?:\\.|(?!\1).){0,500})\1/gs, /(?:^|[\n;])\s*!([^\n]{0,500})/g],
    risky:
      /`|\b(?:system|shell|load|call|eval(?:uate)?|save|cd)\b|(?:^|[\n;])\s*!|["'][<|]|\bset\s+(?:output|print|table|loadpath)\b/,
  },
  m4: {
    shell: [/\be?syscmd\s*\(\s*`?([^')]{0,500})/gs],
    risky: /\b(?:e?syscmd|s?include|undivert|builtin|indir|mkstemp|maketemp|debugfile|changequote)\b/,
  },
  prolog: {
    shell: [/\bshell\s*\(\s*(["'])((?:\\.|(?!\1).){0,500})\1/gs],
    risky:
      /\b(?:shell|process_create|open|consult|load_files|use_module|use_foreign_library|tell|append|rename_file|make_directory|setof|call|exec|system|popen|unix|tcp_\w+|http_\w+)\b/,
    deletes: /\bdelete_(?:file|directory)\w*/,
  },
  groovy: {
    shell: [/(["'])((?:\\.|(?!\1).){0,500})\1\s*\.\s*execute\s*\(/gs],
    risky: /\.execute\s*\(|ProcessBuilder|Runtime|evaluate|\.write|\.text\s*=|newWriter|<<|Socket|URL/,
    deletes: /\.delete(?:Dir|OnExit)?\s*\(/,
  },
};

/** A text as long as the tables look may go on behind that. */
const LONGEST = 500;

/** Each removal that is no data, with the constant behind it where there is one. */
function judgeDeletions(pattern: RegExp, source: string, bare: string, sink: Sink): void {
  for (const match of bare.matchAll(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`))) {
    const end = match.index + match[0].length;
    const literal = /^\s*\(?\s*(["'])([^"'\\]{0,500})\1/.exec(source.slice(end, end + 520));
    judgeDeletion(sink, { pos: match.index, end }, literal?.[2] ?? UNKNOWN);
  }
}

/** Looks for words; a language without a table cannot be judged. */
export function scanWords(language: string, source: string, sink: Sink): void {
  const whole = { pos: 0, end: source.length };
  const table = entryOf(TABLES, language);
  if (!table) {
    sink.report('code.unread', whole);
    return;
  }
  let known = 0;
  for (const pattern of table.shell) {
    for (const match of source.matchAll(pattern)) {
      const text = (match[2] ?? match[1] ?? '').replace(/\\(["'\\$rn])/g, (_, char: string) =>
        char === 'n' || char === 'r' ? '\n' : char,
      );
      const at = { pos: match.index, end: match.index + match[0].length };
      if (/[$#]\{?\w/.test(text)) sink.report('code.spawn', at);
      sink.shell(text.replace(/\$\w+/g, UNKNOWN), at);
      if ((match[2] ?? match[1] ?? '').length < LONGEST) known++;
    }
  }
  const bare = table.data ? source.replace(table.data, (text) => ' '.repeat(text.length)) : source;
  if (table.stop?.test(bare)) sink.report('host.stop', whole);
  if (table.deletes) judgeDeletions(table.deletes, source, bare, sink);
  const risky = bare.match(new RegExp(table.risky.source, `${table.risky.flags.replace('g', '')}g`))?.length ?? 0;
  if (risky > known) sink.report('code.unread', whole);
}
