/**
 * Aggregates that have one result whatever the order of the rows as long as groups are of a certain kind, however variables
 * choose their rows: `quantile` and `quantiles` where no group has more values than a sample holds, `any` and the like where a
 * group has one value, and `sequenceMatch` and the like where events of one time fulfil the same conditions. Each sync checks
 * the groups.
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../../sql/sql-analysis.ts';
import type { CheckedGroups, GroupFault, PlanContext } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import {
  type AggregateName,
  groupedCalls,
  mendOf,
  notMerged,
  type StoredAggregate,
} from '../text/aggregates.ts';
import {
  isExactForDistinctTimes,
  isExactForEqualValues,
  isExactForSmallGroups,
  sampleSize,
} from '../text/checked-aggregates.ts';
import { argumentsOf } from '../text/conditional-aggregates.ts';
import type { Parameters } from '../text/parameters.ts';
import type { Select } from '../text/select.ts';
import { hasKeyword, textOf } from '../text/tokens.ts';
import type { Grouping, StoredItem } from './grouping.ts';

/** Null for a query without such aggregates, and where its groups cannot be checked alone. */
export function checkedGroups(
  { select, names }: Pick<PlanContext, 'select' | 'names'>,
  { aggregates, kinds, keys, ungrouped, isPlain }: Grouping,
): CheckedGroups | null {
  const sampling = aggregates.find(({ call }) => isExactForSmallGroups(call.name));
  const comparing = aggregates.filter(({ call }) => isCompared(call.name));
  if (sampling === undefined && comparing.length === 0) return null;
  const others = (['WITH', 'WINDOW'] as const).flatMap((name) => select.clauses.get(name) ?? []);
  const elsewhere = groupedCalls(others, names).map(({ name }) => name);
  const isLeftOut =
    elsewhere.some(isCompared) || (sampling === undefined && elsewhere.some(isExactForSmallGroups));
  if (isLeftOut || namesElsewhere(select, kinds)) return null;
  const values = comparing.map((aggregate, at) => {
    const compared = isExactForDistinctTimes(aggregate.call.name) ? comparedEvents : comparedValue;
    return compared(aggregate, `__querydock_value${at}`);
  });
  const faults = [
    ...(sampling === undefined ? [] : [tooManyRows(sampling)]),
    ...values.map(({ fault }) => fault),
  ];
  // A row of ROLLUP, CUBE or GROUPING SETS adds up several groups.
  const columns = isPlain ? keys.map(({ column }) => column) : [];
  // A query without keys and variables has no grouping columns.
  const row: StoredItem = ['__querydock_row', '1 AS __querydock_row'];
  const items = values.map(({ item }) => item);
  return {
    faults,
    ungrouped: ungrouped([row, ...items]),
    keys: columns,
    values: items.map(([column]) => column),
  };
}

function tooManyRows(aggregate: StoredAggregate): GroupFault {
  return {
    aggregate,
    having: `count() > ${sampleSize}`,
    why: `where a group has more than ${sampleSize.toLocaleString('en-US')} of them, as one does: the engine then picks values at random`,
    needsGroups: false,
  };
}

/** Whether its arguments are compared. */
function isCompared(name: AggregateName): boolean {
  return isExactForEqualValues(name) || isExactForDistinctTimes(name);
}

/** The arguments as a column of source rows, and how to find a group of another kind. */
interface Compared {
  readonly item: StoredItem;
  readonly fault: GroupFault;
}

/** Finds several values of a group. */
function comparedValue(aggregate: StoredAggregate, column: string): Compared {
  const { call } = aggregate;
  const isConditional = call.name.combinators.includes('If');
  // Hashes need no memory for the values of a group. Unlike values, they tell 0 from -0.
  const chosen = `isNotNull(${column}.1)${isConditional ? ` AND ${column}.2` : ''}`;
  const hashes = (of: string) => `${of}If(sipHash128(${column}.1), ${chosen})`;
  return {
    item: [column, `tuple(${call.args}) AS ${column}`],
    fault: {
      aggregate,
      having: `${hashes('min')} != ${hashes('max')}`,
      why: 'where a group has several values, as one does',
      needsGroups: true,
    },
  };
}

/** Finds events of one time in a group that fulfil different conditions; rows that fulfil none are no events. */
function comparedEvents(aggregate: StoredAggregate, column: string): Compared {
  const { call } = aggregate;
  const last = argumentsOf(call).length;
  const isConditional = call.name.combinators.includes('If');
  const count = isConditional ? last - 2 : last - 1;
  const conditions = Array.from({ length: count }, (_, at) => `${column}.${at + 2}`);
  const isEvent = `ifNull(${conditions.join(' OR ')}, 0)`;
  const chosen = isConditional ? `(${isEvent}) AND ${column}.${last}` : isEvent;
  return {
    item: [column, `tuple(${call.args}) AS ${column}`],
    fault: {
      aggregate,
      having: `uniqExactIf(${column}.1, ${chosen}) != uniqExactIf(${column}, ${chosen})`,
      why: 'where events of one time fulfil different conditions, as some of a group do',
      needsGroups: false,
    },
  };
}

/** Whether what is left out of the check gives a name to something, which a key may be: `median(x) + (0 AS day)`. */
function namesElsewhere({ items, clauses }: Select, kinds: Grouping['kinds']): boolean {
  const left = (['HAVING', 'QUALIFY', 'ORDER BY', 'LIMIT BY', 'LIMIT', 'OFFSET'] as const).map(
    (name) => clauses.get(name) ?? [],
  );
  const computed = items.flatMap(({ expression }, at) =>
    kinds[at] === 'keyed' ? [] : [expression],
  );
  return [...left, ...computed].some((tokens) => hasKeyword(tokens, 'AS'));
}

/** NULL is a value of the first four, and their hashes leave out which type a value has. States have no hash. */
const INCOMPARABLE = /\b(?:Dynamic|Variant|JSON|Geometry|AggregateFunction)\b/;

interface UngroupedRows {
  readonly columns: readonly DescribedColumn[];
  /** Columns for which every run chooses one value. */
  readonly chosen: readonly string[];
  /** Whether a choice among all rows is checked as well. */
  readonly isOneGroup?: boolean;
}

/**
 * Throws Refusal for a choice among values that cannot be compared, and among the rows of the whole source, which has
 * hardly ever one value.
 */
export function groupChecks(
  groups: CheckedGroups,
  { restore }: Pick<Parameters, 'restore'>,
  rows: UngroupedRows,
): readonly SourceCheck[] {
  requireComparableValues(groups, rows.columns);
  const { faults, ungrouped, keys } = groups;
  const columns = [...new Set([...keys, ...rows.chosen])];
  const groupBy = columns.length === 0 ? '' : ` GROUP BY ${columns.join(', ')}`;
  return faults.map(({ aggregate: { call, condition }, having, why, needsGroups }) => {
    const written = condition === null ? null : textOf(condition);
    if (needsGroups && columns.length === 0 && rows.isOneGroup !== true) {
      refuse(notMerged(call, written));
    }
    return {
      countFaults: `SELECT count() FROM (SELECT count() FROM (${ungrouped})${groupBy} HAVING ${having})`,
      reason: restore(
        `The result of ${textOf(call.tokens)} depends on the order of the rows ${why}; ${mendOf(call, written)}.`,
      ),
    };
  });
}

/** Throws Refusal for a choice among values that cannot be compared. */
function requireComparableValues(
  { values, faults }: CheckedGroups,
  columns: readonly DescribedColumn[],
): void {
  const found = columns.find(({ name, type }) => values.includes(name) && INCOMPARABLE.test(type));
  if (found === undefined) return;
  const comparing = faults.slice(faults.length - values.length);
  const call = comparing[values.indexOf(found.name)]?.aggregate.call;
  const text = call === undefined ? '' : textOf(call.tokens);
  refuse(
    `The result of ${text} depends on the order of the rows, and values of the type ${found.type.replace(/^Tuple\((.*)\)$/s, '$1')} cannot be compared for it; give them another type with CAST.`,
  );
}
