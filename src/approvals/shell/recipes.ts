/** One goal of a build file: what it needs first, and the shell lines it runs. */
export interface Goal {
  readonly names: readonly string[];
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

/** Of more patterns each counts as fitting. */
const MAX_PATTERNS = 50;

/** The goals that are reached from these names, or from the first where none is given. */
export function reached(goals: readonly Goal[], names: readonly string[]): readonly Goal[] {
  const found = new Set<Goal>();
  const open = names.length > 0 ? [...names] : firstNamed(goals);
  /** A name is looked at once, however many need it: goals of one name may be many too. */
  const seen = new Set(open);
  const byName = indexed(goals);
  const patterns = goals.filter((goal) => goal.names.some((name) => name.includes('%')));
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const wanted = name;
    const plain = byName.get(wanted) ?? [];
    const explicit = plain.some(({ lines }) => lines.length > 0);
    const matching = explicit ? [] : patterns.filter((goal) => patterns.length > MAX_PATTERNS || fits(goal, wanted));
    for (const goal of [...plain, ...matching]) {
      if (found.has(goal)) continue;
      found.add(goal);
      for (const need of goal.needs) {
        if (!seen.has(need)) open.push(need);
        seen.add(need);
      }
    }
  }
  return [...found];
}

function firstNamed(goals: readonly Goal[]): string[] {
  const first = goals.flatMap(({ names }) => names).find((name) => !name.startsWith('.') && !name.includes('%'));
  return first === undefined ? [] : [first];
}

function indexed(goals: readonly Goal[]): ReadonlyMap<string, readonly Goal[]> {
  const all = new Map<string, Goal[]>();
  for (const goal of goals)
    for (const name of goal.names) {
      const list = all.get(name);
      if (list) list.push(goal);
      else all.set(name, [goal]);
    }
  return all;
}

function fits({ names }: Goal, wanted: string): boolean {
  return names.some((name) => {
    const [before = '', after] = name.split('%');
    return after !== undefined && wanted.startsWith(before) && wanted.endsWith(after);
  });
}
