/** Finds each ORDER BY of a query that leaves open which row comes first, and settles it with more sort keys. */

import { compileSample } from '../../query/compile-sample.ts';
import { type ParsedQuery, parseQuery } from '../../query/query-definition.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import { positionOf } from '../../sql/text-position.ts';
import { writtenClauses } from '../../sql/written-clauses.ts';
import { writtenSelects } from '../../sql/written-selects.ts';
import type { MaterializationDeps } from '../deps.ts';
import { openLimit } from './open-limits.ts';
import type { OpenOrder } from './open-order.ts';
import { openWindows } from './open-windows.ts';

export interface TiedRows {
  readonly detail: string;
  /** What to append to the first open ORDER BY; null where no sort keys settle the order. */
  readonly tieBreaker: string | null;
  /** The query with every order settled, checked by the engine. */
  readonly query: string | null;
}

/** Null where the order settles which rows the query returns, and what its windows give each. */
export async function findTiedRows(
  deps: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<TiedRows | null> {
  const orders = await openOrders(deps, projectId, query);
  const [first] = orders;
  if (first === undefined) return null;
  const settled = await settledBy(deps, projectId, { query, orders });
  const text = query.definition.query;
  const details = orders.map((order) => detailOf(order, text, settled !== null));
  return {
    detail: details.join(' '),
    tieBreaker: settled === null ? null : first.keys.join(', '),
    query: settled?.definition.query ?? null,
  };
}

export interface SettledQueries {
  readonly query: ParsedQuery;
  /** With every sort key that was added the other way round: another result, if rows are tied. */
  readonly reverse: ParsedQuery;
}

/** The query with every order settled; null where nothing is open, or where it cannot be settled. */
export async function settledQueries(
  deps: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<SettledQueries | null> {
  const orders = await openOrders(deps, projectId, query);
  const settled = orders.length === 0 ? null : await settledBy(deps, projectId, { query, orders });
  if (settled === null) return null;
  const reversed = orders.map((order) => ({
    ...order,
    keys: order.keys.map((key) => `${key} DESC`),
  }));
  return { query: settled, reverse: withKeys(query, reversed) };
}

async function openOrders(
  deps: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<readonly OpenOrder[]> {
  const found: OpenOrder[] = [];
  for (const select of writtenSelects(query.definition.query)) {
    const order = writtenClauses(select.text).get('ORDER');
    // Sort keys behind WITH FILL would be filled as well.
    const isLimited = order !== undefined && !/\bFILL\b/i.test(select.text);
    if (!isLimited && !/\bOVER\b/i.test(select.text)) continue;
    try {
      const alone = parseQuery({ ...query.definition, query: select.statement });
      const given = { projectId, select, query: alone };
      const limit = isLimited ? await openLimit(deps, given) : null;
      found.push(...(await openWindows(deps, given)), ...(limit === null ? [] : [limit]));
    } catch (error) {
      // A subquery may use columns of the query around it.
      if (!isTextError(error)) throw error;
    }
  }
  return found.toSorted((one, other) => one.end - other.end);
}

/** Null unless the engine takes the query with the keys, and nothing is open in it any more. */
async function settledBy(
  deps: MaterializationDeps,
  projectId: number,
  { query, orders }: { readonly query: ParsedQuery; readonly orders: readonly OpenOrder[] },
): Promise<ParsedQuery | null> {
  if (orders.some(({ keys }) => keys.length === 0)) return null;
  try {
    const settled = withKeys(query, orders);
    const { sql, params } = compileSample(settled);
    await deps.engine.describe({ projectId, sql, params });
    return (await openOrders(deps, projectId, settled)).length === 0 ? settled : null;
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}

function withKeys(query: ParsedQuery, orders: readonly OpenOrder[]): ParsedQuery {
  const written = query.definition.query;
  const text = orders.reduceRight(
    (sql, { end, keys }) => `${sql.slice(0, end)}, ${keys.join(', ')}${sql.slice(end)}`,
    written,
  );
  return parseQuery({ ...query.definition, query: text });
}

const consequences = {
  limit: 'so each run, and each sync, may return others of them within LIMIT',
  window: 'so each run, and each sync, may take others of them first',
} as const;

function detailOf({ of, end, keys }: OpenOrder, text: string, isSettled: boolean): string {
  const what = of === 'limit' ? 'ORDER BY' : 'The ORDER BY of a window';
  const place = positionOf(text, end).replace(' at ', '');
  const left = `${what} may treat several rows as equal, ${consequences[of]} (${place}).`;
  return isSettled ? `${left} Append ${keys.join(', ')} to it.` : left;
}
