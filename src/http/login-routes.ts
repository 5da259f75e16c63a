import { z } from 'zod';
import type { EventStream } from './event-stream.ts';
import { HttpError } from './http-error.ts';
import type { LoginCodes } from './login-codes.ts';
import type { Route } from './route.ts';
import { wantsPage } from './server.ts';
import type { SignIn } from './sign-in.ts';

export interface LoginDeps {
  readonly codes: LoginCodes;
  readonly signIn: SignIn;
  readonly stream: EventStream;
  readonly base: string;
  /** A fresh one-time address. */
  readonly loginUrl: () => string;
}

const codeForm = z.object({ code: z.string().max(200) });

/** Signing in with a one-time code, out again, and a new code for whoever may operate hermod. */
export function loginRoutes({ codes, signIn, stream, base, loginUrl }: LoginDeps): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/login',
      access: 'anybody',
      body: 'form',
      login: true,
      handle({ request, reply }) {
        const form = codeForm.safeParse(request.body);
        if (!form.success || !codes.redeem(codeIn(form.data.code))) throw usedUp();
        reply.header('set-cookie', signIn.begin(request.protocol === 'https'));
        return wantsPage(request) ? reply.redirect(`${base}/`, 303) : undefined;
      },
    },
    {
      method: 'POST',
      path: '/logout',
      access: 'page',
      body: 'form',
      handle({ reply, caller }) {
        if (caller.kind !== 'page') return undefined;
        reply.header('set-cookie', signIn.end(caller.session));
        stream.endOf(caller.session.hash);
        return reply.redirect(`${base}/`, 303);
      },
    },
    { method: 'POST', path: '/api/v1/logins', access: 'operate', body: 'json', handle: () => ({ url: loginUrl() }) },
  ];
}

/** People paste the whole address as well as the code. */
function codeIn(pasted: string): string {
  return pasted
    .slice(pasted.lastIndexOf('#t=') + 1)
    .replace(/^t=/, '')
    .trim();
}

function usedUp(): HttpError {
  return new HttpError(403, 'used_code', 'This link was used or is too old.', 'Run hermod open for a new one.');
}
