import {
  addCounts,
  startOfStep,
  type UsageRow,
  type UsageStep,
  usageSteps,
} from '../model/usage.ts';
import type { Tally } from './usage-cell.ts';

/**
 * The tallies as rows of minutes, hours and days, each once. All three are added to with each batch, so that hours and
 * days are never behind their minutes, whatever is written late.
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
