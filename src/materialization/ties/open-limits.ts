/** Which rows LIMIT returns is undefined if ORDER BY has ties; further sort keys break them. */
import type { Column, EngineStatement } from '../../engine/query-engine.ts';
import type { ResultShape } from '../../engine/result-shape.ts';
import { compileSample } from '../../query/compile-sample.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { type WrittenClauses, writtenClauses } from '../../sql/written-clauses.ts';
import type { MaterializationDeps } from '../deps.ts';
import {
  groupedBy,
  isPlainName,
  isSortable,
  type OpenOrder,
  plain,
  type SelectOfQuery,
  withoutDirection,
} from './open-order.ts';

/** Null if the order determines which rows the SELECT returns, or if it has no limit. */
export async function openLimit(
  { engine }: MaterializationDeps,
  { projectId, query, select }: SelectOfQuery,
): Promise<OpenOrder | null> {
  const statement: EngineStatement = { projectId, ...compileSample(query) };
  const shape = await engine.shape(statement);
  const isCut = shape.cut !== null && (!shape.cut.isWithTies || shape.cut.offset !== 0);
  const clauses = writtenClauses(select.text);
  const end = clauses.get('ORDER')?.elements.at(-1)?.end;
  if (!shape.isOneSelect || !isCut || shape.keys.length === 0 || end === undefined) return null;
  const keys = missingKeys({ shape, clauses, columns: await engine.describe(statement) });
  return keys === null ? null : { of: 'limit', end: select.start + end, keys };
}

interface Analyzed {
  readonly shape: ResultShape;
  readonly columns: readonly Column[];
  readonly clauses: WrittenClauses;
}

/**
 * For groups, the missing grouping keys; for rows, their other columns, since equal rows are interchangeable.
 *
 * @returns null if none is missing.
 */
function missingKeys({ shape, columns, clauses }: Analyzed): readonly string[] | null {
  const settled = [...shape.keys.flatMap((key) => key ?? []), ...shape.fixed];
  const unsorted = columns.flatMap((_column, at) => (settled.includes(at) ? [] : [at]));
  if (unsorted.length === 0) return null;
  const groups = groupedBy(clauses.get('GROUP')?.elements ?? []);
  const names = columns.map((column, at) => expressionOf(at, columns, clauses) ?? column.name);
  if (groups.length === 0) {
    return unsorted.flatMap((at) => (isSortable(columns[at]?.type ?? '') ? (names[at] ?? []) : []));
  }
  const sorted = new Set([
    ...(clauses.get('ORDER')?.elements ?? []).map(({ text }) => plain(withoutDirection(text))),
    ...settled.flatMap((key) => spellingsOf(key, { names, clauses })),
  ]);
  const missing = groups.filter((text) => !sorted.has(plain(text)));
  return missing.length === 0 ? null : missing;
}

/** The ways GROUP BY can refer to a result column: by name, expression or position. */
function spellingsOf(
  at: number,
  { names, clauses }: { readonly names: readonly string[]; readonly clauses: WrittenClauses },
): readonly string[] {
  const item = clauses.get('SELECT')?.elements[at]?.text ?? '';
  const expression = item.replace(/\s+AS\s+\S+$/i, '');
  return [names[at] ?? '', expression, String(at + 1)].map(plain);
}

/** The column's name if it is plain, otherwise its expression if it has no alias, otherwise its quoted name. */
function expressionOf(
  at: number,
  columns: readonly Column[],
  clauses: WrittenClauses,
): string | null {
  const name = columns[at]?.name ?? '';
  if (isPlainName(name)) return name;
  const items = clauses.get('SELECT')?.elements ?? [];
  const item = items[at]?.text ?? '';
  const isNamed = /\sAS\s+\S+$/i.test(item);
  return items.length === columns.length && !isNamed ? item : quoteName(name);
}
