/** What must not change about a table while it is copied. */
import { asAdmin, readRows, type Session } from '../../http/session.ts';

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

const DESCRIBE = `
SELECT engine, engine_full, as_select, total_rows,
  (SELECT count() FROM system.row_policies WHERE database = {database:String} AND table = {table:String}),
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
  params: { readonly database: string; readonly table: string },
): Promise<SourceTable | null> {
  const [row] = readRows(await asAdmin(session, { sql: `${CHANGES}${DESCRIBE}`, params }));
  if (row === undefined) return null;
  const [engine, engineFull, select, rows, policies, altering, ...identity] = row;
  return {
    engine: String(engine),
    engineFull: String(engineFull),
    select: String(select),
    rows: rows === null ? null : Number(rows),
    hasPolicies: Number(policies) > 0,
    isAltered: Number(altering) > 0,
    identity: JSON.stringify(identity),
  };
}
