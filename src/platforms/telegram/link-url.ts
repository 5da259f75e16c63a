const HTTP = /^https?:\/\/(?:[^\s/?#@]*@)?(\[[0-9a-f:.]+\]|[^\s/?#:@[\]]+)(?::\d+)?(?:[/?#]|$)/i;

/** Whether Telegram takes a URL for a link: `tg:`, or http(s) with a dotted host or a bracketed IPv6 address. */
export function isLinkable(url: string): boolean {
  if (/\s/.test(url)) return false;
  if (/^tg:(?:\/\/)?\w/i.test(url)) return true;
  const host = HTTP.exec(url)?.[1];
  return host !== undefined && (host.startsWith('[') || /[^.]\.[^.]/.test(host));
}

/** Whether a label already says where its link goes, so that the URL need not be written again. */
export function showsUrl(label: string, url: string): boolean {
  return label === url || url === `mailto:${label}`;
}
