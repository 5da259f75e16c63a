import { type Call, optionsOf, pathsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { CURL_OPTIONS } from '../shell/file-effects.ts';
import { formatPath } from '../shell/paths.ts';
import type { Hit, Rule } from './rule.ts';

/** A client that is told what to do by lines: the options that bring them, beside stdin, and lines that delete. */
interface Client {
  readonly options: string;
  readonly code: readonly string[];
  /** The option that names a file of lines. */
  readonly file?: string;
  readonly loss: RegExp;
}

const FTP_LOSS =
  /^[-@]?(?:m?rm|m?del(?:e|et|ete)?|deltree|posix_unlink|glob (?:-\w+ )?rm)\s|^mirror\s(?:.*\s)?(?:-\w*e\w*|--delete(?:-\w+)?|--Remove-source-\w+|--Move)(?:\s|$)/;

const SFTP: Client = { options: 'P: o: i: F: c: l: b: B: R: S: s: u: p:', code: [], file: 'b', loss: FTP_LOSS };
const FTP: Client = { options: 'P: N: s: u: p: w:', code: [], loss: FTP_LOSS };

const CLIENTS: Readonly<Record<string, Client>> = {
  sftp: SFTP,
  ncftp: FTP,
  ftp: FTP,
  tnftp: FTP,
  tftp: { options: 'c: m:', code: ['c'], loss: FTP_LOSS },
  lftp: { options: 'e: c: u: p: f:', code: ['e', 'c'], file: 'f', loss: FTP_LOSS },
  smbclient: {
    options: 'c|command: U|user: A|authentication-file: D|directory: p: W: I: m: t: N k',
    code: ['c'],
    loss: FTP_LOSS,
  },
  curl: { options: CURL_OPTIONS, code: ['Q', 'X'], loss: /^[-+*]?(?:dele|rmd|rm|rmdir)\s/i },
  nsupdate: { options: 'k: y: p: t: u: r:', code: [], loss: /^(?:update\s+)?del(?:ete)?\s/i },
};

/** The commands a client is given, one by one. */
export function clientLines(call: Call): readonly string[] {
  const client = CLIENTS[call.program];
  if (!client) return [];
  const { options, code, file } = client;
  const given = code.length === 0 ? [] : code.flatMap((name) => optionsOf(call, options).values(name));
  const texts = given.map(({ text }) => text);
  const named = file === undefined ? undefined : optionsOf(call, options).value(file);
  if (named) texts.push(...textsIn(call, named));
  if (call.program !== 'curl' && call.stdin.kind !== 'none' && call.stdin.text !== null) texts.push(call.stdin.text);
  return texts.flatMap((text) => text.split(/[\n;]|&&|\|\|/)).map((line) => line.trim());
}

/** What is in a file that was written before, or in `<(..)`. */
function textsIn(call: Call, named: Field): readonly string[] {
  if (named.content) return [named.content.text ?? ''];
  return pathsOf(call, named).map((path) => call.state.files.get(formatPath(path))?.text ?? '');
}

function deletesThere(call: Call): Hit {
  const loss = CLIENTS[call.program]?.loss;
  return loss !== undefined && clientLines(call).some((line) => loss.test(line));
}

export const clientScriptRules: readonly Rule[] = [
  {
    id: 'net.remote-delete',
    grade: 'dangerous',
    programs: Object.keys(CLIENTS),
    test: deletesThere,
    why: 'deletes files or records on another machine',
    smart: true,
    match: [
      "sftp host <<< 'rm /srv/a'",
      "printf 'cd /srv\\ndelete a\\n' | ftp -n host",
      "printf 'rm a\\n' > b && sftp -b b host",
      "lftp -e 'mirror -R --delete a b; bye' host",
      "smbclient //h/s -c 'cd x; del a'",
      "curl -Q 'DELE a' ftp://host/",
      "nsupdate <<< 'update delete a.example A'",
    ],
    notMatch: [
      "sftp host <<< 'get a'",
      "lftp -e 'mirror -R a b; bye' host",
      "lftp -e 'mirror --exclude x a b; bye' host",
      "smbclient //h/s -c 'get a'",
      "curl -Q 'NOOP' ftp://host/",
      "nsupdate <<< 'update add a.example 60 A 10.0.0.1'",
    ],
  },
];
