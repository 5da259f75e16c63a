import type { PhrasingContent, Table } from 'mdast';
import { tableLines } from '../markdown/table.ts';
import { type Rendering, writeInline } from './render-inline.ts';
import { StyledWriter } from './styled-writer.ts';

/** Wider tables break on a phone. */
const MAX_COLUMNS = 40;

/** A table as aligned monospace lines, or, too wide for that, each row as a group of `header: value` lines. */
export function writeTable(rendering: Rendering, table: Table): void {
  const rows = table.children.map((row) => row.children.map((cell) => cellText(rendering, cell.children)));
  const lines = tableLines({ rows, align: table.align ?? [] }, MAX_COLUMNS);
  if (lines) rendering.writer.pre(lines.join('\n'), '');
  else writeGroups(rendering, table, rows[0] ?? []);
}

/** A cell without faces, on one line; the target of a link is written out, for nothing can be a link in monospace. */
function cellText(rendering: Rendering, children: readonly PhrasingContent[]): string {
  const writer = new StyledWriter();
  writeInline({ ...rendering, writer }, children, { oneLine: true });
  const { text, marks } = writer.done();
  const links = marks.filter(({ style }) => style === 'link').toReversed();
  const whole = links.reduce((rest, { to, url }) => `${rest.slice(0, to)} (${url})${rest.slice(to)}`, text);
  return whole.replace(/\s*\n\s*/g, ' ');
}

function writeGroups(rendering: Rendering, table: Table, header: readonly string[]): void {
  const { writer } = rendering;
  const [, ...body] = table.children;
  if (body.length === 0) for (const [i, cell] of header.entries()) writeCell(rendering, i, () => writer.write(cell));
  for (const [i, row] of body.entries()) {
    if (i > 0) writer.lineBreak();
    for (const [column, cell] of row.children.entries()) {
      writeCell(rendering, column, () => {
        if (header[column]) writer.write(`${header[column]}: `);
        writeInline(rendering, cell.children, { oneLine: true });
      });
    }
  }
}

/** The first cell of a row is the bullet's line, the others stand below it. */
function writeCell({ writer }: Rendering, column: number, content: () => void): void {
  if (column > 0) writer.lineBreak();
  if (column === 0) writer.raw('- ');
  writer.indented(column === 0 ? '' : '  ', content);
}
