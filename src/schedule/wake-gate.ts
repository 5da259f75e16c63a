/** Whether a script's output asks for the agent: only a last line `{"wakeAgent": false}` says no. Pure. */
export function wakesAgent(output: string): boolean {
  const last = output.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return true;
  try {
    return (JSON.parse(last) as { readonly wakeAgent?: unknown }).wakeAgent !== false;
  } catch {
    return true;
  }
}
