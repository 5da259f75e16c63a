/** The names most like `wanted`, best first, at most `count`. Pure; quadratic in the length of a name. */
export function nearest(wanted: string, names: readonly string[], count: number): readonly string[] {
  const word = wanted.toLowerCase().slice(0, 100);
  const ranked = names.map((name) => ({ name, distance: distance(word, name.toLowerCase().slice(0, 100)) }));
  ranked.sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name, 'en'));
  return ranked.slice(0, count).map(({ name }) => name);
}

/** A word inside the other counts as near. */
function distance(a: string, b: string): number {
  return a !== '' && b.includes(a) ? (b.length - a.length) / 100 : editDistance(a, b);
}

/** Single-character insertions, deletions and replacements between two words. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
