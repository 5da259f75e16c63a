import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { SSH_OPTIONS } from '../shell/wrappers/remote.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Programs whose only use is to let others in, with the words that do so; none: whatever they are told. */
const TUNNELS: Readonly<Record<string, readonly string[]>> = {
  ngrok: ['http|tcp|tls|start|tunnel|service'],
  cloudflared: ['tunnel', 'access tcp|rdp|ssh', 'service install'],
  localtunnel: [],
  lt: [],
  bore: ['local|server'],
  frpc: [],
  frps: [],
  zrok: ['share|reserve|enable'],
  pagekite: [],
  'pagekite.py': [],
  loophole: ['http|path|webdav'],
  localxpose: ['tunnel'],
  loclx: ['tunnel'],
  inlets: ['*'],
  'inlets-pro': ['*'],
  sish: [],
  expose: ['share|*'],
  telebit: ['*'],
  gost: [],
  rathole: [],
  playit: [],
};

/** Lets others reach what listens on this machine. */
function opensTunnel(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  switch (call.program) {
    case 'ssh':
    case 'autossh':
      return forwardsBack(call);
    case 'chisel':
      return (
        operandsOf(call)[0] === 'server' || knownArgs(call).some((arg) => /^R:/.test(arg)) || hasArg(call, '--reverse')
      );
    case 'tailscale':
      return isVerb(operandsOf(call), ['funnel|serve']) && !hasArg(call, 'status', 'reset', 'off');
    case 'upnpc':
      return hasArg(call, '-a', '-r', '-n');
    default: {
      const verbs = TUNNELS[call.program] ?? [];
      return verbs.length === 0 ? !hasArg(call, '--version', '-v') : isVerb(operandsOf(call), verbs) && !lists(call);
    }
  }
}

function lists(call: Call): boolean {
  return isVerb(operandsOf(call), ['tunnel list|info|login', 'tunnel * list|info']);
}

/** `-R` and `RemoteForward`; a forward of the other end (`-L`, `-D`) lets nobody in. */
function forwardsBack(call: Call): boolean {
  const options = optionsOf(call, call.program === 'autossh' ? `${SSH_OPTIONS} M:` : SSH_OPTIONS, { stop: true });
  return options.has('R') || options.values('o').some(({ text }) => /^\s*RemoteForward\b/i.test(text));
}

export const tunnelRules: readonly Rule[] = [
  {
    id: 'net.tunnel',
    grade: 'dangerous',
    programs: [...Object.keys(TUNNELS), 'ssh', 'autossh', 'chisel', 'tailscale', 'upnpc'],
    test: opensTunnel,
    why: 'lets others reach what listens on this machine',
    match: [
      'ngrok http 3000',
      'cloudflared tunnel --url http://localhost:3000',
      'npx localtunnel --port 3000',
      'ssh -fNR 8080:localhost:3000 a@b',
      'ssh -o "RemoteForward 9 localhost:22" a@b',
      'chisel client x.example R:80:localhost:3000',
      'tailscale funnel 3000',
    ],
    notMatch: [
      'ngrok --version',
      'ssh -L 8080:localhost:80 a@b',
      'ssh -D 1080 a@b',
      'cloudflared tunnel list',
      'tailscale status',
      'ssh web1 uptime',
    ],
  },
];
