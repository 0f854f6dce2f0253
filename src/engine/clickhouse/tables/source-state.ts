/** Tells whether the tables that statements read have changed between two moments, by their data parts. */
import { isLookup } from '../../../sql/lookup-functions.ts';
import { formatTexts } from '../../../sql/param-value.ts';
import { attributeOf, readQueryTree, type TreeNode, tableNameOf } from '../../../sql/query-tree.ts';
import { isTextError, type SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { SourceState } from '../../frozen-tables.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import type { EngineResponse } from '../http/http-client.ts';
import { asAdmin, asWriter, readRows, rowSettings, type Session } from '../http/session.ts';
import { MAX_VIEWS_DEEP, NO_TABLE } from './frozen/tables-of-tree.ts';

interface Reading {
  readonly session: Session;
  readonly analysis: SqlAnalysis;
}

/**
 * Parts never change: each insert, merge, mutation, lightweight update and dropped partition adds or removes some. A
 * mutation that is not done yet may be applied by reads. The user of a bound project sees the parts of exactly those
 * tables that it sees in system.tables.
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

export async function sourceState(
  reading: Reading,
  statements: readonly EngineStatement[],
): Promise<SourceState> {
  // The nodes of a cluster have different parts.
  const { cluster, nodes } = reading.session.connection;
  if (cluster !== undefined || nodes !== undefined) return { unclear: null };
  const states = new Map<string, string>();
  try {
    for (const statement of statements) {
      const unclear = await addStates(reading, { statement, states, depth: 0 });
      if (unclear !== null) return { unclear };
    }
  } catch (error) {
    if (error instanceof EngineError || isTextError(error)) return { unclear: null };
    throw error;
  }
  return { state: JSON.stringify([...states].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** What a query reads besides tables, in words; null for any other node. A dictionary may be loaded anew at any time. */
function readElsewhere(node: TreeNode): string | null {
  const call = attributeOf(node, 'function_name');
  if (node.kind === 'FUNCTION' && isLookup(call)) return `what ${call} looks up`;
  const isSource = node.kind === 'TABLE_FUNCTION' && !OF_NO_ROWS.test(node.attributes);
  return isSource ? `what ${attributeOf(node, 'table_function_name')} returns` : null;
}

/** With the rights of the administrator: the writer of a project sees no parts, but for that of a bound one, which has none. */
function readState(
  session: Session,
  projectId: number,
  asking: Pick<EngineStatement, 'sql' | 'params'>,
): Promise<EngineResponse> {
  return session.place(projectId).isBound
    ? asWriter(session, projectId, { ...asking, settings: rowSettings })
    : asAdmin(session, asking);
}

interface Found {
  readonly statement: EngineStatement;
  readonly states: Map<string, string>;
  /** Of the views around the statement. */
  readonly depth: number;
}

/** Returns what does not tell its state, in words; null if all tables do. */
async function addStates(
  { session, analysis }: Reading,
  { statement, states, depth }: Found,
): Promise<string | null> {
  const { projectId, sql, params } = statement;
  const { databases, isBound } = session.place(projectId);
  const nodes = readQueryTree(await analysis.tree(await analysis.plain(sql), params));
  if (nodes === null || depth > MAX_VIEWS_DEEP) return 'what the query reads';
  const [elsewhere] = nodes.flatMap((node) => readElsewhere(node) ?? []);
  if (elsewhere !== undefined) return elsewhere;
  const names = nodes.filter(({ kind }) => kind === 'TABLE').map(tableNameOf);
  for (const name of new Set(names)) {
    if (name === NO_TABLE || states.has(name)) continue;
    const database = databases.find((one) => name.startsWith(`${one}.`));
    if (database === undefined) return name;
    const asked = formatTexts({ database, table: name.slice(database.length + 1) });
    const [row] = readRows(await readState(session, projectId, { sql: STATE, params: asked }));
    const [engine, select, hasId, ...state] = row ?? [];
    states.set(name, JSON.stringify([engine, select, ...state]));
    if (engine === 'View') {
      const inner = { ...statement, sql: String(select), params: {} };
      const found = { statement: inner, states, depth: depth + 1 };
      const unclear = await addStates({ session, analysis }, found);
      if (unclear !== null) return unclear;
    } else if (!HAS_PARTS.test(String(engine)) || Number(hasId) === 0) {
      return isBound ? name : name.slice(database.length + 1);
    }
  }
  return null;
}
