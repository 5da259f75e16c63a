import type { Facts } from '../analysis.ts';
import { foldedFacts, foldedPath, folds } from './folding.ts';
import { couldBe, globbed, matchesEverything, mightBe } from './glob-match.ts';
import { hasUnknown, isKnown, UNKNOWN } from './marks.ts';
import type { Path } from './paths.ts';
import {
  basenameOf,
  belowHome,
  couldBeWithin,
  formatPath,
  isWithin,
  resolvePath,
  splitPath,
  startsLike,
} from './paths.ts';

/** What kind of place a path names; the sentence says what writing there would touch. */
export interface Place {
  readonly kind: 'system' | 'startup' | 'ssh' | 'credential' | 'cron' | 'hook' | 'env' | 'agent' | 'extra';
  readonly what: string;
}

const STARTUP = words(
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xinitrc .xprofile .xsession .xsessionrc .vimrc .exrc .emacs .gitconfig .tmux.conf .screenrc .gdbinit .lldbinit .pythonrc .pythonrc.py .Rprofile .irbrc .pryrc .curlrc .wgetrc .psqlrc .sqliterc .npmrc .yarnrc .yarnrc.yml .bunfig.toml .pam_environment .envrc .hushlogin .forward .rhosts .shosts .condarc .gemrc .mailcap .lesskey .lessfilter .nanorc .ackrc .digrc .hgrc .subversion .terraformrc',
);
const STARTUP_TREES = trees(
  '.config/fish .config/autostart .config/systemd/user .config/git .config/pip .config/nvim/init.lua .config/nvim/init.vim .config/environment.d .config/plasma-workspace/env .emacs.d/init.el .oh-my-zsh .zsh Library/LaunchAgents .local/share/systemd .config/htop/none .bashrc.d .profile.d .pip/pip.conf .gradle/init.gradle .gradle/init.d .cargo/config .cargo/config.toml .ipython/profile_default/startup .config/direnv .config/mise .config/containers',
);
const CREDENTIAL_FILES = words(
  '.netrc _netrc .pgpass .my.cnf .pypirc .git-credentials .s3cfg .boto .mylogin.cnf .vault-token .htpasswd .dockercfg .npmrc',
);
const CREDENTIAL_TREES = trees(
  '.aws .azure .config/gcloud .config/gh/hosts.yml .config/hub .config/glab-cli .docker/config.json .kube .gnupg .password-store .local/share/keyrings .config/op .config/1Password .config/Bitwarden .terraform.d/credentials.tfrc.json .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml .config/rclone .config/doctl .config/heroku .fly .config/hcloud .config/pulumi .pulumi .oci .bluemix .config/vercel .local/share/com.vercel.cli .config/netlify .mozilla/firefox .config/google-chrome .config/chromium Library/Keychains .config/sops .config/age .config/configstore .wrangler .railway .snowflake .databrickscfg .kaggle .huggingface/token .cache/huggingface/token .config/joplin .config/Signal .electrum .bitcoin .ethereum .minikube/profiles .config/exercism .putty .step .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot/apps.json .config/github-copilot/hosts.json .local/share/opencode/auth.json .config/composer/auth.json .composer/auth.json .config/containers/auth.json .config/filezilla/sitemanager.xml .local/share/remmina .terraformrc',
);
const AGENT_TREES = trees(
  '.hermes .claude .claude.json .codex .cursor .gemini .openclaw .continue .aider.conf.yml .config/opencode .config/goose .config/crush .copilot .config/github-copilot .qwen .windsurf .codeium .roo .cline .factory .amp .config/amp .kiro .config/claude Library/Application\\ Support/Claude',
);

/** Folders of a home in which programs are looked for, and names there that would stand before those of the system. */
const HOME_PROGRAMS = trees('.local/bin bin .bin');
const SYSTEM_NAMES = words(
  'sudo doas su login passwd ssh scp sftp ssh-add ssh-agent ssh-keygen gpg pinentry git ls cat cp mv rm ps env sh bash zsh fish dash id which systemctl crontab apt hermod',
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

function trees(text: string): readonly (readonly string[])[] {
  return text.split(/(?<!\\) /).map((tree) => tree.replaceAll('\\ ', ' ').split('/'));
}

/** What a write to this path would touch, or null where it is nobody's special place. */
export function protectedPlace(path: Path, facts: Facts): Place | null {
  return placeOf(path, facts) ?? (folds(facts) ? placeOf(foldedPath(path), foldedFacts(facts)) : null);
}

function placeOf(path: Path, facts: Facts): Place | null {
  return extraPlace(path, facts) ?? projectPlace(path) ?? homePlace(path, facts) ?? systemPlace(path, facts);
}

function extraPlace(path: Path, facts: Facts): Place | null {
  const hit = facts.protectPaths.some((wanted) => couldBeWithin(path, extraPath(wanted, facts)));
  return hit ? { kind: 'extra', what: 'a path of approvals.protect_paths' } : null;
}

function extraPath(wanted: string, facts: Facts): string {
  const text = wanted.startsWith('~/') ? facts.home + wanted.slice(1) : wanted;
  return `/${resolvePath(text, facts.cwd).parts.join('/')}`;
}

const ENV_HARMLESS = /\.(?:example|sample|template|tmpl|dist|defaults?|schema)$|\.(?:example|sample|template)\./;

/** Files that are special wherever they lie. */
function projectPlace(path: Path): Place | null {
  const name = basenameOf(path);
  if (isEnvFile(path)) return { kind: 'env', what: `the environment file ${shown(name)}` };
  if (names(name, 'config.yaml')) return { kind: 'agent', what: 'a config.yaml' };
  const git = path.parts.findLastIndex((part) => couldBe(part, '.git'));
  const inner = git < 0 ? [] : path.parts.slice(git + 1);
  if (inner[0] !== undefined && couldBe(inner[0], 'hooks')) return { kind: 'hook', what: 'git hooks' };
  if (inner.length === 1 && couldBe(inner[0] as string, 'config'))
    return { kind: 'hook', what: "the repository's git config" };
  const [above, last] = path.parts.slice(-2);
  if (
    last !== undefined &&
    above !== undefined &&
    /^\.(?:claude|codex|cursor|gemini)$/.test(above) &&
    /^(?:settings(?:\.local)?\.json|config\.toml|mcp\.json|hooks\.json)$/.test(last)
  )
    return { kind: 'agent', what: 'agent configuration' };
  if (/^(?:site|dist)-packages$/.test(above ?? '') && /\.pth$|^(?:site|user)customize\.py$/.test(last ?? ''))
    return { kind: 'startup', what: 'what Python runs whenever it starts' };
  if (names(name, '.mcp.json')) return { kind: 'agent', what: 'agent configuration' };
  if (names(name, 'authorized_keys')) return { kind: 'ssh', what: 'ssh keys that may log in' };
  return null;
}

/** Whether a pattern was written for this name: `*` is for all of them, and the shell's `*` leaves dot files out. */
function names(pattern: string, name: string): boolean {
  if (isKnown(pattern)) return pattern === name;
  if (matchesEverything(pattern) || (name.startsWith('.') && !pattern.startsWith('.'))) return false;
  return couldBe(pattern, name);
}

/** `.env` and `.env.<anything>` but examples. */
export function isEnvFile(path: Path): boolean {
  const name = basenameOf(path);
  if (name === '.env' || names(name, '.env')) return true;
  if (name.startsWith('.env.')) return !ENV_HARMLESS.test(name);
  return !isKnown(name) && !hasUnknown(name) && names(name, '.env.local');
}

/** First parts under a home that begin any of the lists. */
const KNOWN_FIRST: ReadonlySet<string> = new Set(
  [...CREDENTIAL_TREES, ...STARTUP_TREES, ...AGENT_TREES]
    .map(([first]) => first as string)
    .concat(
      '.ssh',
      ...HOME_PROGRAMS.map(([first]) => first as string),
      ...STARTUP,
      ...CREDENTIAL_FILES,
      ...['.netrc', '_netrc'],
    ),
);

/** Most paths are nowhere near the lists. */
function isOrdinary(first: string): boolean {
  return isKnown(first) && !KNOWN_FIRST.has(first);
}

function homePlace(path: Path, facts: Facts): Place | null {
  const below = belowHome(path, facts);
  const first = below?.[0];
  if (!below || first === undefined || first === UNKNOWN || isOrdinary(first)) return null;
  if (startsLike(below, ['.ssh'])) return { kind: 'ssh', what: 'the ssh folder' };
  if (below.length === 1 && among(CREDENTIAL_FILES, first))
    return { kind: 'credential', what: `the credential file ~/${shown(first)}` };
  if (CREDENTIAL_TREES.some((tree) => startsLike(below, tree)))
    return { kind: 'credential', what: 'stored credentials' };
  if (below.length === 1 && among(STARTUP, first))
    return { kind: 'startup', what: `the start-up file ~/${shown(first)}` };
  if (STARTUP_TREES.some((tree) => startsLike(below, tree)))
    return { kind: 'startup', what: 'files that run at login' };
  if (AGENT_TREES.some((tree) => startsLike(below, tree))) return { kind: 'agent', what: 'agent configuration' };
  const name = basenameOf(path);
  if (
    SYSTEM_NAMES.has(name) &&
    HOME_PROGRAMS.some((tree) => tree.length === below.length - 1 && startsLike(below, tree))
  )
    return { kind: 'startup', what: `which program ${name} is` };
  return null;
}

function among(names: ReadonlySet<string>, part: string): boolean {
  if (isKnown(part)) return names.has(part);
  if (part === UNKNOWN) return false;
  for (const name of names) if (hasUnknown(part) ? mightBe(part, name) : couldBe(part, name)) return true;
  return false;
}

const SYSTEM_TREES = [
  '/etc',
  '/private/etc',
  '/boot',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/sys',
  '/proc',
  '/System',
  '/Library',
  '/Applications',
  '/efi',
  '/nix/store',
  '/snap',
  '/private/var/db',
  '/private/var/root',
];
const SYSTEM_TOPS = new Set(SYSTEM_TREES.map((tree) => tree.split('/')[1] as string));
const VAR_OPEN = new Set(['tmp', 'www', 'folders', 'log', 'lock']);
const DEV_OPEN = new Set([
  'null',
  'zero',
  'full',
  'stdin',
  'stdout',
  'stderr',
  'tty',
  'fd',
  'shm',
  'pts',
  'ptmx',
  'console',
  'tcp',
  'udp',
  'random',
  'urandom',
  'mqueue',
  'clipboard',
]);

function systemPlace(path: Path, facts: Facts): Place | null {
  if (!path.absolute || facts.roots.some((root) => isWithin(path, root))) return null;
  const [top, second, third] = path.parts;
  if (top === undefined) return { kind: 'system', what: 'the root folder' };
  if (/^[a-z]:$/.test(top))
    return second !== undefined && /^(?:windows|program files.*|programdata)$/.test(second)
      ? { kind: 'system', what: `the system folder ${top}\\${second}` }
      : null;
  if (couldBe(top, 'etc') && second !== undefined && /^(?:cron|at\.)/.test(second))
    return { kind: 'cron', what: 'scheduled jobs of the system' };
  if (couldBe(top, 'dev'))
    return second === undefined ||
      (isKnown(second) ? !DEV_OPEN.has(second) : top === 'dev' && second.startsWith(UNKNOWN))
      ? { kind: 'system', what: 'a device' }
      : null;
  if (couldBe(top, 'var')) return varPlace(second, third);
  if (top === 'proc' && third !== undefined && second === 'self' && /^(?:fd|oom_score_adj|comm)$/.test(third))
    return null;
  if (isKnown(top) && !SYSTEM_TOPS.has(top) && !/^(?:root|home|Users)$/.test(top)) return null;
  for (const tree of SYSTEM_TREES)
    if (couldBeWithin(path, tree)) return { kind: 'system', what: `the system folder ${tree}` };
  if (facts.os === 'linux' && top === 'root' && facts.home !== '/root') return { kind: 'system', what: "root's home" };
  return otherHome(path, facts);
}

function varPlace(second: string | undefined, third: string | undefined): Place | null {
  if (second === undefined) return { kind: 'system', what: 'the system folder /var' };
  if (second === 'spool' && third !== undefined && /^(?:cron|at)/.test(third))
    return { kind: 'cron', what: 'scheduled jobs' };
  return isKnown(second) && VAR_OPEN.has(second) ? null : { kind: 'system', what: 'the system folder /var' };
}

function otherHome(path: Path, facts: Facts): Place | null {
  const [top, name] = path.parts;
  if ((top !== 'home' && top !== 'Users') || name === undefined || path.parts.length < 3 || name === 'Shared')
    return null;
  const home = splitPath(facts.home);
  if (home[0] === top && couldBe(name, home[1] ?? '')) return null;
  return hasUnknown(name) ? null : { kind: 'system', what: "another account's home" };
}

/** No file has a longer name. */
const MAX_NAME = 255;
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)(?:[._-].+)?$|^identity$/;
const KEY_FILE =
  /(?:^|[._-])(?:priv(?:ate|key)?|key|secret|server|client|tls|ssl|ca|root|signing|deploy|prod|aws|ec2)[\w.-]*\.(?:pem|key)$|\.(?:key|p12|pfx|ppk|jks|keystore|kdbx|asc\.key|agekey)$/i;
const PUBLIC_NAME =
  /\.pub$|(?:^|[._-])(?:pub|public|cert|chain|fullchain|bundle|csr|crt|cacert|ca-cert|ca-bundle|cacerts)[\w.-]*\.(?:pem|key)$|^ca(?:-cert)?\.pem$|-cert\.pem$/i;
const SHADOW = new Set([
  'shadow',
  'gshadow',
  'shadow-',
  'gshadow-',
  'master.passwd',
  'sudoers',
  'krb5.keytab',
  'ipsec.secrets',
]);
const LOGIN_FILES = new Set([
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.s3cfg',
  '.boto',
  '.vault-token',
  '.pypirc',
  '.dockercfg',
  '.npmrc',
]);
/** Folders and files below /etc whose whole content is secret. */
const ETC_SECRETS: Readonly<Record<string, string>> = {
  '/etc/wireguard': 'private keys',
  '/etc/ssl/private': 'private keys',
  '/etc/NetworkManager/system-connections': 'passwords of networks',
  '/etc/wpa_supplicant': 'passwords of networks',
  '/etc/ppp/chap-secrets': 'passwords of networks',
  '/etc/ppp/pap-secrets': 'passwords of networks',
  '/etc/security/opasswd': 'password hashes',
  '/etc/kubernetes/admin.conf': 'stored credentials',
  '/etc/rancher/k3s/k3s.yaml': 'stored credentials',
  '/etc/postfix/sasl_passwd': 'stored logins',
  '/etc/exim4/passwd.client': 'stored logins',
  '/etc/mysql/debian.cnf': 'stored logins',
};
const ETC_SECOND = new Set(Object.keys(ETC_SECRETS).map((tree) => tree.split('/')[2] as string));
const PUBLIC_CLOUD = trees(
  '.aws/config .kube/cache .kube/http-cache .config/gcloud/configurations .config/gcloud/logs .azure/config .azure/clouds.config .gnupg/gpg.conf .gnupg/gpg-agent.conf .gnupg/pubring.kbx .gnupg/dirmngr.conf .config/pulumi/version',
);

/** What secret a file at this path holds, or null. Reading `.env` locally is no secret here: see `isEnvFile`. */
export function secretAt(path: Path, facts: Facts): string | null {
  return secretOf(path, facts) ?? (folds(facts) ? secretOf(foldedPath(path), foldedFacts(facts)) : null);
}

function secretOf(path: Path, facts: Facts): string | null {
  const name = basenameOf(path);
  if (name === '' || name.length > MAX_NAME || PUBLIC_NAME.test(name)) return null;
  if (
    path.absolute &&
    path.parts.length === 2 &&
    couldBe(path.parts[0] as string, 'etc') &&
    (isKnown(name) ? SHADOW.has(name) : names(name, 'shadow'))
  )
    return name === 'sudoers' ? null : 'password hashes';
  if (path.parts.at(-3) === 'private' && path.parts.at(-2) === 'etc' && SHADOW.has(name)) return 'password hashes';
  const inEtc = couldBe(path.parts[0] ?? '', 'etc') ? etcSecret(path, name) : null;
  if (inEtc !== null) return inEtc;
  if (path.parts[0] === 'proc') return procSecret(path.parts);
  const run = path.parts[0] === 'var' ? 1 : 0;
  if (path.parts[run] === 'run' && path.parts[run + 1] === 'secrets') return 'mounted secrets';
  if (path.parts[0] === 'tmp' && /^krb5cc/.test(name)) return 'stored logins';
  if (isKeyName(path, name)) return 'a private key';
  return secretInHome(path, facts);
}

function etcSecret(path: Path, name: string): string | null {
  if (/^ssh_host_.*_key$/.test(name) && couldBeWithin(path, '/etc/ssh')) return 'private keys';
  const [, second] = path.parts;
  if (second === undefined || (isKnown(second) && !ETC_SECOND.has(second))) return null;
  for (const [tree, what] of Object.entries(ETC_SECRETS)) if (couldBeWithin(path, tree)) return what;
  return null;
}

/** Environment and memory of processes, and files others hold open. */
function procSecret(parts: readonly string[]): string | null {
  const pid = parts[1] ?? '';
  const own = /^(?:self|thread-self)$/.test(pid);
  const [what = '', more] = parts[2] === 'task' ? parts.slice(4) : parts.slice(2);
  if (couldBe(what, 'environ') && isKnown(what)) return "a process's environment";
  if (own || pid === '' || !/^\d|[\uE000-\uE003]/.test(pid)) return null;
  if (what === 'mem' || what === 'map_files' || what === 'maps') return "another process's memory";
  return (what === 'fd' || what === 'cwd') && more !== undefined ? 'a file that another process holds' : null;
}

const SSH_KEYS = ['id_rsa', 'id_ed25519', 'id_ecdsa'];

function isKeyName(path: Path, name: string): boolean {
  if (isKnown(name))
    return KEY_NAME.test(name) || KEY_FILE.test(name) || (/\.pem$/i.test(name) && !PUBLIC_NAME.test(name));
  return path.parts.some((part) => globbed(part, '.ssh')) && SSH_KEYS.some((key) => mightBe(name, key));
}

function secretInHome(path: Path, facts: Facts): string | null {
  const below = belowHome(path, facts);
  const first = below?.[0];
  if (!below || first === undefined || first === UNKNOWN || isOrdinary(first)) return null;
  if (below.length === 1 && among(LOGIN_FILES, first)) return 'stored logins';
  if (PUBLIC_CLOUD.some((tree) => tree.every((part, i) => below[i] === part))) return null;
  if (first === '.ssh') return below.length === 1 ? 'ssh keys' : null;
  return CREDENTIAL_TREES.some((tree) => startsLike(below, tree)) ? 'stored credentials' : null;
}

/** A file no stranger should get: outside the work roots, in a home or of the system. Sending it is asked. */
export function isPrivateFile(path: Path, facts: Facts): boolean {
  if (!path.absolute) return false;
  if (facts.roots.some((root) => isWithin(path, root))) return false;
  const [top] = path.parts;
  if (top === undefined || top === 'tmp' || (top === 'var' && path.parts[1] === 'tmp') || top === 'dev') return false;
  if (couldBeWithin(path, '/etc') || couldBeWithin(path, '/var/log') || couldBeWithin(path, '/proc') || top === 'root')
    return true;
  return isWithin(path, facts.home) || top === 'home' || top === 'Users';
}

function shown(name: string): string {
  return isKnown(name) ? name : '.env';
}

/** One character written there stops the machine. */
export function isSysrqTrigger(path: Path): boolean {
  return formatPath(path) === '/proc/sysrq-trigger';
}
