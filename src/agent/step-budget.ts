/** What the model reads after the last result of a step, if anything; `used` counts that step. Pure. */
export function budgetNote(used: number, max: number): string | undefined {
  if (used >= max) return 'hermod: that was the last step, tools are off now. Say what is done and what is open.';
  if (used === Math.ceil(max * 0.8)) return `hermod: ${used} of ${max} steps are used. Finish soon.`;
  return undefined;
}

/** How a reply that ran out of steps closes. */
export function budgetClosing(max: number): string {
  return `Stopped after ${max} steps. Say "go on" to continue.`;
}

/** Bytes one result of a step may have: `each`, less where many results share four times that. Pure. */
export function resultShare(each: number, calls: number): number {
  return Math.floor(Math.min(each, (each * 4) / Math.max(1, calls)));
}
