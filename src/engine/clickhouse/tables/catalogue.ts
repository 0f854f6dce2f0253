/** Combines what the nodes of an engine report about a project's tables into one catalogue. */

import { storedTablePrefix } from '../../../model/materialization-state.ts';
import { formatParam } from '../../../sql/param-value.ts';
import type { TableColumn } from '../../engine-table.ts';
import type { ProjectPlace } from '../../project-place.ts';
import type { EngineResponse } from '../http/http-client.ts';
import type { Statement } from '../http/refusable-settings.ts';
import { type Rows, readRows } from '../http/session.ts';

/** Prefix of the tables of an unfinished load, which are hidden. */
export const UNFINISHED_PREFIX = '_load_';

/** Sends a statement of the service with the rights of one of its users. */
export type Send = (statement: Statement) => Promise<EngineResponse>;

/** Where one statement reads the system tables of several nodes, and which column names the node. */
export interface Source {
  readonly of: (table: string) => string;
  readonly node: string;
}

export const oneNode: Source = { of: (table) => table, node: '0' };

export interface ListedTable {
  readonly database: string;
  readonly table: string;
  readonly comment: string;
  /** The largest row count of any node; null when not counted. */
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly engine: string;
  /** Including its arguments. */
  readonly engineFull: string;
  readonly columns: readonly TableColumn[];
}

/** The response of one statement or node: rows of the two queries below. */
export interface Listing {
  readonly tables: Rows;
  readonly columns: Rows;
}

export async function readListing(
  send: Send,
  { databases }: ProjectPlace,
  { of, node }: Source,
): Promise<Listing> {
  const params = { databases: formatParam('Array(String)', databases, 'databases') };
  const tables = `SELECT database, name, comment, total_rows, total_bytes, engine, engine_full FROM ${of('system.tables')}
    WHERE database IN {databases:Array(String)} AND NOT startsWith(name, '${UNFINISHED_PREFIX}') AND NOT startsWith(name, '_tmp_')
      AND NOT startsWith(name, '${storedTablePrefix}')
    ORDER BY indexOf({databases:Array(String)}, database), name`;
  const columns = `SELECT database, table, name, type, comment, ${node} AS node FROM ${of('system.columns')}
    WHERE database IN {databases:Array(String)} ORDER BY node, database, table, position`;
  // Sequential, because a project's reader may be limited to one query at a time.
  const found = readRows(await send({ sql: tables, params }));
  return { tables: found, columns: readRows(await send({ sql: columns, params })) };
}

/**
 * Lists each table once, with the columns reported by the first node that has it. A table on several nodes is complete
 * on each, so its row count is the largest one.
 */
export function toCatalogue(
  listings: readonly Listing[],
  { databases }: ProjectPlace,
): readonly ListedTable[] {
  const columns = columnsByTable(listings);
  const byTable = new Map<string, ListedTable>();
  for (const row of listings.flatMap(({ tables }) => tables)) {
    const [database, table, comment, engine, engineFull] = [0, 1, 2, 5, 6].map((at) =>
      String(row[at]),
    ) as [string, string, string, string, string];
    const key = keyOf(database, table);
    const known = byTable.get(key);
    const [rows, bytes] = [toCount(row[3]), toCount(row[4])];
    const listed = {
      database,
      table,
      comment,
      engine,
      engineFull,
      columns: columns.get(key) ?? [],
    };
    byTable.set(key, {
      ...(known ?? listed),
      rows: most(known?.rows ?? null, rows),
      bytes: most(known?.bytes ?? null, bytes),
    });
  }
  if (listings.length === 1) return [...byTable.values()];
  const placeOf = ({ database }: ListedTable) => databases.indexOf(database);
  return [...byTable.values()].sort(
    (a, b) => placeOf(a) - placeOf(b) || (a.table < b.table ? -1 : 1),
  );
}

function columnsByTable(listings: readonly Listing[]): ReadonlyMap<string, readonly TableColumn[]> {
  const byTable = new Map<string, { readonly from: string; readonly columns: TableColumn[] }>();
  for (const [at, listing] of listings.entries()) {
    for (const [database, table, name, type, comment, node] of listing.columns) {
      const key = keyOf(String(database), String(table));
      const from = `${at}/${String(node)}`;
      const own = byTable.get(key) ?? { from, columns: [] };
      byTable.set(key, own);
      if (own.from === from)
        own.columns.push({ name: String(name), type: String(type), comment: String(comment) });
    }
  }
  return new Map([...byTable].map(([key, { columns }]) => [key, columns]));
}

export function keyOf(database: string, table: string): string {
  return JSON.stringify([database, table]);
}

function most(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}

export function toCount(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
