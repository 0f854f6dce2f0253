/** Whether a query gives the same result every time it runs on the same rows. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import type { AggregateNames } from '../text/aggregates.ts';
import {
  isNonDeterministic,
  isTimeFunction,
  refuseNonDeterministic,
  refuseTime,
} from '../text/determinism.ts';
import { aggregatesOf, isAggregate, isWindow } from './canonical-functions.ts';
import { hasPart, type Node, partOf, walk } from './canonical-node.ts';
import {
  type GroupedRows,
  isOrderInsensitive,
  requireOrderInsensitiveAggregates,
} from './order-sensitivity.ts';

interface Functions {
  readonly names: AggregateNames;
  readonly catalog: readonly CatalogFunction[];
}

/** Throws Refusal unless rerunning the query on the same rows gives the same result. */
export function requireRepeatable(
  original: Node,
  { names, catalog }: Functions,
  rows: GroupedRows,
): void {
  const listed = new Set(
    catalog.flatMap(({ name, isDeterministic }) =>
      isNonDeterministic(name, isDeterministic) ? [name.toLowerCase()] : [],
    ),
  );
  const isOther = (name: string) =>
    listed.has(name.toLowerCase()) || isNonDeterministic(name, null);
  requireDeterministicFunctions(original, '', isOther);
  requireOrderInsensitiveAggregates(original, names, rows);
  requireOrderedLimits(original);
  for (const node of walk(original)) requireOrderedWindow(node, names);
}

/** Allows unordered LIMIT in EXISTS, which accepts any row; the engine writes it as a subquery with LIMIT. */
function requireOrderedLimits(original: Node): void {
  const anyRow = new Set<Node>([original]);
  for (const node of walk(original)) {
    if (node.kind === 'FUNCTION' && node.name === 'exists') {
      for (const query of partOf(node, 'ARGUMENTS')) anyRow.add(query);
    }
    const isLimited = ['LIMIT', 'OFFSET', 'LIMIT BY'].some((part) => hasPart(node, part));
    const isFixed =
      anyRow.has(node) || hasPart(node, 'ORDER BY') || isOneRow(node) || isSameForAnyRow(node);
    if (node.kind !== 'QUERY' || !isLimited || isFixed) continue;
    refuse(
      'A subquery, CTE or branch of UNION with LIMIT but without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
    );
  }
}

/** Whether the rows that a limit may choose among are equal in what is selected. */
function isSameForAnyRow(query: Node): boolean {
  const selected = partOf(query, 'PROJECTION').filter(({ kind }) => kind !== 'CONSTANT');
  const keys = partOf(query, 'LIMIT BY');
  // 0 and -0 are one key, and so are NaNs of different bits.
  if (keys.some(({ type }) => /Float|Dynamic|Variant|JSON/.test(type))) return false;
  if (selected.length === 0) return true;
  if (hasPart(query, 'LIMIT') || hasPart(query, 'OFFSET')) return false;
  const chosen = new Set(keys.map(({ key }) => key));
  return selected.every(({ key }) => chosen.has(key));
}

function isOneRow(query: Node): boolean {
  return !hasPart(query, 'GROUP BY') && aggregatesOf(query).length > 0;
}

/** @param part clause of the innermost enclosing query that reads a table. */
function requireDeterministicFunctions(
  node: Node,
  part: string,
  isOther: (name: string) => boolean,
): void {
  if (node.kind === 'FUNCTION' && !isAggregate(node) && !isWindow(node)) {
    if (isTimeFunction(node.name)) {
      if (part !== 'WHERE' && part !== 'PREWHERE') refuseTime(node.name);
    } else if (isOther(node.name)) {
      refuseNonDeterministic(node.name);
    }
  }
  const isOfTables = node.kind === 'QUERY' && readsTable(node);
  for (const arg of node.args) {
    const isOfQuery = isOfTables && arg.kind === 'part';
    requireDeterministicFunctions(arg, isOfQuery ? arg.name : part, isOther);
  }
}

/** False for `SELECT today() - 7`, whose value belongs where it is used. */
function readsTable(query: Node): boolean {
  for (const node of walk(query)) {
    const isSource = node.kind === 'TABLE' || node.kind === 'TABLE_FUNCTION';
    if (isSource && !/\bsystem\.one\b/.test(`${node.name} ${node.detail}`)) return true;
  }
  return false;
}

/** Functions for which rows without an order are peers. */
const RANK = /^(rank|dense_?rank|percent_?rank|cume_?dist)$/i;

/** Of neighboring rows; a frame of all rows is the same in any order. */
const FRAME_OF_ROWS =
  /frame_type: (ROWS|GROUPS)\b(?!, frame_begin_type: unbounded preceding, frame_end_type: unbounded following)/;

function requireOrderedWindow(node: Node, names: AggregateNames): void {
  if (!isWindow(node)) return;
  const windows = partOf(node, 'WINDOW');
  const base = names(node.name)?.base ?? node.name;
  const needsOrder =
    !(isOrderInsensitive(base) || RANK.test(base)) ||
    windows.some(({ detail }) => FRAME_OF_ROWS.test(detail));
  if (!needsOrder || windows.some((window) => hasPart(window, 'ORDER BY'))) return;
  refuse(
    `The window of ${node.name} has no ORDER BY, so that any row may be the first; write one into it.`,
  );
}
