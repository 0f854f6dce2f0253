/** Tells whether the tables that statements read have changed between two moments, by their data parts. */
import { isLookup } from '../../../sql/lookup-functions.ts';
import { attributeOf, readQueryTree, type TreeNode, tableNameOf } from '../../../sql/query-tree.ts';
import { isTextError, type SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import { asWriter, readRows, rowSettings, type Session } from '../http/session.ts';
import { NO_TABLE } from './frozen/tables-of-tree.ts';

interface Reading {
  readonly session: Session;
  readonly analysis: SqlAnalysis;
}

/**
 * Parts never change: each insert, merge, mutation, lightweight update and dropped partition adds or removes some. A
 * mutation that is not done yet may be applied by reads. The user sees the parts of exactly those tables that it sees
 * in system.tables.
 */
const STATE = `
SELECT engine, as_select, uuid != toUUIDOrZero(''), toString(uuid), toString(metadata_modification_time),
  (SELECT toString((count(), sum(rows), groupBitXor(cityHash64(name, rows, hash_of_all_files)))) FROM system.parts
    WHERE active AND database = {database:String} AND table = {table:String}),
  (SELECT toString((count(), groupBitXor(cityHash64(mutation_id, is_done)))) FROM system.mutations
    WHERE database = {database:String} AND table = {table:String})
FROM system.tables WHERE database = {database:String} AND name = {table:String}`;

/** Table functions without rows of tables. */
const OF_NO_ROWS =
  /^table_function_name: (?:numbers(?:_mt)?|zeros(?:_mt)?|values|generate_?series|format|null)\b/;
/** Behind one address there may be several replicas, of which some have not received a part yet. */
const HAS_PARTS = /^(?!Replicated|Shared)\w*MergeTree$/;
const MAX_VIEWS_DEEP = 8;

/** Equal for equal rows of all tables that the statements read. Null where tables do not tell, such as Distributed ones. */
export async function sourceState(
  reading: Reading,
  statements: readonly EngineStatement[],
): Promise<string | null> {
  // The nodes of a cluster have different parts.
  const { cluster, nodes } = reading.session.connection;
  if (cluster !== undefined || nodes !== undefined) return null;
  const states = new Map<string, string>();
  try {
    for (const statement of statements)
      if (!(await addStates(reading, { statement, states, depth: 0 }))) return null;
  } catch (error) {
    if (error instanceof EngineError || isTextError(error)) return null;
    throw error;
  }
  return JSON.stringify([...states].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Also from a dictionary, which may be loaded anew at any time. */
function readsElsewhere(node: TreeNode): boolean {
  if (node.kind === 'FUNCTION') return isLookup(attributeOf(node, 'function_name'));
  return node.kind === 'TABLE_FUNCTION' && !OF_NO_ROWS.test(node.attributes);
}

interface Found {
  readonly statement: EngineStatement;
  readonly states: Map<string, string>;
  /** Of the views around the statement. */
  readonly depth: number;
}

/** False when a table does not tell its state. */
async function addStates(
  { session, analysis }: Reading,
  { statement, states, depth }: Found,
): Promise<boolean> {
  const { projectId, sql, params } = statement;
  const { databases } = session.place(projectId);
  const nodes = readQueryTree(await analysis.tree(await analysis.plain(sql), params));
  if (nodes === null || depth > MAX_VIEWS_DEEP || nodes.some(readsElsewhere)) return false;
  const names = nodes.filter(({ kind }) => kind === 'TABLE').map(tableNameOf);
  for (const name of new Set(names)) {
    if (name === NO_TABLE || states.has(name)) continue;
    const database = databases.find((one) => name.startsWith(`${one}.`));
    if (database === undefined) return false;
    const asked = { database, table: name.slice(database.length + 1) };
    const asking = { sql: STATE, params: asked, settings: rowSettings };
    const [row] = readRows(await asWriter(session, projectId, asking));
    const [engine, select, hasId, ...state] = row ?? [];
    states.set(name, JSON.stringify([engine, select, ...state]));
    if (engine === 'View') {
      const inner = { ...statement, sql: String(select), params: {} };
      const found = { statement: inner, states, depth: depth + 1 };
      if (!(await addStates({ session, analysis }, found))) return false;
    } else if (!HAS_PARTS.test(String(engine)) || Number(hasId) === 0) {
      return false;
    }
  }
  return true;
}
