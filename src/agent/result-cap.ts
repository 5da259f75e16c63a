/** Which parts of a long result stay. */
export type Kept = 'head' | 'both';

/** `text` in at most about `bytes` bytes of UTF-8, cut between characters; the cut says what is missing and, if known, where it is. */
export function capResult(text: string, bytes: number, kept: Kept, where?: string): string {
  const all = Buffer.from(text.toWellFormed());
  if (all.length <= bytes) return all.toString();
  const head = upTo(all, kept === 'head' ? bytes : Math.floor(bytes * 0.4));
  const tail = from(all, all.length - (kept === 'head' ? 0 : Math.floor(bytes * 0.6)));
  const missing = (all.length - head.length - tail.length).toLocaleString('en');
  const place = where === undefined ? '' : `; the whole is ${where}, read it with read_file`;
  return `${head}\n[${missing} bytes not shown${place}]\n${tail}`.trimEnd();
}

function upTo(bytes: Buffer, end: number): Buffer {
  let at = end;
  while (at > 0 && isContinuation(bytes[at])) at--;
  return bytes.subarray(0, at);
}

function from(bytes: Buffer, start: number): Buffer {
  let at = start;
  while (at < bytes.length && isContinuation(bytes[at])) at++;
  return bytes.subarray(at);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
