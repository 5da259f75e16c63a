const WEB = /^https?:\/\/[^\s<>`\\]+$/i;
/** Discord shows a masked link whose label looks like an address as it is written: that is how people are deceived. */
const LIKE_A_URL = /https?:\/\/|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/?#:]|$)/i;

/** What Discord itself turns into a link where it stands in a text. */
export function isWebUrl(text: string): boolean {
  return WEB.test(text);
}

export function isMaskable(label: string, url: string): boolean {
  return isWebUrl(url) && !LIKE_A_URL.test(label);
}

const BARE = /https?:\/\/[^\s<>`\\]+/gi;
/** Punctuation behind an address, and signs that are somebody's markup. */
const TAIL = /[?!.,:;*_~'")\]|\\`]+$/;

/** Every stretch of a text that Discord reads as an address, wherever it stands: `[from, to)`. */
export function bareUrls(text: string): readonly (readonly [number, number])[] {
  return [...text.matchAll(BARE)].flatMap(({ index, 0: found }) => {
    const address = found.replace(TAIL, '');
    return isWebUrl(address) ? [[index, index + address.length] as const] : [];
  });
}
