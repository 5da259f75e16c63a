/** A piece of HTML that was made here; anything else put into a template is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type Piece = string | number | Html | false | null | undefined | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe in text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

/** `html`<b>${name}</b>``: values are escaped, `Html` and lists of it go in as they are, `false`, `null` and `undefined` vanish. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0] as string;
  pieces.forEach((piece, i) => {
    text += draw(piece) + strings[i + 1];
  });
  return new Html(text);
}

function draw(piece: Piece): string {
  if (piece === false || piece === null || piece === undefined) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(draw).join('');
  return escapeHtml(String(piece));
}
