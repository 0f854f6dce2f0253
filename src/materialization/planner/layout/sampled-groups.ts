/**
 * `quantile` and `quantiles` are exact as long as no group has more values than a sample holds, however variables choose
 * its rows. Each sync counts them.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import type { PlanContext, SampledGroups } from '../plan-context.ts';
import { isExactForSmallGroups, mendOf, sampleSize } from '../text/aggregates.ts';
import type { Select } from '../text/select.ts';
import { hasKeyword, textOf } from '../text/tokens.ts';
import type { Grouping, StoredItem } from './grouping.ts';

const row: StoredItem = ['__querydock_row', '1 AS __querydock_row'];

/** Null for a query without such aggregates, and where its groups cannot be counted alone. */
export function sampledGroups(
  { select }: Pick<PlanContext, 'select'>,
  { aggregates, kinds, keys, ungrouped, isPlain }: Grouping,
): SampledGroups | null {
  const found = aggregates.find(({ call }) => isExactForSmallGroups(call.name));
  if (found === undefined || namesElsewhere(select, kinds)) return null;
  // A row of ROLLUP, CUBE or GROUPING SETS adds up several groups.
  const columns = isPlain ? keys.map(({ column }) => column) : [];
  // A query without keys and variables has no grouping columns.
  return { call: found.call, ungrouped: ungrouped([row]), keys: columns };
}

/** Whether what is left out of the count gives a name to something, which a key may be: `median(x) + (0 AS day)`. */
function namesElsewhere({ items, clauses }: Select, kinds: Grouping['kinds']): boolean {
  const left = (['HAVING', 'QUALIFY', 'ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const).map(
    (name) => clauses.get(name) ?? [],
  );
  const computed = items.flatMap(({ expression }, at) =>
    kinds[at] === 'keyed' ? [] : [expression],
  );
  return [...left, ...computed].some((tokens) => hasKeyword(tokens, 'AS'));
}

/** @param chosen columns for which every run chooses one value. */
export function sampleCheck(
  { call, ungrouped, keys }: SampledGroups,
  chosen: readonly string[] = [],
): SourceCheck {
  const columns = [...new Set([...keys, ...chosen])];
  const groupBy = columns.length === 0 ? '' : ` GROUP BY ${columns.join(', ')}`;
  const text = textOf(call.tokens);
  return {
    countFaults: `SELECT count() FROM (SELECT count() AS querydock_rows FROM (${ungrouped})${groupBy} HAVING querydock_rows > ${sampleSize})`,
    reason: `The result of ${text} depends on the order of the rows where a group has more than ${sampleSize.toLocaleString('en-US')} of them, as one does: the engine then picks values at random; ${mendOf(call, null)}.`,
  };
}
