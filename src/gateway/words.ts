import { editDistance } from '../contract/nearest.ts';

/** A duration in the words people use: `45 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function age(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`;
  return h % 24 === 0 ? `${Math.floor(h / 24)} d` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

/** `1 running turn`, `2 waiting messages`. */
export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The nearest of some names by edit distance, at most 2 away, in any case. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const short = word.toLowerCase().slice(0, 100);
  const ranked = names.map((name) => ({ name, far: editDistance(short, name) })).sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= 2 ? best.name : undefined;
}
