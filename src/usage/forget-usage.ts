import type { Config } from '../config/config.ts';
import { usageSteps } from '../model/usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { keptFromMs } from './plan-usage.ts';
import { keptDays } from './read-usage.ts';

const chunkRows = 5000;
/** A process that has not written for this many days is gone. */
const writerDays = 30;

/** Deletes counts past their retention. Returns how many. */
export async function forgetUsage(
  { usage, config }: { readonly usage: UsageStore; readonly config: Config },
  now: Date,
): Promise<number> {
  let deleted = 0;
  for (const step of usageSteps) {
    const before = new Date(keptFromMs(step, { kept: keptDays(config), now }));
    deleted += await usage.deleteUsageBefore({ step, before }, chunkRows);
  }
  await usage.deleteWritersBefore(new Date(now.getTime() - writerDays * 86_400_000));
  return deleted;
}
