import { type Html, html } from './html.ts';

/** What every page of one daemon shares. */
export interface PageSite {
  /** Prefix of every path; empty for the root. */
  readonly base: string;
  readonly version: string;
  readonly boot: string;
  readonly practice: boolean;
  /** IANA zone of times until the browser puts its own; undefined: UTC. */
  readonly timeZone: (() => string) | undefined;
}

export interface PageView {
  readonly title: string;
  /** Attributes the module reads from `body`. */
  readonly data?: Readonly<Record<string, string>>;
  readonly kind: 'chat' | 'login' | 'error';
  readonly content: Html;
}

/** The document around a page. Referrers stay on our own origin: forms need theirs to prove where they come from. */
export function pageDocument(site: PageSite, view: PageView): string {
  const data = Object.entries(view.data ?? {}).map(([name, value]) => html` data-${name}="${value}"`);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="referrer" content="same-origin">
<meta name="color-scheme" content="light dark">
<title>${view.title}</title>
<link rel="icon" href="${site.base}/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${site.base}/static/page.css">
<script type="module" src="${site.base}/static/page.js"></script>
</head>
<body class="${view.kind}" data-base="${site.base}"${data}>
${view.content}
</body>
</html>
`;
  return page.text;
}

/** Pages of the control page, in the order of the navigation. A new page adds itself here. */
export const PAGES: readonly { readonly path: string; readonly name: string }[] = [{ path: '/', name: 'Chat' }];

export function navigation(site: PageSite, current: string): Html | false {
  if (PAGES.length < 2) return false;
  return html`<nav aria-label="Pages"><ul>${PAGES.map(
    ({ path, name }) =>
      html`<li><a href="${site.base}${path}"${path === current && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`;
}
