import type { Command } from './command.ts';

export const yolo: Command = {
  name: 'yolo',
  args: '[off]',
  about: 'Stop asking before dangerous commands here, for a while',
  run: ({ policy, args, from, session }) => ({ text: policy.yolo(args, from, session) }),
};

export const grants: Command = {
  name: 'grants',
  args: '[revoke ID | jobs ID on|off]',
  about: 'List and change what was allowed beyond one call',
  run: ({ policy, args, from, session }) => ({ text: policy.grants(args, from, session) }),
};
