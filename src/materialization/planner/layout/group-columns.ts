/** Columns that identify groups, so that the result of a query without variables can be compared in parts. */
import type { GroupColumn } from '../../../model/materialization-plan.ts';
import type { DescribedColumn } from '../../../sql/sql-analysis.ts';
import { isSortable } from '../column-types.ts';
import { Refusal } from '../refusal.ts';
import { stored } from '../stored-columns.ts';
import {
  type AggregateNames,
  aggregateCalls,
  requireSorted,
  toStoredAggregate,
} from '../text/aggregates.ts';
import { usesTime } from '../text/determinism.ts';
import { isStar, parseSelect, type Select } from '../text/select.ts';
import { hasKeyword, isKeyword, isName, splitList, type Tokens } from '../text/tokens.ts';
import { resultColumnOf, sortElements } from './ordering.ts';

/** With other clauses, such as LIMIT, a group cannot be computed without the others. */
const allowed = new Set(['SELECT', 'FROM', 'WHERE', 'PREWHERE', 'GROUP BY', 'HAVING', 'ORDER BY']);
/** They may pick any row among ties. */
const picking = new Set(['argMin', 'argMax']);

/**
 * Empty if the engine cannot compute some groups alone or a group may differ between runs: such a result is compared
 * as a whole.
 */
export function groupColumns(
  formatted: Tokens,
  columns: readonly DescribedColumn[],
  names: AggregateNames,
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
    !hasKeyword(groupBy, 'WITH', 'ROLLUP', 'CUBE', 'SETS', 'ALL') &&
    !hasKeyword(select.clauses.get('ORDER BY') ?? [], 'FILL', 'ALL');
  if (!isPlain) return [];
  try {
    requireFixedAggregates(select, names);
    return keysOf(select, groupBy, columns);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function isOneSelect(tokens: Tokens): boolean {
  const selects = tokens.filter((token) => isKeyword(token, 'SELECT')).length;
  const isOther =
    tokens.some(({ text }) => text === ';') || hasKeyword(tokens, 'OVER', 'ARRAYJOIN');
  return isKeyword(tokens[0], 'SELECT') && selects === 1 && !isOther && !usesTime(tokens);
}

/** A table name, optionally with a database and an alias. */
function isOneTable(from: Tokens): boolean {
  const isNamed = from.every((token) => token.text === '.' || isName(token));
  return isNamed && from.length > 0 && !hasKeyword(from, 'JOIN', 'FINAL', 'SAMPLE', 'ARRAY');
}

/** Throws Refusal for an aggregate whose result may differ between runs. */
function requireFixedAggregates(select: Select, names: AggregateNames): void {
  const tokenLists = [
    ...select.items.map(({ expression }) => expression),
    select.clauses.get('HAVING') ?? [],
    ...sortElements(select.clauses.get('ORDER BY') ?? []).map(({ expression }) => expression),
  ];
  for (const tokens of tokenLists) {
    for (const call of aggregateCalls(tokens, names)) {
      requireSorted(tokens, call);
      toStoredAggregate(call);
      if (picking.has(call.name.base)) throw new Refusal(call.name.base);
    }
  }
}

function keysOf(
  select: Select,
  groupBy: Tokens,
  columns: readonly DescribedColumn[],
): readonly GroupColumn[] {
  return splitList(groupBy).flatMap((key) => {
    const at = resultColumnOf(key, select.items);
    const column = at === null ? undefined : columns[at];
    if (at === null || column === undefined || !isSortable(column.type)) return [];
    return [{ name: column.name, column: stored.result(at) }];
  });
}
