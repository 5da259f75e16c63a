import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { type CallPlace, coveringGrants, shellShape } from '../../src/approvals/grant-cover.ts';
import { grantableShape } from '../../src/approvals/rules/all.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { GrantRow } from '../../src/store/grants.ts';
import { FACTS } from './facts.ts';

const SESSION = 's' as SessionId;
const PLACE: CallPlace = {
  ...{ session: SESSION, job: undefined, owner: undefined, cron: false, now: 1 },
  allowed: () => true,
};

function templatesOf(command: string) {
  return shellShape(analyze(command, FACTS), { backend: 'local', shapeOf: grantableShape }, () => false).templates;
}

/** Whether a yes for the session to one command covers another. */
function covers(granted: string, command: string): boolean {
  const rows = templatesOf(granted).map(
    (template) => ({ ...template, kind: 'session', session: SESSION, expiresAt: null, jobs: false }) as GrantRow,
  );
  expect(rows).not.toEqual([]);
  return coveringGrants(templatesOf(command), PLACE, (rule) => rows.filter((row) => row.rule === rule)) !== undefined;
}

describe('a yes to a plain command', () => {
  it.each([
    'nice -n 5 rm -rf build',
    'timeout 5 rm -rf build',
    'env -u A rm -rf build',
    'command rm -rf build',
    'ionice -c3 rm -rf build',
  ])('covers %s', (command) => {
    expect(covers('rm -rf build', command)).toBe(true);
  });

  it.each([
    'systemd-run -H host rm -rf build',
    'systemd-run --uid=0 rm -rf build',
    'systemd-run -E LD_PRELOAD=./x.so rm -rf build',
    'run0 rm -rf build',
    'strace -u bob rm -rf build',
    'strace -E LD_PRELOAD=./x.so rm -rf build',
    'start-stop-daemon -S -x /bin/x -- rm -rf build',
    'fakeroot -l ./x.so rm -rf build',
    'proot -b ./x:/bin rm -rf build',
    'bwrap --bind ./x /bin rm -rf build',
    'firejail --private=./x rm -rf build',
    'unshare -R ./root rm -rf build',
    'chpst -e ./env rm -rf build',
    'envdir ./env rm -rf build',
    'script -q typescript rm -rf build',
    'setarch -R rm -rf build',
  ])('not %s, which changes who, where or with what it runs', (command) => {
    expect(covers('rm -rf build', command)).toBe(false);
  });
});

describe('a yes to a wrapped command', () => {
  it('is for the same words of the wrapper alone', () => {
    expect(covers('strace -f rm -rf build', 'strace -f rm -rf build')).toBe(true);
    expect(covers('strace -f rm -rf build', 'strace -f -u bob rm -rf build')).toBe(false);
    expect(covers('unshare -m rm -rf build', 'unshare -m -R ./root rm -rf build')).toBe(false);
    expect(covers('setpriv --reuid=5 rm -rf build', 'setpriv --reuid=5 --clear-groups rm -rf build')).toBe(false);
  });

  it('cannot last where words of the wrapper are only known when it runs', () => {
    expect(templatesOf('strace -o "$X" rm -rf build')).toEqual([]);
  });
});

describe('more words', () => {
  it('are never covered where they could widen it', () => {
    expect(covers('git filter-repo --path x', 'git filter-repo --path x')).toBe(true);
    expect(covers('git filter-repo --path x', 'git filter-repo --path x --invert-paths')).toBe(false);
    expect(covers('git filter-repo --path x', 'git filter-repo --path x --blob-callback "import os"')).toBe(false);
    expect(covers('git reflog expire --expire=now x', 'git reflog expire --expire=now x --all')).toBe(false);
  });
});
