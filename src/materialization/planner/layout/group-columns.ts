/** Of a grouping query without variables: the columns by whose values its result can be compared in parts. */
import type { GroupColumn } from '../../../model/materialization-plan.ts';
import type { CatalogFunction, DescribedColumn } from '../../../sql/sql-analysis.ts';
import { isKeyable } from '../column-types.ts';
import { stored } from '../plan-context.ts';
import { Refusal } from '../refusal.ts';
import {
  type AggregateNames,
  aggregateNames,
  aggregatesIn,
  requireSorted,
  toStored,
} from '../text/aggregates.ts';
import { isMoving } from '../text/determinism.ts';
import { isStar, parseSelect, type Select } from '../text/select.ts';
import { hasWord, isName, isWord, type Span, splitList } from '../text/tokens.ts';
import { resultColumnOf, sortElements } from './ordering.ts';

/** What every group can be chosen under; a LIMIT, say, has to see all of them. */
const allowed = new Set(['SELECT', 'FROM', 'WHERE', 'PREWHERE', 'GROUP BY', 'HAVING', 'ORDER BY']);
/** What they pick of rows that count as equal is not the query's to say. */
const picking = new Set(['argMin', 'argMax']);

/**
 * None where the engine would have to compute every group to compute some, or where a group may come out another
 * way each time: such a result is compared whole.
 */
export function groupColumns(
  formatted: Span,
  columns: readonly DescribedColumn[],
  catalog: readonly CatalogFunction[],
): readonly GroupColumn[] {
  if (!isOneSelect(formatted)) return [];
  const select = parseSelect(formatted);
  const groupBy = select.clauses.get('GROUP BY') ?? [];
  const isPlain =
    [...select.clauses.keys()].every((name) => allowed.has(name)) &&
    isOneTable(select.clauses.get('FROM') ?? []) &&
    !select.isDistinct &&
    !select.items.some(isStar) &&
    groupBy.length > 0 &&
    !hasWord(groupBy, 'WITH', 'ROLLUP', 'CUBE', 'SETS', 'ALL');
  if (!isPlain) return [];
  try {
    requireSteady(select, aggregateNames(catalog));
    return keysOf(select, groupBy, columns);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function isOneSelect(span: Span): boolean {
  const selects = span.filter((token) => isWord(token, 'SELECT')).length;
  const isOther = span.some(({ text }) => text === ';') || hasWord(span, 'OVER', 'ARRAYJOIN');
  return isWord(span[0], 'SELECT') && selects === 1 && !isOther && !isMoving(span);
}

/** A table's name, alone or with that of its database or one given to it. */
function isOneTable(from: Span): boolean {
  const isNamed = from.every((token) => token.text === '.' || isName(token));
  return isNamed && from.length > 0 && !hasWord(from, 'JOIN', 'FINAL', 'SAMPLE', 'ARRAY');
}

/** Throws Refusal for an aggregate whose result depends on the order of the rows. */
function requireSteady(select: Select, names: AggregateNames): void {
  const spans = [
    ...select.items.map(({ expression }) => expression),
    select.clauses.get('HAVING') ?? [],
    ...sortElements(select.clauses.get('ORDER BY') ?? []).map(({ expression }) => expression),
  ];
  for (const span of spans) {
    for (const call of aggregatesIn(span, names)) {
      requireSorted(span, call);
      toStored(call);
      if (picking.has(call.name.base)) throw new Refusal(call.name.base);
    }
  }
}

function keysOf(
  select: Select,
  groupBy: Span,
  columns: readonly DescribedColumn[],
): readonly GroupColumn[] {
  return splitList(groupBy).flatMap((key) => {
    const at = resultColumnOf(key, select.items);
    const column = at === null ? undefined : columns[at];
    if (at === null || column === undefined || !isKeyable(column.type)) return [];
    return [{ name: column.name, column: stored.result(at) }];
  });
}
