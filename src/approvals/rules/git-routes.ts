import type { Call } from '../shell/call.ts';
import { isLoopback } from '../shell/loopback.ts';
import { gitCall } from './git.ts';
import { configured, OFF } from './git-force.ts';
import { fieldHit } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

/** Settings that last and say where git goes, through whom, and whether it looks who answers. */
function reroutes(call: Call): Hit {
  const git = gitCall(call);
  if (git?.verb !== 'config') return false;
  const everywhere = git.args.some(({ text }) => text === '--global' || text === '--system');
  const hit = configured(git.args).find(
    ({ key, value }) =>
      (/^http\.(?:.+\.)?sslverify$/i.test(key) && OFF.test(value)) ||
      (everywhere && /^(?:http|https)\.(?:.+\.)?proxy$/i.test(key) && value !== '' && !isLoopback(hostOf(value))) ||
      leadsAway(/^url\.(.+)\.(?:push)?insteadof$/is.exec(key)?.[1], value),
  );
  return hit?.at ? fieldHit(hit.at) : false;
}

/** Another owner's host, or the same without a cipher; a word of one's own for a host leads nowhere. */
function leadsAway(to: string | undefined, from: string): boolean {
  if (to === undefined) return false;
  const host = hostOf(from);
  return (
    host.includes('.') &&
    (ownerOf(hostOf(to)) !== ownerOf(host) || (/^(?:http|git):/i.test(to) && !/^(?:http|git):/i.test(from)))
  );
}

/** The last two labels of a host: `ssh.github.com` is GitHub as well. */
function ownerOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}

/** The host of a URL, of `me@host:path`, or of `host:port`. */
function hostOf(address: string): string {
  const rest = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/^[^/@]*@/, '');
  return (/^(\[[^\]]*\]|[^/:?#]*)/.exec(rest)?.[1] ?? '').toLowerCase();
}

export const gitRouteRules: readonly Rule[] = [
  {
    id: 'git.routes',
    grade: 'dangerous',
    programs: ['git'],
    test: reroutes,
    why: 'sends what git fetches and pushes from now on another way, or without looking who answers',
    match: [
      'git config --global url.https://mirror.example/.insteadOf https://github.com/',
      'git config --global http.proxy http://x.example:3128',
      'git config http.sslVerify false',
    ],
    notMatch: [
      'git config --global url.git@github.com:.insteadOf https://github.com/',
      'git config --global url.https://github.com/.insteadOf gh:',
      'git config --global url.ssh://git@ssh.github.com:443/.insteadOf git@github.com:',
      'git config --global http.proxy http://127.0.0.1:1080',
      'git config --global --unset http.proxy',
      'git config --get http.sslVerify',
    ],
  },
];
