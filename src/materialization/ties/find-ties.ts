/** Finds each ORDER BY of a query that allows ties, and breaks them with further sort keys. */

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
  /** Sort keys to append to the first ORDER BY with ties; null if no sort keys break them. */
  readonly tieBreaker: string | null;
  /** The query with all ties broken, accepted by the engine. */
  readonly query: string | null;
}

/** Null if the order determines which rows the query returns and the results of its window functions. */
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
  /** The query with all added sort keys descending: the result differs if rows are tied. */
  readonly reverse: ParsedQuery;
}

/** The query with all ties broken; null if it has none or they cannot be broken. */
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
    // WITH FILL would also fill further sort keys.
    const isLimited = order !== undefined && !/\bFILL\b/i.test(select.text);
    if (!isLimited && !/\bOVER\b/i.test(select.text)) continue;
    try {
      const alone = parseQuery({ ...query.definition, query: select.statement });
      const given = { projectId, select, query: alone };
      const limit = isLimited ? await openLimit(deps, given) : null;
      found.push(...(await openWindows(deps, given)), ...(limit === null ? [] : [limit]));
    } catch (error) {
      // A correlated subquery may use columns of the enclosing query.
      if (!isTextError(error)) throw error;
    }
  }
  return found.toSorted((one, other) => one.end - other.end);
}

/** Null unless the engine accepts the query with the keys and no ties remain. */
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
