import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import { entryOf } from '../shell/lookup.ts';
import type { Path } from '../shell/paths.ts';
import { secretAt } from '../shell/places.ts';
import { KUBE_GLOBAL } from '../shell/wrappers/remote.ts';
import { asksHelp, fieldHit, isVerb, operandsOf, verbs } from './matching.ts';
import { knownReads, READING_PROGRAMS } from './read-targets.ts';
import type { Hit, Rule } from './rule.ts';
import { hoardHits, TREE_PROGRAMS } from './tree-reads.ts';

function readsSecret(call: Call): Hit {
  if (asksHelp(call)) return false;
  if (call.program === 'openssl') return opensslKey(call);
  const hoard = hoardHits(call).find(({ own }) => !own);
  if (hoard) return fieldHit(hoard.field, `reads a whole tree with ${hoard.what} in it`);
  for (const { field, path } of knownReads(call)) {
    const what = secretAt(path, call.facts);
    if (what !== null && !(call.piped && isSettings(path))) return fieldHit(field, `reads or copies ${what}`);
  }
  return false;
}

/** Settings first, with a login among them: a filter behind shows the settings, and senders know the file by its taint. */
function isSettings({ parts }: Path): boolean {
  return parts.at(-1) === '.npmrc';
}

/** Tools that print a key they are given unless told not to. */
function opensslKey(call: Call): Hit {
  const [verb] = operandsOf(call);
  if (
    !/^(?:rsa|ec|dsa|pkey|pkcs8|pkcs12|enc|base64)$/.test(verb ?? '') ||
    hasArg(call, '-pubout', '-help') ||
    (hasArg(call, '-noout', '-check', '-info') && !hasArg(call, '-text'))
  )
    return false;
  const input = call.args.find((_, i) => call.args[i - 1]?.text === '-in');
  if (!input) return false;
  for (const cwd of call.state.cwds) {
    const what = secretAt(
      { absolute: cwd !== null, parts: input.text.split('/').filter((part) => part !== '') },
      call.facts,
    );
    if (what !== null) return fieldHit(input, `reads or copies ${what}`);
  }
  return false;
}

/** Verbs that print a secret, by program. */
const PRINTERS: Readonly<Record<string, readonly string[]>> = {
  getent: ['shadow', 'gshadow'],
  wg: ['showconf', 'show * private-key|preshared-keys'],
  unshadow: ['*'],
  dscl: [],
  gh: ['auth token', 'auth git-credential', 'config get oauth_token'],
  glab: ['auth token', 'config get token'],
  git: [
    'credential fill|get',
    'credential-store get',
    'credential-cache get',
    'credential-manager get',
    'credential-osxkeychain get',
  ],
  'git-credential-store': ['get'],
  'git-credential-osxkeychain': ['get'],
  'git-credential-manager': ['get'],
  'git-credential-libsecret': ['get'],
  gcloud: [
    'auth print-access-token',
    'auth print-identity-token',
    'auth print-refresh-token',
    'auth application-default print-access-token',
    'secrets versions access',
    'iam service-accounts keys create',
    'kms decrypt',
    'sql users *-password',
  ],
  az: [
    'account get-access-token',
    'keyvault secret show|download',
    'keyvault key download',
    'storage account keys list',
    'storage account show-connection-string',
    'acr credential show',
    'ad sp credential reset',
    'cosmosdb keys list',
    'cosmosdb list-keys',
    'redis list-keys',
    'webapp deployment list-publishing-profiles',
    'vm user *',
  ],
  vault: ['kv get', 'read', 'print token', 'token create|lookup', 'unwrap', 'operator init|generate-root'],
  pass: ['show', 'otp'],
  gopass: ['show', 'cat', 'otp'],
  op: ['read', 'item get', 'inject', 'signin', 'document get'],
  bw: ['get password|item|notes|totp|attachment', 'list items', 'export', 'unlock'],
  bws: ['secret get|list'],
  lpass: ['show', 'export'],
  dashlane: ['*'],
  dcli: ['password', 'note', 'secret'],
  'keepassxc-cli': ['show', 'export', 'clip', 'attachment-export'],
  kpcli: [],
  'secret-tool': ['lookup', 'search'],
  keyring: ['get'],
  security: [
    'find-generic-password',
    'find-internet-password',
    'dump-keychain',
    'export',
    'find-key',
    'unlock-keychain',
  ],
  heroku: ['config', 'config:get', 'auth:token', 'pg:credentials:url', 'authorizations:create'],
  flyctl: ['auth token', 'tokens create'],
  doppler: ['secrets', 'secrets get|download', 'configure get token'],
  infisical: ['secrets', 'export', 'secrets get'],
  chamber: ['read', 'export', 'env'],
  sops: [],
  pulumi: [],
  kubeseal: [],
  age: [],
  rage: [],
  'ansible-vault': ['view', 'decrypt', 'edit'],
  rails: ['credentials:show', 'credentials:edit', 'secrets:show', 'secrets:edit'],
  doctl: ['auth token', 'kubernetes cluster kubeconfig show', 'databases connection'],
  npm: ['config get //registry.npmjs.org/:_authToken', 'token create'],
  aws: [
    'secretsmanager get-secret-value|batch-get-secret-value',
    'configure export-credentials',
    'sts get-session-token|assume-role|get-federation-token',
    'iam create-access-key',
    'ecr get-login|get-authorization-token',
    'codeartifact get-authorization-token',
    'rds generate-db-auth-token',
    'ec2 get-password-data',
    'sso get-role-credentials',
    'kms decrypt',
  ],
  terraform: [],
  consul: ['kv export'],
  'kwallet-query': ['*'],
  wifi: [],
  netsh: [],
  credstash: ['get', 'getall'],
  berglas: ['access'],
  teller: ['env', 'show'],
  keyctl: ['print|pipe|read'],
  rbw: ['get|code'],
  firebase: ['login:ci'],
  netlify: ['env:get'],
  envchain: [],
  'aws-vault': [],
  envkey: ['*'],
  'docker-credential-desktop': ['get', 'list'],
  'docker-credential-osxkeychain': ['get', 'list'],
  'docker-credential-secretservice': ['get', 'list'],
  'docker-credential-pass': ['get', 'list'],
  rclone: ['config show|dump', 'reveal'],
  vercel: ['env pull'],
  railway: ['variables'],
  wrangler: [],
  supabase: [],
  stripe: [],
  pscale: ['password create'],
  mimikatz: ['*'],
  lazagne: ['*'],
  'chrome-decrypt': ['*'],
};

function printsSecret(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  const grammar =
    'profile: region: query: output: secret-id: project: secret: format: vault: fields: name|n: v: w g s: a: l: D: account: R:';
  const words = operandsOf(call, grammar);
  const args = knownArgs(call);
  if (entryOf(RUNNERS, call.program)?.(call.args)?.some(printsVariables)) return true;
  switch (call.program) {
    case 'kubectl':
      return kubeSecret(call);
    case 'dscl':
      return args.some((arg) => /^(?:ShadowHashData|AuthenticationAuthority)$/.test(arg));
    case 'git':
      return (
        isVerb(words, PRINTERS['git'] as readonly string[]) ||
        (words[0] === 'config' &&
          words.length <= 3 &&
          /^http\\?\..*extraheader\$?$|^credential\..*password$/i.test(words.at(-1) ?? ''))
      );
    case 'security':
      return (
        isVerb(words, ['dump-keychain', 'export']) ||
        (/^find-(?:generic|internet)-password$/.test(words[0] ?? '') && hasArg(call, '-w', '-g')) ||
        args.some((arg) => /^-[a-z]*[wg][a-z]*$/.test(arg) && /^find-/.test(words[0] ?? ''))
      );
    case 'pass':
    case 'gopass':
      return (
        isVerb(words, PRINTERS[call.program] as readonly string[]) ||
        (words.length === 1 &&
          !/^(?:ls|list|find|search|init|insert|add|edit|generate|rm|mv|cp|git|help|version|grep|audit|sync|env)$/.test(
            words[0] ?? '',
          ))
      );
    case 'aws':
      return awsSecret(call, words);
    case 'gh':
    case 'glab':
      return (
        isVerb(words, PRINTERS[call.program] as readonly string[]) ||
        (isVerb(words, ['auth status']) && hasArg(call, '-t', '--show-token'))
      );
    case 'pulumi':
      return (
        hasArg(call, '--show-secrets', '--show-secrets=true') ||
        (isVerb(words, ['config get']) && SECRET_NAME.test(words[2] ?? ''))
      );
    case 'kubeseal':
      return hasArg(call, '--recovery-unseal');
    case 'age':
    case 'rage':
      return hasArg(call, '-d', '--decrypt') && !args.some((arg) => /^(?:-o|--output)/.test(arg));
    case 'heroku':
      return isVerb(words, ['config:get'])
        ? words.slice(1).some((word) => HEROKU_SECRET.test(word))
        : isVerb(words, PRINTERS['heroku'] as readonly string[]);
    case 'sops':
      return hasArg(call, '-d', '--decrypt') || words[0] === 'decrypt' || words[0] === 'exec-env';
    case 'gpg':
      return args.some((arg) => /^--export-secret-(?:keys|subkeys)$/.test(arg));
    case 'terraform':
      return (
        words[0] === 'output' &&
        args.some((arg) => /^-(?:raw|json)$/.test(arg)) &&
        words.some((word) => SECRET_NAME.test(word))
      );
    case 'stripe':
      return words[0] === 'config' && hasArg(call, '--list');
    case 'supabase':
      return isVerb(words, ['secrets list']) || (words[0] === 'status' && hasArg(call, '-o', '--output'));
    case 'nmcli':
      return hasArg(call, '-s', '--show-secrets');
    case 'netsh':
      return args.some((arg) => /^key=clear$/i.test(arg));
    default:
      return isVerb(words, PRINTERS[call.program] ?? []);
  }
}

/** Programs that put secrets into the environment of another, and the word they run. */
const RUNNERS: Readonly<Record<string, (args: readonly Field[]) => readonly Field[]>> = {
  envchain: (args) => args.slice(1, 2),
  'aws-vault': (args) => (args[0]?.text === 'exec' ? behindDashes(args) : []),
  op: (args) => (args[0]?.text === 'run' ? behindDashes(args) : []),
  doppler: (args) => (args[0]?.text === 'run' ? behindDashes(args) : []),
  infisical: (args) => (args[0]?.text === 'run' ? behindDashes(args) : []),
  chamber: (args) => (args[0]?.text === 'exec' ? behindDashes(args) : []),
  teller: (args) => (args[0]?.text === 'run' ? behindDashes(args) : []),
};

/** The program behind `--`, where it is given no words. */
function behindDashes(args: readonly Field[]): readonly Field[] {
  const at = args.findIndex(({ text }) => text === '--');
  return at < 0 || args.length > at + 2 ? [] : args.slice(at + 1);
}

function printsVariables({ text }: Field): boolean {
  return /^(?:.*\/)?(?:env|printenv)$/.test(text);
}

const SECRET_NAME = /pass(?:word|wd)?|secret|token|private|credential|api_?key/i;
/** Addresses of databases and queues carry their password. */
const HEROKU_SECRET = new RegExp(`${SECRET_NAME.source}|key|dsn|ur[il]$|auth|salt|hash`, 'i');

/** Verbs that remove entries of a password store or key chain, by program. */
const STORE_REMOVERS: Readonly<Record<string, readonly string[]>> = {
  pass: ['rm|remove|delete'],
  gopass: ['rm|remove|delete', 'mounts rm|remove|unmount'],
  op: ['item|vault|document|user|group|service-account delete|rm'],
  bw: ['delete'],
  bws: ['secret|project delete'],
  lpass: ['rm', 'rmdir'],
  'keepassxc-cli': ['rm', 'rmdir'],
  'secret-tool': ['clear'],
  keyring: ['del'],
  security: [
    'delete-keychain|delete-generic-password|delete-internet-password|delete-certificate|delete-identity|delete-key',
  ],
  doppler: ['secrets|projects|environments|configs delete'],
  infisical: ['secrets delete'],
  chamber: ['delete'],
  credstash: ['delete'],
};

function removesSecret(call: Call): Hit {
  return verbs(call, 'vault: account: session: s: a: l: c: t: p: config: project:', STORE_REMOVERS[call.program] ?? []);
}

function kubeSecret(call: Call): Hit {
  const options = optionsOf(
    call,
    `${KUBE_GLOBAL} o|output: l|selector: f|filename: A|all-namespaces template: raw minify flatten show-managed-fields w|watch`,
  );
  const words = options.operands.map((field) => field.text);
  if (isVerb(words, ['config view'])) return options.has('raw');
  if (isVerb(words, ['create token'])) return true;
  if (words[0] === 'whoami') return hasArg(call, '-t', '--show-token');
  if (words[0] !== 'get' || !words.slice(1).some((word) => /(?:^|,)secrets?(?:$|[/,.])/.test(word))) return false;
  const format = options.value('o')?.text ?? '';
  return options.has('template') || (options.has('o') && !/^(?:name|wide|custom-columns=NAME:[^,]*)$/.test(format));
}

/** `get-login-password | docker login` is how images are pulled. */
function awsSecret(call: Call, words: readonly string[]): Hit {
  if (isVerb(words, ['ecr get-login-password', 'ecr-public get-login-password'])) return !call.piped;
  if (isVerb(words, ['ssm get-parameter|get-parameters|get-parameters-by-path|get-parameter-history']))
    return hasArg(call, '--with-decryption');
  if (isVerb(words, ['configure get'])) return words.some((word) => /secret|session_token|access_key/.test(word));
  return isVerb(words, PRINTERS['aws'] as readonly string[]);
}

export const secretRules: readonly Rule[] = [
  {
    id: 'secret.read',
    grade: 'dangerous',
    programs: [...new Set([...READING_PROGRAMS, ...TREE_PROGRAMS, 'openssl'])],
    decorated: true,
    test: readsSecret,
    why: 'reads or copies private keys or stored credentials',
    match: [
      'cat ~/.ssh/id_rsa',
      'cp ~/.aws/credentials x',
      'base64 < ~/.ssh/id_ed25519',
      'tar czf a.tgz ~/.gnupg',
      'grep x /etc/shadow',
      'head server.key',
      'cat ~/.netrc',
      'grep -r KEY ~',
      'tar -C ~ -cf - .ssh',
      'rsync -a ~/.aws/ x/',
      'find / -name id_rsa | xargs cat',
      'cat ~/.ss*/id_*',
      'cd ~/.ssh && cat *',
      'sudo tar cf /tmp/etc.tar /etc',
      'cat /etc/wireguard/wg0.conf',
      'openssl rsa -in server.key -noout -text',
      'cat ~/.npmrc',
      'cat ~/.claude/.credentials.json',
      'cat /var/run/secrets/kubernetes.io/serviceaccount/token',
      'sudo cat /etc/NetworkManager/system-connections/w.nmconnection',
      'rclone serve http ~',
      'busybox httpd -h ~',
    ],
    notMatch: [
      'cat .npmrc',
      'cat ~/.npmrc | grep registry',
      'cat ~/.claude/settings.json',
      'cat /var/run/x.pid',
      'cat /etc/NetworkManager/NetworkManager.conf',
      'rclone serve http ./public',
      'busybox httpd -h dist',
      'cat ~/.ssh/id_rsa.pub',
      'ssh -i ~/.ssh/id_rsa h',
      'ls ~/.ssh',
      'cat ~/.ssh/config',
      'cat .env',
      'chmod 600 ~/.ssh/id_rsa',
      'cat cert.pem',
      'cat ~/.aws/config',
      'grep -r listen /etc/nginx',
      'find ~ -name "*.pdf" | xargs ls -l',
      'tar czf x.tgz ~/projects/app',
      'rg KEY ~',
      'find ~/.ssh -name "*.pub" -exec cat {} +',
      'docker exec web grep -r listen /etc',
    ],
  },
  {
    id: 'secret.print',
    grade: 'dangerous',
    programs: [...Object.keys(PRINTERS), 'kubectl', 'gpg', 'nmcli', 'netsh'],
    test: printsSecret,
    why: 'prints a secret',
    match: [
      'gh auth token',
      'kubectl get secret x -o yaml',
      'git credential fill',
      'pass show mail',
      'aws secretsmanager get-secret-value --secret-id x',
      'security find-generic-password -w -s x',
      'op read op://a/b',
      'gcloud auth print-access-token',
      'pulumi stack output --show-secrets',
      'heroku config:get DATABASE_URL',
      'sudo getent shadow root',
      'wg showconf wg0',
      'git config --get-all http.extraheader',
      'keyctl print 1',
      'oc whoami -t',
      'rbw get x',
      'aws-vault exec prod -- env',
    ],
    notMatch: [
      'keyctl show',
      'oc whoami',
      'rbw list',
      'aws-vault exec prod -- terraform plan',
      'gh auth status',
      'kubectl get secrets',
      'kubectl get pods -o yaml',
      'git config --list',
      'pass ls',
      'aws sts get-caller-identity',
      'vault status',
      'aws ecr get-login-password | docker login --password-stdin x',
      'pulumi stack output url',
      'heroku config:get PORT',
      'age -d -o notes.txt notes.age',
      'getent passwd root',
      'wg show wg0',
      'git config http.extraheader x',
    ],
  },
  {
    id: 'secret.delete',
    grade: 'dangerous',
    programs: Object.keys(STORE_REMOVERS),
    test: removesSecret,
    why: 'removes entries of a password store or key chain',
    match: [
      'pass rm -rf servers',
      'bw delete item 1',
      'op vault delete Private',
      'security delete-keychain login.keychain',
    ],
    notMatch: ['pass ls rm', 'bw list folders', 'op item list', 'security list-keychains'],
  },
];
