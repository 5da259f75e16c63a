import type { Button } from '../../contract/message.ts';
import type { WebMessage } from '../../platforms/web/messages.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import { type Html, html } from './html.ts';
import { renderMarkdown } from './markdown.ts';

export interface MessageContext {
  /** Path of the conversation, `/c/main`. */
  readonly at: string;
  readonly pageToken: string;
  readonly timeZone: string | undefined;
  /** What the person was last told about one message, beside it. */
  readonly note?: { readonly messageId: string; readonly text: string } | undefined;
}

/** Stands in for the page token in what several browsers are sent; each puts its own. */
export const TOKEN_LATER = '-';

/** One line of the conversation. The same element on the page, in history and in the event stream. */
export function messageView(message: WebMessage, context: MessageContext): Html {
  const note = context.note?.messageId === message.id ? context.note.text : '';
  return html`<article class="${classes(message)}" id="m${message.id}" data-id="${message.id}" data-version="${version(message)}"${busy(message)} tabindex="-1">
<h2 class="who">${speaker(message)} ${timeView(message.createdAt, context.timeZone)}</h2>
${bodyView(message)}${filesView(message, context)}${buttonsView(message, context)}<p class="note" role="status">${note}</p>
</article>`;
}

/** Equal for equal content: the module leaves what has not changed alone. */
function version({ text, buttons, as }: WebMessage): string {
  return hashSecret(JSON.stringify([text, buttons, as])).slice(0, 12);
}

function classes(message: WebMessage): string {
  const names = ['msg', message.side];
  if (message.card) names.push('card', message.buttons.length > 0 ? 'open' : 'settled');
  if (message.as) names.push(message.as);
  return names.join(' ');
}

function busy(message: WebMessage): Html | false {
  return message.as === 'draft' && html` aria-busy="true"`;
}

function speaker(message: WebMessage): string {
  if (message.side === 'person') return 'You';
  if (message.card) return message.buttons.length > 0 ? 'hermod asks' : 'hermod asked';
  return 'hermod';
}

/** Text of a person and of a growing answer stays as it is; a finished answer is drawn, and drawn once. */
function bodyView(message: WebMessage): Html {
  if (message.text === '') return html``;
  if (message.side === 'person' || message.as === 'draft') return html`<div class="text plain">${message.text}</div>`;
  return html`<div class="text">${drawn(message)}</div>`;
}

const MOST_DRAWN = 200;
const cache = new Map<string, Html>();

function drawn(message: WebMessage): Html {
  const before = cache.get(message.text);
  if (before) return before;
  const made = renderMarkdown(message.text);
  cache.set(message.text, made);
  if (cache.size > MOST_DRAWN) cache.delete(cache.keys().next().value as string);
  return made;
}

function filesView(message: WebMessage, { at }: MessageContext): Html | false {
  if (message.files.length === 0) return false;
  return html`<ul class="files">${message.files.map(
    (file, i) =>
      html`<li><a href="${at}/files/${message.id}/${i}" download="${file.name}">${file.name}</a> <span>${size(file.size)}</span></li>`,
  )}</ul>`;
}

function buttonsView(message: WebMessage, context: MessageContext): Html | false {
  if (message.buttons.length === 0) return false;
  const plain = message.buttons
    .map((row) => row.filter((button) => !opensForm(button)))
    .filter((row) => row.length > 0);
  const forms = message.buttons.flat().filter(opensForm);
  return html`<div class="choices">
${plain.length > 0 && html`<form method="post" action="${context.at}/press">${hidden(message, context)}${plain.map(rowView)}</form>`}
${forms.map((button) => formView(button, message, context))}</div>`;
}

function rowView(row: readonly Button[]): Html {
  return html`<div class="row">${row.map((button) => html`<button name="data" value="${button.data}" class="${button.style ?? 'quiet'}">${button.label}</button>`)}</div>`;
}

function formView(button: Button, message: WebMessage, context: MessageContext): Html {
  return html`<details><summary>${button.label}</summary><form method="post" action="${context.at}/press">${hidden(message, context)}
<label>Reason <input name="text" maxlength="500" required autocomplete="off"></label><button name="data" value="${button.data}" class="danger">${button.label}</button></form></details>`;
}

/** The last field `r` of button data asks for words. */
function opensForm(button: Button): boolean {
  return button.data.endsWith(':r');
}

function hidden(message: WebMessage, { pageToken }: MessageContext): Html {
  return html`<input type="hidden" name="token" value="${pageToken}"><input type="hidden" name="id" value="${newSecret(12)}"><input type="hidden" name="message" value="${message.id}">`;
}

export function timeView(at: number, timeZone: string | undefined): Html {
  const date = new Date(at);
  const shown = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: timeZone ?? 'UTC',
  }).format(date);
  return html`<time datetime="${date.toISOString()}">${shown}</time>`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
