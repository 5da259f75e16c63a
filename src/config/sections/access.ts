import { z } from 'zod';
import { choice, flag, id, ids, key, named, platform, role, section } from '../fields.ts';

export const access = section({
  admins: key(ids, [], 'people who may use the admin commands'),
  allow: key(ids, [], 'people who may talk to hermod'),
  deny: key(ids, [], 'people who may not, whatever else says they may'),
  groups: key(ids, [], 'groups whose members may talk, there only'),
  roles: key(z.array(role), [], 'roles whose holders may talk, on that server only'),
  open: key(z.array(platform), [], 'platforms where anybody may talk'),
  open_confirmed: key(flag, false, 'must be true beside access.open'),
  pairing: key(flag, true, 'strangers in direct chats get a code for the owner'),
  bots: key(choice('none', 'mentions'), 'none', 'whether other bots are heard when they mention us'),
});

export const groups = section({
  mention: key(choice('required', 'off'), 'required', 'whether words in a group must name the bot'),
  free: key(ids, [], 'groups heard without a mention'),
  observe: key(flag, false, 'keep lines not meant for us as context of the next turn'),
});

export const home = named('platform', platform, id, 'where notices and jobs of a platform go; also /sethome');
