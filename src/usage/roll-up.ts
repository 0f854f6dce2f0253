import {
  addCounts,
  startOfStep,
  type UsageRow,
  type UsageStep,
  usageSteps,
} from '../model/usage.ts';
import type { Tally } from './usage-cell.ts';

/**
 * The tallies as distinct rows of minutes, hours and days. Each batch adds to all three, so that hours and days are
 * never behind their minutes, even after late writes.
 */
export function rollUp(tallies: readonly Tally[]): readonly UsageRow[] {
  return usageSteps.flatMap((step) => rowsOf(tallies, step));
}

function rowsOf(tallies: readonly Tally[], step: UsageStep): readonly UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const tally of tallies) {
    const startMs = startOfStep(tally.minuteMs, step);
    const key = `${startMs}/${tally.key}`;
    const known = rows.get(key);
    const counts = tally.counts();
    rows.set(key, {
      ...tally.of,
      step,
      at: new Date(startMs),
      counts: known === undefined ? counts : addCounts(known.counts, counts),
    });
  }
  return [...rows.values()];
}
