import type { Facts } from '../../src/approvals/analysis.ts';

/** The place corpora and rule examples are judged in: the workspace of a POSIX home, nothing started, nothing fetched. */
export const FACTS: Facts = {
  cwd: '/home/user/.hermod/workspace',
  home: '/home/user',
  user: 'user',
  roots: ['/home/user/.hermod/workspace'],
  hermodHome: '/home/user/.hermod',
  installation: '/opt/hermod',
  pid: 4242,
  parentPid: 4241,
  childPids: [],
  fetched: [],
  os: 'linux',
  protectPaths: [],
};
