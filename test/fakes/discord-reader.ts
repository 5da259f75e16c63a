/** What a person sees of a Discord message, read by rules of the client's own kind and not by those of the renderer. */
export interface Seen {
  readonly text: string;
  /** Each stretch in another face: its style and its letters. */
  readonly faces: readonly {
    readonly style: string;
    readonly text: string;
    readonly url?: string;
    readonly language?: string;
  }[];
  /** Mentions and pings that would be drawn. */
  readonly mentions: readonly string[];
}

interface Page {
  text: string;
  readonly faces: { style: string; text: string; url?: string; language?: string }[];
  readonly mentions: string[];
}

const FENCE = /```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i;

export function readDiscord(markup: string): Seen {
  const page: Page = { text: '', faces: [], mentions: [] };
  readBlocks(page, markup);
  return { ...page, text: page.text.replaceAll('\u200b', '') };
}

/** Lines that begin with `> ` are one quote; what is inside is read as a message of its own. */
function readBlocks(page: Page, markup: string): void {
  const lines = markup.split('\n');
  for (let i = 0; i < lines.length; ) {
    const quoted = /^> /.test(lines[i] as string);
    const end = lines.findIndex(
      (line, at) => at > i && /^> /.test(line) !== quoted && !insideFence(lines.slice(i, at), quoted),
    );
    const group = lines.slice(i, end === -1 ? lines.length : end);
    if (i > 0) page.text += '\n';
    if (quoted) face(page, 'quote', () => readBody(page, group.map((line) => line.slice(2)).join('\n')));
    else readBody(page, group.join('\n'));
    i += group.length;
  }
}

function insideFence(lines: readonly string[], quoted: boolean): boolean {
  return !quoted && (lines.join('\n').match(/```/g)?.length ?? 0) % 2 === 1;
}

function readBody(page: Page, body: string): void {
  let rest = body;
  for (let match = FENCE.exec(rest); match && outside(rest, match.index); match = FENCE.exec(rest)) {
    readLines(page, rest.slice(0, match.index));
    const [whole, language, code] = match as unknown as [string, string | undefined, string];
    face(page, 'pre', () => show(page, code), language === undefined ? {} : { language });
    rest = rest.slice(match.index + whole.length);
  }
  readLines(page, rest);
}

/** A fence whose backticks are escaped is none. */
function outside(text: string, at: number): boolean {
  return !/\\$/.test(text.slice(0, at));
}

function readLines(page: Page, body: string): void {
  for (const [i, line] of body.split('\n').entries()) {
    if (i > 0) page.text += '\n';
    const heading = /^(#{1,3}) (.*)$/.exec(line);
    const bullet = /^( *)- (.*)$/.exec(line);
    if (heading) face(page, `heading${heading[1]?.length}`, () => readInline(page, heading[2] as string));
    else if (bullet) {
      page.text += `${bullet[1]}• `;
      readInline(page, bullet[2] as string);
    } else readInline(page, line);
  }
}

const INLINE: readonly (readonly [RegExp, (page: Page, match: RegExpExecArray) => void])[] = [
  [/^\\([^0-9A-Za-z\s])/, (page, m) => show(page, m[1] as string)],
  [/^<(https?:\/\/[^\s>]+)>/, (page, m) => url(page, m[1] as string)],
  [/^\[((?:\\.|[^\]\\])+)\]\((?:<([^>\s]+)>|((?:[^()\s]|\([^()\s]*\))+))\)/, link],
  [
    /^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/,
    (page, m) =>
      url(
        page,
        m[0].replace(/\)+$/, (run) => (m[0].includes('(') ? run : '')),
      ),
  ],
  [/^``([\s\S]+?)``(?!`)/, (page, m) => code(page, (m[1] as string).replace(/^ (?=`)|(?<=`) $/g, ''))],
  [/^`([^`]+)`(?!`)/, (page, m) => code(page, m[1] as string)],
  [/^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, (page, m) => face(page, 'bold', () => readInline(page, m[1] as string))],
  [/^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, (page, m) => face(page, 'underline', () => readInline(page, m[1] as string))],
  [
    /^\*(?=\S)((?:\*\*|\\[\s\S]|[^*\\])+?)\*(?!\*)/,
    (page, m) => face(page, 'italic', () => readInline(page, m[1] as string)),
  ],
  [/^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/, (page, m) => face(page, 'italic', () => readInline(page, m[1] as string))],
  [/^~~((?:\\[\s\S]|[^\\])+?)~~/, (page, m) => face(page, 'strike', () => readInline(page, m[1] as string))],
  [/^\|\|((?:\\[\s\S]|[^\\])+?)\|\|/, (page, m) => face(page, 'spoiler', () => readInline(page, m[1] as string))],
  [
    /^(?:<@[!&]?\d+>|<#\d+>|<a?:\w+:\d+>|<t:-?\d+(?::\w)?>|<\/[\w -]+:\d+>|@everyone|@here)/,
    (page, m) => void page.mentions.push(m[0]),
  ],
];

function readInline(page: Page, text: string): void {
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const found = INLINE.map(([pattern, act]) => [pattern.exec(rest), act] as const).find(([match]) => match);
    if (found?.[0]) {
      const before = page.text.length + page.mentions.length;
      found[1](page, found[0]);
      at += consumed(found[0], page, before);
    } else {
      page.text += rest[0];
      at++;
    }
  }
}

/** A bare address may have been cut shorter than its match. */
function consumed(match: RegExpExecArray, page: Page, before: number): number {
  const bare = /^https?:/.test(match[0]);
  return bare ? page.text.length + page.mentions.length - before : match[0].length;
}

function link(page: Page, match: RegExpExecArray): void {
  face(page, 'link', () => readInline(page, match[1] as string), { url: (match[2] ?? match[3]) as string });
}

function url(page: Page, address: string): void {
  face(page, 'url', () => show(page, address), { url: address });
}

function code(page: Page, value: string): void {
  face(page, 'code', () => show(page, value));
}

function show(page: Page, text: string): void {
  page.text += text;
}

function face(page: Page, style: string, read: () => void, more: { url?: string; language?: string } = {}): void {
  const from = page.text.length;
  read();
  page.faces.push({ style, text: page.text.slice(from).replaceAll('\u200b', ''), ...more });
}
