import type { Actor } from '../../contract/message.ts';
import type { Surface } from '../../store/approvals.ts';
import { HttpError } from '../http-error.ts';
import type { Caller } from '../route.ts';

export const CLI: Actor = { platform: 'cli', id: 'operator', name: 'the operator' };
const PAGE: Actor = { platform: 'web', id: 'operator', name: 'the operator' };

/** Who acts: the holder of the home, on the page or with the token of this boot. A token for programs is nobody. */
export function personOf(caller: Caller): { readonly by: Actor; readonly surface: Surface } {
  if (caller.kind === 'page') return { by: PAGE, surface: 'page' };
  if (caller.kind === 'token' && caller.name === 'cli') return { by: CLI, surface: 'cli' };
  throw new HttpError(
    403,
    'people_only',
    'Only people decide this, and a token is none.',
    'Use the page or the command line.',
  );
}
