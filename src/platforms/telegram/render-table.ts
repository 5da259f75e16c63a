import type { PhrasingContent, Table, TableCell } from 'mdast';
import { tableLines } from '../markdown/table.ts';
import { type Rendering, writeInline } from './render-inline.ts';
import { RichWriter } from './rich-writer.ts';

/** Wider tables break on a phone. */
const MAX_COLUMNS = 40;

/** A table as aligned monospace lines, or, too wide for that, each row as a group of `header: value` lines. */
export function writeTable(rendering: Rendering, table: Table): void {
  const rows = table.children.map((row) => row.children.map((cell) => cellText(rendering, cell.children)));
  const lines = tableLines({ rows, align: table.align ?? [] }, MAX_COLUMNS);
  if (lines) rendering.writer.pre(lines.join('\n'), '');
  else writeGroups(rendering, table, rows[0] ?? []);
}

/** A cell without markers, on one line; the target of a link is written out, for nothing can be a link in monospace. */
function cellText(rendering: Rendering, children: readonly PhrasingContent[]): string {
  const writer = new RichWriter();
  writeInline({ ...rendering, writer }, children);
  const { text, entities } = writer.done();
  const links = entities.filter(({ type }) => type === 'text_link').toReversed();
  const whole = links.reduce((rest, { offset, length, url }) => {
    return `${rest.slice(0, offset + length)} (${url})${rest.slice(offset + length)}`;
  }, text);
  return whole.replace(/\s*\n\s*/g, ' ');
}

function writeGroups(rendering: Rendering, table: Table, header: readonly string[]): void {
  const { writer } = rendering;
  const [, ...body] = table.children;
  const rows = body.length > 0 ? body.map((row) => row.children) : [[]];
  for (const [i, cells] of rows.entries()) {
    if (i > 0) writer.lineBreak();
    writeGroup(rendering, header, cells);
  }
}

/** A row may be shorter than the header, but the header is always said. */
function writeGroup(rendering: Rendering, header: readonly string[], cells: readonly TableCell[]): void {
  const { writer } = rendering;
  for (let column = 0; column < Math.max(header.length, cells.length); column++) {
    if (column > 0) writer.lineBreak();
    writer.write(`${column === 0 ? '• ' : '  '}${header[column] ? `${header[column]}: ` : ''}`);
    writeInline(rendering, cells[column]?.children ?? []);
  }
}
