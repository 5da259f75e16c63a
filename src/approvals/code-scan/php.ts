import type { Effect } from './effects.ts';
import {
  deletes,
  dynamic,
  folderNow,
  folderOf,
  gives,
  globbed,
  native,
  opens,
  programAndList,
  reads,
  readsEnv,
  reports,
  shells,
  signals,
  writes,
} from './effects.ts';
import { printsFormat } from './formats.ts';
import type { Language, Reading } from './language.ts';
import { sqlEffect } from './sql.ts';
import { copiesTree, entersFolder, walks } from './tree-effects.ts';
import { constantText } from './values.ts';
import { opensEither, requests, sends } from './web-effects.ts';

const shellFunctions = ['system', 'exec', 'shell_exec', 'passthru', 'popen', 'proc_open'];
const risky = new Set([
  ...shellFunctions,
  'pcntl_exec',
  'unlink',
  'rmdir',
  'eval',
  'assert',
  'rename',
  'file_put_contents',
  'fopen',
  'create_function',
  'mail',
  'posix_kill',
]);

/** `array_map('unlink', ...)`: a function handed on by its name. */
const callbacks: Effect = (use) => {
  for (const arg of use.args) {
    const name = constantText(arg);
    if (name === null || arg.kind !== 'text') continue;
    if (name === 'unlink' || name === 'rmdir')
      use.sink.report('fs.delete', use.at, 'deletes what is only known when it runs');
    else if (risky.has(name)) use.sink.report('code.spawn', use.at);
  }
  return undefined;
};

const calls: Effect = (use) => {
  if (use.called && constantText(use.args[0]) === null) dynamic(use);
  return callbacks(use);
};

const includes: Effect = (use) => {
  const text = constantText(use.args[0]);
  if (text === null || /^(?:https?|ftp|php|data|expect):/.test(text)) dynamic(use);
  return undefined;
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  sprintf: printsFormat,
  ...Object.fromEntries(shellFunctions.map((name) => [name, shells(0)])),
  pcntl_exec: programAndList(),
  unlink: deletes(),
  rmdir: deletes(),
  ftruncate: reports('fs.delete'),
  rename: writes(0, 1),
  file_put_contents: writes(0),
  fopen: opensEither(opens(0, 1, 'mode', /[waxc+]/)),
  SplFileObject: opens(0, 1, 'mode', /[waxc+]/),
  copy: copiesTree(),
  mkdir: writes(0),
  touch: writes(0),
  chmod: writes(0),
  chown: writes(0),
  chgrp: writes(0),
  symlink: copiesTree(),
  link: copiesTree(),
  tempnam: gives(() => undefined),
  move_uploaded_file: writes(1),
  file_get_contents: opensEither(reads()),
  file: opensEither(reads()),
  readfile: opensEither(reads()),
  get_headers: requests(),
  gethostbyname: requests(),
  dns_get_record: requests(),
  curl_init: requests(),
  highlight_file: reads(),
  show_source: reads(),
  glob: walks(0, globbed),
  scandir: walks(),
  getcwd: folderNow,
  getenv: readsEnv,
  dirname: folderOf,
  opendir: walks(),
  chdir: entersFolder,
  posix_kill: signals(0, 1),
  pcntl_fork: gives(() => undefined),
  eval: dynamic,
  assert: (use) => {
    if (use.args[0]?.kind === 'text') dynamic(use);
    return undefined;
  },
  create_function: dynamic,
  unserialize: dynamic,
  include: includes,
  include_once: includes,
  require: includes,
  require_once: includes,
  call_user_func: calls,
  call_user_func_array: calls,
  forward_static_call: calls,
  array_map: callbacks,
  array_walk: callbacks,
  array_filter: callbacks,
  usort: callbacks,
  register_shutdown_function: callbacks,
  preg_replace_callback: callbacks,
  ReflectionFunction: calls,
  preg_replace: gives(() => undefined),
  dl: native,
  'FFI.*': native,
  curl_exec: requests(),
  curl_setopt: (use) => {
    if (
      use.args.some(
        (arg) => arg.kind === 'ref' && /CURLOPT_(?:POST|POSTFIELDS|UPLOAD|INFILE|CUSTOMREQUEST|PUT)$/.test(arg.name),
      )
    )
      use.sink.report('code.send', use.at);
    return undefined;
  },
  fsockopen: sends,
  pfsockopen: sends,
  stream_socket_client: sends,
  socket_connect: sends,
  socket_create: sends,
  mail: sends,
  ftp_put: sends,
  ftp_connect: sends,
  mysqli_query: (use) => sqlEffect({ ...use, args: use.args.slice(1) }),
  '*.query': sqlEffect,
  '*.statement': sqlEffect,
  '*.unprepared': sqlEffect,
  '*.truncate': reports('sql.loss', 'empties a table'),
  'DB.table().delete': reports('sql.loss', 'deletes every row of a table'),
  '*.exec': sqlEffect,
};

/** `$f(...)`: what it calls is only known when it runs. */
function statement(scan: Reading): boolean {
  const token = scan.peek();
  if (token?.kind === 'name' && /^\$\w/.test(token.text) && scan.is('(', 1)) {
    scan.sink.report('code.dynamic', token, 'picks what it calls when it runs');
  }
  return false;
}

export const php: Language = {
  name: 'php',
  lexicon: {
    keepsBackslash: true,
    heredoc: /^<<<\s?(["']?)([A-Za-z_]\w*)\1/,
    line: ['//', '#', '<?php', '<?=', '?>'],
    block: [['/*', '*/']],
    quotes: '\'"`',
    backtickRuns: true,
    sigilInterpolation: true,
    interpolation: { open: '{$', close: '}', in: '"`' },
    nameStart: /[\p{L}_$\\]/u,
    namePart: /[\p{L}\p{N}_\\]/u,
  },
  effects: EFFECTS,
  modules: {},
  statement,
  joins: ['.'],
  skipped:
    /^(?:return|echo|print|new|if|elseif|else|while|do|for|foreach|as|switch|case|default|break|continue|throw|try|catch|finally|function|fn|class|public|private|protected|static|const|use|namespace|global|and|or|xor|instanceof|clone|yield|die|exit|isset|empty|unset|list|array)$/,
  bareCalls: true,
  sensitive: /^\$GLOBALS$/,
  callsTexts:
    /^(?:implode|join|strrev|str_replace|substr|base64_decode|hex2bin|chr|sprintf|trim|strtolower|str_rot13|pack|ucfirst|lcfirst|array_pop|current|reset|end)\(\)$/,
  endless: /\bwhile\s*\(\s*(?:1|true)\s*\)|\bfor\s*\(\s*;\s*;/,
};
