import type { FastifyRequest } from 'fastify';
import type { HttpError } from '../http-error.ts';
import { html } from './html.ts';
import { type PageSite, pageDocument } from './layout.ts';

/** What a person in a browser reads instead of a page: the sign-in page where that is what is missing. */
export function errorPage(site: PageSite, error: HttpError, request: FastifyRequest): string {
  if (error.code === 'sign_in' || error.code === 'used_code')
    return loginPage(site, error.code === 'used_code' ? error : undefined, request);
  return pageDocument(site, {
    title: 'hermod',
    kind: 'error',
    content: html`<main class="alone"><h1>${error.message}</h1><p>${error.fix}</p><p><a href="${site.base}/">Back to the chat</a></p></main>`,
  });
}

function loginPage(site: PageSite, error: HttpError | undefined, request: FastifyRequest): string {
  const otherName = (request.host ?? '').startsWith('localhost') ? '127.0.0.1' : 'localhost';
  const open = site.practice ? 'npm run hermod -- open' : 'hermod open';
  return pageDocument(site, {
    title: 'Sign in to hermod',
    kind: 'login',
    content: html`<main class="alone">
<p class="brand"><img src="${site.base}/static/icon.svg" alt="" width="26" height="26">hermod</p>
<h1>Sign in</h1>
<p id="login-state" role="status">${error ? `${error.message} ${error.fix}` : ''}</p>
<p>Run <code>${open}</code> where hermod lives and open the address it prints, or paste that address here.</p>
<form method="post" action="${site.base}/login" id="login">
<label for="code">Address or code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="200">
<button class="primary">Sign in</button>
</form>
<p class="small">Signed in before? <code>localhost</code> and <code>127.0.0.1</code> are two sites for a browser; try ${otherName}.</p>
</main>`,
  });
}
