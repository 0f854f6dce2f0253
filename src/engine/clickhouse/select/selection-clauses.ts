/** The SQL clauses that select rows from a query. Pure. */

import { quoteText } from '../../../sql/quote-name.ts';
import { valueTypeOf } from '../../../sql/value-type.ts';
import type { Column, EngineParams } from '../../query-engine.ts';
import { badCursor } from '../../row-selection.ts';
import { type NumberedColumns, numberColumns } from '../query/numbered-columns.ts';
import type { ResolvedSelection } from './resolve-selection.ts';
import { isFloat, tieBreakers } from './sort-keys.ts';
import { boundOf, hasNull } from './sort-values.ts';

export interface SelectionClauses extends NumberedColumns {
  /** FROM, WHERE and ORDER BY. */
  readonly clauses: string;
  /** Values of the clauses' own parameters. */
  readonly params: EngineParams;
}

/** @param statement one SELECT without a closing semicolon; it may end with a comment. */
export function selectionClauses(
  statement: string,
  columns: readonly Column[],
  selection: ResolvedSelection,
): SelectionClauses {
  const numbered = numberColumns(statement, columns);
  const start = startOf(numbered, columns, selection);
  const conditions = [typeCheck(numbered.names, columns, selection), ...start.conditions];
  const order = orderOf(numbered.names, columns, selection);
  return {
    ...numbered,
    clauses: `FROM ${numbered.from} WHERE ${conditions.join(' AND ')}${order}`,
    params: start.params,
  };
}

/**
 * Fails the query when a column's type has changed since planning, because its table was replaced. The condition is
 * constant, so the engine evaluates it once.
 */
function typeCheck(
  names: readonly string[],
  columns: readonly Column[],
  { positions, keys }: ResolvedSelection,
): string {
  const used = new Set([...positions, ...(keys ?? []).map(({ position }) => position)]);
  const changed = [...used].map(
    (index) => `toTypeName(${names[index]}) != ${quoteText(columns[index]?.type ?? '')}`,
  );
  return `NOT throwIf(${changed.join(' OR ')})`;
}

function orderOf(
  names: readonly string[],
  columns: readonly Column[],
  { positions, keys }: ResolvedSelection,
): string {
  if (keys === null) return '';
  const sorted = new Set(keys.map(({ position }) => position));
  const terms = [
    ...keys.map(({ position, isDescending }) => `${names[position]}${isDescending ? ' DESC' : ''}`),
    ...positions.flatMap((position) =>
      tieBreakers(names[position] ?? '', columns[position]?.type ?? '', sorted.has(position)),
    ),
  ];
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`;
}

interface Start {
  readonly conditions: readonly string[];
  readonly params: EngineParams;
}

/**
 * Rows whose sort keys are at the given values or after them:
 * k0 after v0 OR (k0 = v0 AND (k1 after v1 OR (… AND NOT before))).
 */
function startOf(
  { names, prefix }: NumberedColumns,
  columns: readonly Column[],
  { keys, from }: ResolvedSelection,
): Start {
  if (keys === null || from === null) return { conditions: [], params: {} };
  const params: Record<string, string> = {};
  let condition = '1';
  for (const [index, { position, isDescending }] of [...keys.entries()].reverse()) {
    const name = names[position] ?? '';
    const type = columns[position]?.type ?? '';
    const value = from[index] ?? null;
    if (value === null) {
      if (!hasNull(type)) throw badCursor();
      condition = `(isNull(${name}) AND ${condition})`;
      continue;
    }
    const param = `${prefix}p${index}`;
    const { operand, text } = boundOrRefused(type, value, param);
    params[param] = text;
    const after = `${name} ${isDescending ? '<' : '>'} ${operand}`;
    // The engine sorts NaN and NULL last in both directions.
    const last = `${isFloat(valueTypeOf(type)) ? ` OR isNaN(${name})` : ''}${hasNull(type) ? ` OR isNull(${name})` : ''}`;
    condition = `(${after}${last} OR (${name} = ${operand} AND ${condition}))`;
  }
  return { conditions: [condition], params };
}

function boundOrRefused(type: string, value: string, param: string): ReturnType<typeof boundOf> {
  try {
    return boundOf(type, value, param);
  } catch {
    throw badCursor();
  }
}
