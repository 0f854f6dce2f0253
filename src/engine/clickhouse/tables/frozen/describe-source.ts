/** What must not change about a table while it is copied. */
import { formatTexts } from '../../../../sql/param-value.ts';
import { readRows, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { rowFilters } from '../row-policies.ts';
import { asCopier } from './copies.ts';

/** A table of one of the project's databases. */
export interface TableName {
  readonly projectId: number;
  readonly database: string;
  readonly table: string;
}

export interface SourceTable {
  readonly engine: string;
  /** Including its arguments and clauses. */
  readonly engineFull: string;
  /** The text of a view; empty for any other table. */
  readonly select: string;
  /** Null when the engine does not know it. */
  readonly rows: number | null;
  /** Row policies on the table, which a copy would not have. */
  readonly hasPolicies: boolean;
  /** Whether its columns are being altered; until that ends, a copy would read other values. */
  readonly isAltered: boolean;
  /** Equal for the same table with the same columns. */
  readonly identity: string;
}

const POLICIES =
  '(SELECT count() FROM system.row_policies WHERE database = {database:String} AND table = {table:String})';

/** @param policies the number of row policies on the table. */
const describe = (policies: string) => `
SELECT engine, engine_full, as_select, total_rows, ${policies},
  (SELECT countIf(NOT is_done) FROM changes), toString(uuid), engine, as_select,
  (SELECT groupArray((name, type, default_kind, default_expression)) FROM system.columns
    WHERE database = {database:String} AND table = {table:String}),
  (SELECT arraySort(groupArray(mutation_id)) FROM changes)
FROM system.tables WHERE database = {database:String} AND name = {table:String}`;

/**
 * Excludes row mutations, which apply to each part as a whole. Others, such as RENAME COLUMN, change how parts are
 * read.
 */
const CHANGES = `
WITH changes AS (
  SELECT mutation_id, is_done FROM system.mutations
  WHERE database = {database:String} AND table = {table:String} AND NOT match(command, '^\\\\(?(UPDATE|DELETE|MATERIALIZE) ')
)`;

/** Null when the table does not exist. */
export async function describeSource(
  session: Session,
  { projectId, ...names }: TableName,
): Promise<SourceTable | null> {
  const { isBound } = session.place(projectId);
  const sql = `${CHANGES}${describe(isBound ? '0' : POLICIES)}`;
  const params = formatTexts(names);
  const [row] = readRows(await asCopier(session, projectId, { sql, params }));
  if (row === undefined) return null;
  const [engine, engineFull, select, rows, policies, altering, ...identity] = row;
  const found = { projectId, ...names, select: String(select) };
  return {
    engine: String(engine),
    engineFull: String(engineFull),
    select: found.select,
    rows: rows === null ? null : Number(rows),
    hasPolicies: isBound ? await isFiltered(session, found) : Number(policies) > 0,
    isAltered: Number(altering) > 0,
    identity: JSON.stringify(identity),
  };
}

/** The users of a bound project do not see policies, but what they do to a read: a view has conditions of its own. */
async function isFiltered(
  session: Session,
  { projectId, select, database, table }: TableName & Pick<SourceTable, 'select'>,
): Promise<boolean> {
  const filters = (source: string) =>
    rowFilters(source, (sql) => asCopier(session, projectId, { sql }));
  const name = qualified(database, table);
  return (await filters(name)) !== (select === '' ? '' : await filters(`(${select})`));
}
