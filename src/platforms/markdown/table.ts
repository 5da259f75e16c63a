import type { AlignType } from 'mdast';
import { displayWidth } from './display-width.ts';

export interface PlainTable {
  /** Header first. Cells are plain text; rows may be shorter than the header. */
  readonly rows: readonly (readonly string[])[];
  readonly align: readonly AlignType[];
}

/** Lines of equal columns joined by ` | `, a rule below the header; undefined if one would be wider than `maxWidth` columns. */
export function tableLines(table: PlainTable, maxWidth: number): readonly string[] | undefined {
  const widths = columnWidths(table.rows);
  const total = widths.reduce((sum, width) => sum + width, 0) + 3 * (widths.length - 1);
  if (total > maxWidth) return undefined;
  const [header = [], ...body] = table.rows.map((row) => lineOf(row, widths, table.align));
  return [header as string, ruleOf(widths), ...(body as string[])];
}

function columnWidths(rows: PlainTable['rows']): readonly number[] {
  const count = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, i) => Math.max(1, ...rows.map((row) => displayWidth(row[i] ?? ''))));
}

function lineOf(row: readonly string[], widths: readonly number[], align: readonly AlignType[]): string {
  return widths
    .map((width, i) => padded(row[i] ?? '', width, align[i] ?? null))
    .join(' | ')
    .trimEnd();
}

function padded(cell: string, width: number, align: AlignType): string {
  const gap = width - displayWidth(cell);
  const left = align === 'right' ? gap : align === 'center' ? gap >> 1 : 0;
  return ' '.repeat(left) + cell + ' '.repeat(gap - left);
}

/** Dashes under each column and the spaces beside it. */
function ruleOf(widths: readonly number[]): string {
  const last = widths.length - 1;
  return widths.map((width, i) => '-'.repeat(width + (i > 0 ? 1 : 0) + (i < last ? 1 : 0))).join('|');
}
