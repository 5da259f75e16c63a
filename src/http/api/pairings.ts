import { z } from 'zod';
import type { Pairing, PairingChange } from '../../gateway/pairing.ts';
import { HttpError } from '../http-error.ts';
import type { Route } from '../route.ts';
import { readBody } from './body.ts';
import { personOf } from './person.ts';

const code = z.strictObject({ code: z.string().max(40) });
const person = z.strictObject({ person: z.string().max(200) });

/** Who was let in by a code, and who waits to be. */
export function pairingRoutes(pairing: Pick<Pairing, 'list' | 'approve' | 'revoke'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/pairings',
      access: 'read',
      handle: () => {
        const { people, pending } = pairing.list();
        return {
          people: people.map(({ address: _, ...row }) => row),
          // No hash leaves the store.
          pending: pending.map((row) => {
            const { person, platform, name, createdAt, expiresAt } = row;
            return { person, platform, name, createdAt, expiresAt };
          }),
        };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/pairings/approve',
      access: 'operate',
      body: 'json',
      handle: ({ request, caller }) => done(pairing.approve(readBody(code, request.body).code, personOf(caller).by)),
    },
    {
      method: 'POST',
      path: '/api/v1/pairings/revoke',
      access: 'operate',
      body: 'json',
      handle: ({ request, caller }) => {
        personOf(caller);
        return done(pairing.revoke(readBody(person, request.body).person));
      },
    },
  ];
}

function done(change: PairingChange): { readonly person: string; readonly text: string } {
  switch (change.kind) {
    case 'done':
      return { person: change.person, text: change.text };
    case 'locked':
      throw new HttpError(423, 'locked', change.text, 'Wait, or approve with the buttons in the home chat.');
    case 'wrong':
      throw new HttpError(404, 'wrong_code', change.text, 'Look at the code again.');
    case 'unknown':
      throw new HttpError(404, 'not_found', change.text, 'List who there is.');
    case 'listed':
      throw new HttpError(409, 'listed', change.text, 'Change the configuration.');
  }
}
