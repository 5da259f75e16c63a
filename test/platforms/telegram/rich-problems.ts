import type { Entity, RichText } from '../../../src/platforms/telegram/rich-text.ts';
import { checkText } from '../../fakes/telegram-checks.ts';
import { Refusal } from '../../fakes/telegram-refusal.ts';

/** Everything that is wrong with a part, as sentences; none for one that the server takes and keeps as it is. */
export function problemsOf(part: RichText): readonly string[] {
  return [...refusals(part), ...part.entities.flatMap((entity) => own(part, entity)), ...pairs(part.entities)];
}

function refusals({ text, entities }: RichText): readonly string[] {
  try {
    const kept = checkText({ text, entities }, 'text');
    const same = JSON.stringify(kept) === JSON.stringify({ text, entities });
    return same ? [] : ['the server would change it'];
  } catch (error) {
    if (error instanceof Refusal) return [error.description];
    throw error;
  }
}

function own({ text }: RichText, entity: Entity): readonly string[] {
  const covered = text.slice(entity.offset, entity.offset + entity.length);
  const edges = entity.type === 'pre' ? /\s$/ : /^\s|\s$/;
  return edges.test(covered) ? [`${entity.type} has spaces at its edge: ${JSON.stringify(covered)}`] : [];
}

const ALONE = new Set(['pre', 'code', 'text_link']);

function pairs(entities: readonly Entity[]): readonly string[] {
  return entities.flatMap((a, i) => entities.slice(i + 1).flatMap((b) => between(a, b)));
}

function between(a: Entity, b: Entity): readonly string[] {
  const [aEnd, bEnd] = [a.offset + a.length, b.offset + b.length];
  if (b.offset >= aEnd) return [];
  const names = `${a.type} ${a.offset}-${aEnd} and ${b.type} ${b.offset}-${bEnd}`;
  const found: string[] = [];
  if (bEnd > aEnd) found.push(`${names} cross`);
  if (a.type === b.type) found.push(`${names} are the same twice`);
  if (ALONE.has(a.type) && ALONE.has(b.type)) found.push(`${names} exclude each other`);
  const pre = a.type === 'pre' || b.type === 'pre';
  if (pre && a.type !== 'blockquote' && b.type !== 'blockquote') found.push(`${names}: nothing may lie over pre`);
  return found;
}
