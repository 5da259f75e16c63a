/** A stretch of text in another face. Offsets and lengths count UTF-16 units, as Telegram does. */
export interface Entity {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  /** Of `text_link`. */
  readonly url?: string;
  /** Of `pre`. */
  readonly language?: string;
}

export type EntityType = 'bold' | 'italic' | 'strikethrough' | 'spoiler' | 'code' | 'pre' | 'text_link' | 'blockquote';

/** Text and entities that Telegram takes as they are: sorted, none empty, none past the end, no edge spaces but in `pre`. */
export interface RichText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const NOTHING: RichText = { text: '', entities: [] };

export function end(entity: Entity): number {
  return entity.offset + entity.length;
}

/** The stretch `[from, to)` on its own, trimmed; entities that reach in are cut to it. */
export function slice(rich: RichText, from: number, to: number): RichText {
  const cut = rich.entities.flatMap((entity) => {
    const start = Math.max(entity.offset, from);
    const stop = Math.min(end(entity), to);
    return stop > start ? [{ ...entity, offset: start - from, length: stop - start }] : [];
  });
  return tidy({ text: rich.text.slice(from, to), entities: cut });
}

/** Makes entities valid whatever they were: merged, kept off `pre`, trimmed, sorted; trims the text as the server would. */
export function tidy({ text, entities }: RichText): RichText {
  const pres = entities.filter(({ type }) => type === 'pre');
  const kept = merged(entities).flatMap((entity) => allowed(entity, pres, entities));
  const snug = kept.flatMap((entity) => trimmed(text, entity));
  return trimEnds(text, snug.sort(byPlace));
}

function byPlace(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length || (a.type < b.type ? -1 : 1);
}

/** Joins what overlaps or touches and looks the same: bold in bold is one bold. Blocks stay apart. */
function merged(entities: readonly Entity[]): readonly Entity[] {
  const result: Entity[] = [];
  for (const entity of [...entities].sort(byPlace)) {
    const at = result.findLastIndex((other) => isSame(other, entity));
    const other = result[at];
    const both = other && joins(other, entity) ? joined(other, entity) : undefined;
    // Two that only touch may as well stay two, where one would cross the border of a third.
    const apart = other && entity.offset === end(other) && both && entities.some((third) => cross(both, third));
    if (both && !apart) result[at] = both;
    else result.push(entity);
  }
  return result;
}

function joined(first: Entity, second: Entity): Entity {
  return { ...first, length: Math.max(end(first), end(second)) - first.offset };
}

function cross(a: Entity, b: Entity): boolean {
  const [first, second] = a.offset < b.offset ? [a, b] : [b, a];
  return first.offset < second.offset && second.offset < end(first) && end(first) < end(second);
}

function isSame(a: Entity, b: Entity): boolean {
  return a.type === b.type && a.url === b.url && a.language === b.language;
}

function joins(a: Entity, b: Entity): boolean {
  const block = a.type === 'pre' || a.type === 'code' || a.type === 'blockquote' || a.type === 'text_link';
  return block ? b.offset < end(a) : b.offset <= end(a);
}

/** Nothing but a quote may share characters with `pre`, and a link keeps its words to itself. */
function allowed(entity: Entity, pres: readonly Entity[], all: readonly Entity[]): readonly Entity[] {
  if (entity.type === 'pre' || entity.type === 'blockquote') return [entity];
  const links = entity.type === 'code' ? all.filter(({ type }) => type === 'text_link') : [];
  return [...pres, ...links].reduce<readonly Entity[]>(
    (rest, hole) => rest.flatMap((part) => without(part, hole)),
    [entity],
  );
}

function without(entity: Entity, hole: Entity): readonly Entity[] {
  if (end(hole) <= entity.offset || hole.offset >= end(entity)) return [entity];
  const left = { ...entity, length: hole.offset - entity.offset };
  const right = { ...entity, offset: end(hole), length: end(entity) - end(hole) };
  return [left, right].filter(({ length }) => length > 0);
}

function trimmed(text: string, entity: Entity): readonly Entity[] {
  const covered = text.slice(entity.offset, end(entity));
  if (covered.trim() === '') return [];
  const lead = entity.type === 'pre' ? 0 : covered.length - covered.trimStart().length;
  const length = covered.trimEnd().length - lead;
  return [{ ...entity, offset: entity.offset + lead, length }];
}

/** Spaces at the end go; at the start too, but not the indentation of a first `pre`. */
function trimEnds(text: string, entities: readonly Entity[]): RichText {
  const indent = entities.find(({ type }) => type === 'pre')?.offset ?? text.length;
  const lead = Math.min(text.length - text.trimStart().length, indent);
  const kept = text.trimEnd();
  if (lead === 0 && kept.length === text.length) return { text, entities };
  const moved = entities.map((entity) => ({ ...entity, offset: entity.offset - lead }));
  return { text: kept.slice(lead), entities: moved };
}
