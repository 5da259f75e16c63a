import type { Call } from '../shell/call.ts';
import { isLoopback, isOwnUrl, ownPort } from '../shell/loopback.ts';
import { CLOSE, OPEN } from '../shell/marks.ts';
import { fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';
import { WEB_CLIENTS } from './web-clients.ts';

/** hermod's interface as a URL, as host and port apart, or through a proxy of any name. */
function callsOwnApi(call: Call): Hit {
  const url = call.args.find((arg) => isOwnUrl(withoutFlag(arg.text), call.facts));
  if (url) return fieldHit(url);
  const port = String(ownPort(call.facts));
  const at = call.args.findIndex((arg) => arg.text === port);
  const host = call.args[at - 1];
  if (at > 0 && host && isLoopback(host.text)) return fieldHit(host);
  const routed = call.args.find((arg) => /^(?:--(?:resolve|connect-to)(?:=|$))/.test(arg.text));
  const target = routed && call.args.find((arg) => arg.text.includes(`:${port}`));
  if (target) return fieldHit(target);
  return socatTarget(call, port);
}

/** `--url=http://..`, `-Xhttp://..` do not hide what is called. */
function withoutFlag(text: string): string {
  const plain = text.replaceAll(OPEN, '[').replaceAll(CLOSE, ']');
  return /^--?[\w-]+=/.test(plain) ? plain.slice(plain.indexOf('=') + 1) : plain;
}

/** `TCP:127.1:8790`. */
function socatTarget(call: Call, port: string): Hit {
  if (call.program !== 'socat') return false;
  const target = call.args.find((arg) => {
    const match = /^(?:tcp|udp|openssl|ssl)[46]?(?:-connect)?:(\[[^\]]*\]|[^:,]*):(\d+)/i.exec(arg.text);
    return match?.[2] === port && isLoopback(match[1] as string);
  });
  return target ? fieldHit(target) : false;
}

/** `/dev/tcp/127.1/8790` as a file. */
function opensOwnSocket(call: Call): Hit {
  const file = call.files.find(({ target }) => {
    const match = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)/.exec(target.text);
    return match !== null && Number(match[2]) === ownPort(call.facts) && isLoopback(match[1] as string);
  });
  return file ? fieldHit(file.target) : false;
}

export const ownInterfaceRules: readonly Rule[] = [
  {
    id: 'self.api',
    grade: 'dangerous',
    programs: [...WEB_CLIENTS, 'nc', 'websocat', 'socat', 'telnet', 'openssl', 'wscat', 'ab', 'hey', 'wrk'],
    test: callsOwnApi,
    why: "calls hermod's own interface",
    personOnly: true,
    match: [
      'curl -X POST http://127.0.0.1:8790/api/v1/approvals/x/decision',
      'curl http://localhost:8790/api/v1/sessions',
      'wget -qO- http://127.0.0.1:9999/api/v1/grants',
      'curl -d x 127.1:8790/api/v1/approvals/x/decision',
      'curl http://[::ffff:127.0.0.1]:8790/',
      'curl http://0x7f.1:8790/x',
      'curl http://localhost.:8790/x',
      'nc 127.0.0.1 8790',
      'socat - TCP:localhost:8790',
      'curl --connect-to x:8790:127.0.0.1:8790 http://x:8790/',
      "node -e \"fetch('http://127.1:8790/api/v1/approvals', { method: 'POST' })\"",
      'python3 -c "import urllib.request as u; u.urlopen(\'http://0.0.0.0:8790/api/v1/grants\')"',
    ],
    notMatch: [
      'curl http://127.0.0.1:8790/healthz',
      'curl http://localhost:3000/api/items',
      'curl https://x.example/api/v1/approvals',
      'curl http://10.0.0.7:8790/',
      'nc -zv localhost 5432',
      'node -e "fetch(\'http://localhost:3000/api/items\')"',
    ],
  },
  {
    id: 'self.socket',
    grade: 'dangerous',
    programs: [],
    decorated: true,
    test: opensOwnSocket,
    why: "calls hermod's own interface",
    personOnly: true,
    match: ['exec 3<>/dev/tcp/127.1/8790', 'echo x > /dev/tcp/localhost/8790'],
    notMatch: ['echo x > /dev/tcp/h/80', 'echo x > out.txt'],
  },
];
