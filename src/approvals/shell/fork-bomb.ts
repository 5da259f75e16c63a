import type { SyntaxNode } from './parse.ts';
import { children } from './parse.ts';
import type { ShellFunction } from './state.ts';

const MAX_NODES = 4_000;

/** Whether calling this function leads to itself over at least one fork: a pipeline, `&` or a substitution. */
export function findBomb(name: string, functions: ReadonlyMap<string, ShellFunction>): boolean {
  const budget = { left: MAX_NODES };
  const seen = new Set<string>();
  const reach = (from: string, forked: boolean): boolean => {
    const fn = functions.get(from);
    if (!fn || seen.has(`${from} ${forked}`)) return false;
    seen.add(`${from} ${forked}`);
    const edges: [string, boolean][] = [];
    collect(fn.node.body, false, edges, budget);
    return edges.some(([to, forks]) =>
      to === name ? forked || forks : functions.has(to) && reach(to, forked || forks),
    );
  };
  return reach(name, false);
}

/** Every command name in a body, and whether it runs in a process of its own. */
function collect(node: SyntaxNode, forked: boolean, edges: [string, boolean][], budget: { left: number }): void {
  if (budget.left-- <= 0) return;
  if (node.type === 'Command' && node.name) edges.push([node.name.value, forked]);
  const forks =
    forked ||
    (node.type === 'Pipeline' && node.commands.length > 1) ||
    (node.type === 'Statement' && node.background === true) ||
    node.type === 'CommandExpansion' ||
    node.type === 'ProcessSubstitution' ||
    node.type === 'Coproc';
  if (node.type === 'Function') return;
  children(node, (child) => collect(child, forks, edges, budget));
}
