import type { Call } from '../shell/call.ts';
import type { Field } from '../shell/field.ts';
import type { Options } from '../shell/options.ts';
import { parseOptions } from '../shell/options.ts';
import { ownPlace } from '../shell/own-places.ts';
import { belowHome, formatPath, isAbove, isPlain, isProtectedRoot, resolvePath, staysInRoots } from '../shell/paths.ts';
import { protectedPlace, secretAt } from '../shell/places.ts';
import { COMPOSE_GLOBAL, DOCKER_GLOBAL, longMount, mounts, RUN_OPTIONS } from '../shell/wrappers/remote.ts';
import { helped, isVerb } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

interface Verb {
  readonly words: readonly string[];
  readonly args: readonly Field[];
}

function dockerVerb(call: Call): Verb | null {
  const options = parseOptions(call.args, DOCKER_GLOBAL, { stop: true });
  const rest = call.program === 'docker-compose' ? call.args : options.operands;
  const compose = call.program === 'docker-compose' || rest[0]?.text === 'compose';
  if (options.has('help')) return null;
  if (!compose)
    return { words: rest.filter((arg) => !arg.text.startsWith('-')).map((arg) => arg.text), args: rest.slice(1) };
  const inner = parseOptions(call.program === 'docker-compose' ? rest : rest.slice(1), COMPOSE_GLOBAL, { stop: true });
  if (inner.has('dry-run')) return null;
  return {
    words: ['compose', ...inner.operands.filter((arg) => !arg.text.startsWith('-')).map((arg) => arg.text)],
    args: inner.operands.slice(1),
  };
}

const DOCKER_LOSSES = [
  'rm|rmi|stop|kill|restart|pause',
  'container rm|remove|stop|kill|prune|restart|pause',
  'image|images rm|remove|prune',
  'volume rm|remove|prune',
  'network rm|remove|prune|disconnect',
  'system prune|reset',
  'builder prune',
  'buildx rm|prune',
  'compose down|stop|kill|rm|restart|pause',
  'stack rm|remove|down',
  'service rm|remove|rollback',
  'swarm leave',
  'node rm|remove|demote',
  'secret rm|remove',
  'config rm|remove',
  'context rm|remove',
  'plugin rm|remove|disable',
  'manifest rm',
  'trust revoke',
  'pod rm|stop|kill|prune|restart',
  'machine rm|stop|reset',
  'play kube',
  'kube down',
  'namespace rm|remove',
];

function dockerLosses(call: Call): Hit {
  const verb = dockerVerb(call);
  if (!verb || helped(verb.args)) return false;
  if (isVerb(verb.words, ['service scale *', 'compose scale *'])) return verb.words.some((word) => /=0$/.test(word));
  if (isVerb(verb.words, ['service update']) && verb.args.some((arg) => /--replicas(?:=|$)/.test(arg.text)))
    return verb.args.some((arg) => /^(?:--replicas=)?0$/.test(arg.text));
  if (isVerb(verb.words, ['compose up']) && verb.args.some((arg) => /^--scale(?:=|$)/.test(arg.text)))
    return verb.args.some((arg) => /=0$/.test(arg.text));
  return isVerb(verb.words, DOCKER_LOSSES) && !isVerb(verb.words, ['play kube']);
}

function runOptions(call: Call): Options | null {
  const options = parseOptions(call.args, DOCKER_GLOBAL, { stop: true });
  let rest = options.operands;
  if (rest[0]?.text === 'container') rest = rest.slice(1);
  if (rest[0]?.text === 'compose') {
    rest = parseOptions(rest.slice(1), COMPOSE_GLOBAL, { stop: true }).operands;
  }
  const [verb, ...args] = rest;
  if (verb?.text !== 'run' && verb?.text !== 'create' && verb?.text !== 'exec') return null;
  const run = parseOptions(args, RUN_OPTIONS, { stop: true });
  return run.has('help') ? null : run;
}

const SERVICE = 'mount: mount-add: cap-add: name: replicas: e|env: network: p|publish: d|detach q|quiet';
const VOLUME = 'd|driver: o|opt: label: name:';

/** What is not a run: volumes and services that name a folder of the host, builds with all rights, a compose file on stdin. */
function opensByName(call: Call): Hit {
  const verb = dockerVerb(call);
  if (!verb || helped(verb.args)) return false;
  if (isVerb(verb.words, ['volume create'])) {
    const device = parseOptions(verb.args, VOLUME)
      .values('o')
      .map(({ text }) => /^device=(\/.*)$/.exec(text)?.[1])
      .find((host) => host !== undefined && isRiskyMount(call, host));
    return device !== undefined && { why: OPENED };
  }
  if (isVerb(verb.words, ['pod create'])) {
    const bound = mounts(parseOptions(verb.args.slice(1), RUN_OPTIONS));
    return bound.some(({ host }) => isRiskyMount(call, host)) && { why: OPENED };
  }
  if (isVerb(verb.words, ['service create|update'])) {
    const added = parseOptions(verb.args, SERVICE);
    const found = [...added.values('mount'), ...added.values('mount-add')].flatMap(({ text }) => longMount(text));
    return found.some(({ host }) => isRiskyMount(call, host)) && { why: OPENED };
  }
  if (isVerb(verb.words, ['build', 'buildx build|bake|create']))
    return verb.args.some(({ text }) => /security\.insecure/.test(text)) && { why: ALL_RIGHTS };
  return verb.words[0] === 'compose' && isVerb(verb.words, ['compose up|run|create|start']) && composesOpenly(call);
}

/** A compose file written into the command. */
function composesOpenly(call: Call): Hit {
  const text = call.args.some((arg) => /^(?:-|--file=-|-f-)$/.test(arg.text)) ? call.stdin.text : null;
  if (text === null) return false;
  if (/\bprivileged["']?\s*:\s*["']?true|\b(?:pid|ipc|userns_mode)["']?\s*:\s*["']?host\b|\bSYS_ADMIN\b/.test(text))
    return { why: ALL_RIGHTS };
  const binds = [...text.matchAll(/["'\s-](\/[^\s:,"']*|~[^\s:,"']*):\//g)].map((match) => match[1] as string);
  return binds.some((host) => isRiskyMount(call, host)) && { why: OPENED };
}

const ALL_RIGHTS = 'runs a container with all rights on this machine';
const OPENED = 'gives a container a folder of this machine outside the work folders, secrets or the container socket';

/** Rights or folders with which a container is the host. */
function reachesHost(call: Call): Hit {
  const other = opensByName(call);
  if (other) return other;
  const run = runOptions(call);
  if (!run) return false;
  if (run.has('device-cgroup-rule')) return { why: 'gives a container devices of this machine' };
  const root = run.has('rootfs') ? (run.value('rootfs') ?? run.operands[0]) : undefined;
  if (root && isRiskyMount(call, root.text)) return { why: 'runs a container on the files of this machine' };
  if (run.has('privileged')) return { why: ALL_RIGHTS };
  const values = (name: string) => run.values(name).map((field) => field.text);
  if (
    [...values('pid'), ...values('ipc'), ...values('uts'), ...values('userns'), ...values('cgroupns')].some(
      (value) => value === 'host',
    )
  )
    return { why: "runs a container in the host's namespaces" };
  if (
    values('cap-add').some((cap) =>
      /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|SYS_BOOT|DAC_READ_SEARCH|DAC_OVERRIDE|NET_ADMIN|BPF|SYS_CHROOT|MKNOD)$/i.test(
        cap,
      ),
    )
  )
    return { why: 'runs a container with more rights' };
  if (values('security-opt').some((value) => /unconfined|disable|no-new-privileges[:=]false/.test(value)))
    return { why: 'runs a container without its confinement' };
  if (values('device').some((value) => /^\/dev\/(?:sd|nvme|vd|hd|mem|kmem|mapper|dm-|disk)/.test(value)))
    return { why: 'gives a container a disk of this machine' };
  return mounts(run).some(({ host }) => isRiskyMount(call, host)) ? { why: OPENED } : false;
}

export function isRiskyMount(call: Call, text: string): boolean {
  const path = resolvePath(text.startsWith('~') ? call.facts.home + text.slice(1) : text, call.state.cwd);
  if (isProtectedRoot(path, call.facts) || isAbove(path, call.facts.hermodHome) || ownPlace(path, call.facts) !== null)
    return true;
  if (secretAt(path, call.facts) !== null) return true;
  if (isPlain(path) && /(?:docker|containerd|podman|crio)\.sock$/.test(formatPath(path))) return true;
  if (path.absolute && /^(?:proc|sys|dev|run)$/.test(path.parts[0] ?? '') && path.parts.length === 1) return true;
  const place = protectedPlace(path, call.facts);
  if (place !== null && /^(?:ssh|credential|cron)$/.test(place.kind)) return true;
  const inHome = path.absolute && belowHome(path, call.facts) !== null;
  return (
    isPlain(path) &&
    !inHome &&
    path.parts[0] !== 'tmp' &&
    !staysInRoots(path, call.facts) &&
    !HARMLESS_MOUNT.test(formatPath(path))
  );
}

/** Read by many images, and nothing to lose. */
const HARMLESS_MOUNT = /^\/etc\/(?:localtime|timezone)$|^\/tmp$|^\/dev\/(?:shm|null|dri\/?.*|snd\/?.*)$/;

export const containerRules: readonly Rule[] = [
  {
    id: 'infra.container',
    grade: 'dangerous',
    programs: ['docker', 'docker-compose'],
    test: dockerLosses,
    why: 'stops or removes containers, images or volumes',
    smart: true,
    match: [
      'docker rm -f web',
      'docker system prune -af',
      'docker volume rm data',
      'docker compose down -v',
      'docker -H ssh://p stop app',
      'podman rmi x',
      'docker-compose -f x.yml kill',
    ],
    notMatch: [
      'docker ps',
      'docker images',
      'docker run --rm alpine echo hi',
      'docker compose logs',
      'docker build .',
      'docker rm --help',
      'docker compose up -d',
      'docker inspect rm',
    ],
  },
  {
    id: 'infra.privileged',
    grade: 'dangerous',
    programs: ['docker'],
    test: reachesHost,
    why: 'runs a container that can reach into this machine',
    match: [
      'docker run --privileged alpine',
      'docker run -v /:/host alpine ls',
      'docker run -v /var/run/docker.sock:/s x',
      'docker run --pid=host x',
      'docker run --mount type=bind,source=/etc,target=/e x',
      'docker volume create --opt type=none --opt device=/ --opt o=bind root',
      'docker service create --mount type=bind,source=/,target=/h alpine',
      'podman run --rootfs / sh',
      "docker compose -f - up -d <<'E'\nservices: {x: {image: a, privileged: true}}\nE",
    ],
    notMatch: [
      'docker run -v "$PWD":/app node',
      'docker run -v data:/var/lib/x x',
      'docker run --rm alpine',
      'docker run -p 80:80 nginx',
      'docker run -h privileged alpine',
      'docker volume create --opt type=nfs --opt o=addr=10.0.0.1,rw --opt device=:/export data',
      'docker service create --mount type=volume,source=data,target=/d alpine',
      "docker compose -f - up -d <<'E'\nservices: {x: {image: a, volumes: ['./src:/src']}}\nE",
    ],
  },
];
