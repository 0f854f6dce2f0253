/** Whether a check of groups, which is made from text, means what the query means. */
import type { AggregateNames } from '../text/aggregates.ts';
import { isExactForDistinctTimes, isExactForEqualValues } from '../text/checked-aggregates.ts';
import { aggregatesOf, conjunctsOf, groupingNodes } from './canonical-functions.ts';
import { type Node, partOf } from './canonical-node.ts';
import { columnsOfOneValue, comparedWithOneValue, haveRowsOf } from './more-rows.ts';

export interface CheckedRows {
  /** SELECT of the rows that are grouped, with a column for each name. */
  readonly rows: Node;
  readonly columns: readonly string[];
  /** Columns that group the rows: keys of the query, and expressions for which every run chooses one value. */
  readonly keys: readonly string[];
  readonly chosen: readonly string[];
  /** Columns with the arguments of aggregates, as tuples. */
  readonly values: readonly string[];
}

/**
 * Whether the rows are at least those of the query, in groups that are not smaller, and have the arguments of each of
 * its aggregates that choose a value.
 */
export function areRowsOf(
  { rows, columns, keys, chosen, values }: CheckedRows,
  query: Node,
  names: AggregateNames,
): boolean {
  const conditions = keysOf(conjunctsOf(partOf(query, 'WHERE')));
  const groupKeys = keysOf(partOf(query, 'GROUP BY').flatMap(groupingNodes));
  const compared = new Set(conjunctsOf(partOf(query, 'WHERE')).flatMap(comparedWithOneValue));
  const [sources, others] = [partOf(rows, 'JOIN TREE'), partOf(query, 'JOIN TREE')];
  const ofOneValue = columnsOfOneValue(sources, others);
  const selected = partOf(rows, 'PROJECTION');
  const nodeOf = (column: string) => selected[columns.indexOf(column)];
  const isAmong = (column: string, known: ReadonlySet<string>) =>
    known.has(nodeOf(column)?.key ?? '');
  const isOneValue = (node: Node | undefined) =>
    node?.kind === 'COLUMN' && ofOneValue.has(node.name);
  const tuples = values.map((column) => {
    const tuple = nodeOf(column);
    return tuple === undefined ? [] : partOf(tuple, 'ARGUMENTS').map(({ key }) => key);
  });
  return (
    haveRowsOf(sources, others) &&
    prewhereOf(rows) === prewhereOf(query) &&
    conjunctsOf(partOf(rows, 'WHERE')).every(({ key }) => conditions.has(key)) &&
    keys.every((column) => isAmong(column, groupKeys)) &&
    chosen.every((column) => isAmong(column, compared) || isOneValue(nodeOf(column))) &&
    comparing(query, names).every((call) => hasArguments(call, tuples))
  );
}

/** The aggregates whose arguments the check compares. */
function comparing(query: Node, names: AggregateNames): readonly Node[] {
  return aggregatesOf(query).filter((call) => {
    const name = names(call.name);
    return name !== null && (isExactForEqualValues(name) || isExactForDistinctTimes(name));
  });
}

/** A condition of `-If` may be left out, so that the values of more rows are compared. */
function hasArguments(call: Node, tuples: readonly (readonly string[])[]): boolean {
  const given = partOf(call, 'ARGUMENTS').map(({ key }) => key);
  const conditions = /If(?:Or(?:Null|Default))*$/.test(call.name) ? 1 : 0;
  return tuples.some(
    (some) =>
      given.length - some.length <= conditions && some.every((key, at) => key === given[at]),
  );
}

function prewhereOf(query: Node): string {
  return JSON.stringify(partOf(query, 'PREWHERE').map(({ key }) => key));
}

function keysOf(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(nodes.map(({ key }) => key));
}
