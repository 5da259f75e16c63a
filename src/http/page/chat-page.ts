import type { ConversationSummary, WebMessage } from '../../platforms/web/messages.ts';
import { newSecret } from '../secrets.ts';
import { type Html, html } from './html.ts';
import { navigation, type PageSite, pageDocument } from './layout.ts';
import { type MessageContext, messageView } from './message-view.ts';

export interface ChatView {
  readonly conversation: string;
  readonly messages: readonly WebMessage[];
  readonly more: boolean;
  readonly conversations: readonly ConversationSummary[];
  /** A name nobody uses yet: where "new chat" leads. */
  readonly fresh: string;
  readonly context: MessageContext;
  /** Where the event stream goes on from. */
  readonly position: string;
  readonly notice?: string | undefined;
}

/** Phrases the practice model knows, worth pressing once. */
const PHRASES = [
  'List the files',
  'Delete the build folder',
  'Remind me in 10 seconds to stretch',
  'Every weekday at 9 say good morning',
];

export function chatPage(site: PageSite, view: ChatView): string {
  const title = titleOf(view);
  return pageDocument(site, {
    title: `${title} · hermod`,
    kind: 'chat',
    data: { conversation: view.conversation, position: view.position, boot: site.boot, token: view.context.pageToken },
    content: html`<a class="skip" href="#text">Skip to the message field</a>
<div class="app">
${sidebar(site, view)}
<main>
<header class="top"><button type="button" class="menu" popovertarget="side" title="Conversations"><span class="sr">Conversations</span></button><h1>${title}</h1></header>
${site.practice && practiceBanner()}
<div id="log" class="log" role="region" aria-label="Conversation" tabindex="0"><div>
${view.more && earlier(view)}
<div id="messages">${view.messages.map((message) => messageView(message, view.context))}</div>
${view.messages.length === 0 && welcome()}
<p id="typing" class="typing" hidden><span></span><span></span><span></span><b class="sr">hermod is working</b></p>
</div></div>
${composer(site, view)}
</main>
</div>
<div id="bar" class="bar" role="status" hidden></div>
<div id="said" class="sr" role="status" aria-live="polite"></div>`,
  });
}

function titleOf(view: ChatView): string {
  const known = view.conversations.find((entry) => entry.conversation === view.conversation)?.title;
  return known || (view.conversation === 'main' ? 'Chat' : 'New chat');
}

function sidebar(site: PageSite, view: ChatView): Html {
  const entry = ({ conversation, title }: ConversationSummary) =>
    html`<li><a href="${site.base}/c/${conversation}"${conversation === view.conversation && html` aria-current="page"`}>${title || conversation}</a></li>`;
  return html`<aside class="side" id="side" popover aria-label="Conversations">
<p class="brand"><img src="${site.base}/static/icon.svg" alt="" width="26" height="26">hermod</p>
${navigation(site, '/')}
<a class="new" href="${site.base}/c/${view.fresh}">New chat</a>
<nav aria-label="Conversations"><ul id="conversations">${view.conversations.map(entry)}</ul></nav>
<form class="out" method="post" action="${site.base}/logout"><input type="hidden" name="token" value="${view.context.pageToken}"><button class="link">Sign out</button><span class="small">${site.version}</span></form>
</aside>`;
}

function practiceBanner(): Html {
  return html`<section class="practice" aria-label="Practice mode">
<p><b>Practice mode<span class="wideonly">.</span></b> <span class="wideonly">A scripted model answers; tools, cards, jobs and restarts are real.</span></p>
<button form="say" name="phrase" value="/restart now" formnovalidate class="link">Restart hermod now</button>
</section>`;
}

function phrases(): Html {
  return html`<div class="phrases" role="group" aria-label="Phrases to try">${PHRASES.map(
    (phrase) => html`<button name="phrase" value="${phrase}" formnovalidate>${phrase}</button>`,
  )}</div>`;
}

function earlier(view: ChatView): Html {
  const before = view.messages[0]?.id ?? '';
  return html`<p class="earlier"><a id="earlier" href="${view.context.at}?before=${before}">Earlier messages</a></p>`;
}

function welcome(): Html {
  return html`<div class="welcome" id="welcome"><h2>What can I do for you?</h2><p>Write below. Before anything dangerous runs, you are asked here. <code>/help</code> lists the commands.</p></div>`;
}

function composer(site: PageSite, view: ChatView): Html {
  return html`<form class="composer" id="say" method="post" action="${view.context.at}/say">
<button type="button" id="jump" class="jump" hidden>New messages</button>
<p id="notice" class="note" role="status">${view.notice ?? ''}</p>
<input type="hidden" name="token" value="${view.context.pageToken}"><input type="hidden" name="id" value="${newSecret(12)}">
${site.practice && phrases()}
<div class="field"><label class="sr" for="text">Message to hermod</label>
<textarea id="text" name="text" rows="1" maxlength="100000" placeholder="Message hermod" required enterkeyhint="send"></textarea>
<button name="phrase" value="/stop" formnovalidate id="stop" class="stop" title="Stop"><span class="sr">Stop</span></button>
<button class="send" id="send" title="Send"><span class="sr">Send</span></button></div>
</form>`;
}
