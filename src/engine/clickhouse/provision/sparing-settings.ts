/** Executes a statement that would exceed its memory limit in less memory, by spilling to disk and working on less at once. */
import type { Settings } from '../http/request-message.ts';
import type { UserLimits } from './project-users.ts';

/**
 * By default the engine spills at half of the limit, between blocks, which is too late for a hash table that is about to
 * double. Tables are joined in text order, because the engine's own order may first join two of them by a column with few
 * values.
 */
export function sparingSettings({ queryMemoryBytes }: Pick<UserLimits, 'queryMemoryBytes'>) {
  const part = (count: number) => String(Math.floor(queryMemoryBytes / count));
  return {
    max_threads: '1',
    max_block_size: '8192',
    max_bytes_before_external_group_by: part(8),
    max_bytes_before_external_sort: part(8),
    max_bytes_before_external_join: part(8),
    min_external_sort_block_bytes: part(32),
    query_plan_optimize_join_order_limit: '0',
  } as const satisfies Settings;
}
