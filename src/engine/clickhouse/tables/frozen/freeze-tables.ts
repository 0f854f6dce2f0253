/** Copies the tables that statements read, and makes the statements read the copies. */
import type { Log } from '../../../../lib/log.ts';
import { findPlaceholders } from '../../../../sql/placeholders.ts';
import { readQueryTree } from '../../../../sql/query-tree.ts';
import type { SqlAnalysis } from '../../../../sql/sql-analysis.ts';
import { isTextError } from '../../../../sql/sql-analysis.ts';
import type {
  FreezeRequest,
  FrozenTables,
  NotFrozen,
  ShardLookup,
} from '../../../frozen-tables.ts';
import type { EngineStatement, QueryEngine } from '../../../query-engine.ts';
import { EngineError } from '../../errors/engine-error.ts';
import { asService } from '../../errors/translate-error.ts';
import { readSqlText } from '../../guard/parse/sql-text.ts';
import { asAdmin, readRows, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { clusterOf } from '../../topology/on-cluster.ts';
import { copyTable } from './copy-table.ts';
import { describeSource } from './describe-source.ts';
import { copyName, dropCopies } from './drop-copies.ts';
import { renameTables } from './rename-tables.ts';
import { shardLookups } from './shard-lookups.ts';
import { comparableTree, type TableNode, tablesOfTree } from './tables-of-tree.ts';

interface Freezer {
  readonly session: Session;
  readonly analysis: (projectId: number) => SqlAnalysis;
  readonly log: Log;
}

export function openFrozenTables(
  freezer: Freezer,
): Pick<QueryEngine, 'freezeTables' | 'readFrozen' | 'dropCopies'> {
  return {
    async freezeTables(request, signal) {
      const { session } = freezer;
      // Bound tables belong to somebody else, and on a cluster other statements might read another node, so neither is
      // copied.
      if (session.place(request.projectId).isBound || clusterOf(session.connection) !== null)
        return null;
      const frozen = await asService(freeze(freezer, request, signal));
      if (!isFrozen(frozen)) await asService(dropCopies(freezer.session, request));
      return frozen;
    },
    readFrozen: (frozen, statement) => readFrozen(freezer, frozen, statement),
    dropCopies: (projectId, table) => asService(dropCopies(freezer.session, { projectId, table })),
  };
}

function isFrozen(frozen: FrozenTables | NotFrozen | null): frozen is FrozenTables {
  return frozen !== null && 'copies' in frozen;
}

interface Freezing extends Freezer {
  readonly request: FreezeRequest;
  readonly copies: Map<string, string>;
  /** Because of which nothing can be copied. */
  readonly lookups: ShardLookup[];
  readonly signal: AbortSignal | undefined;
}

async function freeze(
  freezer: Freezer,
  request: FreezeRequest,
  signal: AbortSignal | undefined,
): Promise<FrozenTables | NotFrozen | null> {
  const { projectId, table } = request;
  const copies = new Map<string, string>();
  const lookups: ShardLookup[] = [];
  const freezing: Freezing = { ...freezer, request, copies, lookups, signal };
  try {
    for (const statement of request.statements) {
      if (await freezeAll(freezing, statement, 0)) continue;
      const [lookup] = lookups;
      return lookup === undefined ? null : { lookup };
    }
    return { projectId, copies };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    freezer.log.warn({ err: error, projectId, table }, 'the source of a sync could not be frozen');
    return null;
  }
}

const MAX_VIEWS_DEEP = 8;

/** False when one of the tables cannot be frozen. */
async function freezeAll(
  freezing: Freezing,
  statement: EngineStatement,
  depth: number,
): Promise<boolean> {
  const read = await tablesRead(freezing, statement);
  if (read === null || depth > MAX_VIEWS_DEEP) return false;
  const { nodes, lookups } = read;
  const own = `${projectDatabase(statement.projectId)}.`;
  for (const lookup of lookups) {
    if (!(await isDistributed(freezing, lookup.of))) continue;
    freezing.lookups.push(lookup);
    return false;
  }
  for (const name of new Set(nodes.map((node) => node.name))) {
    const isModified = nodes.some((node) => node.name === name && node.isModified);
    if (!name.startsWith(own)) return false;
    const source = name.slice(own.length);
    if (freezing.copies.has(source)) continue;
    if (!(await freezeOne(freezing, { source, isModified }, depth))) return false;
  }
  return true;
}

/** Engines that read another table, which may be Distributed. */
const READS_ANOTHER = /^(?:Merge|Buffer|MaterializedView)$/;

/** Whether shards read it. @param name with its database, which is the project's. */
async function isDistributed(
  { session, request: { projectId } }: Freezing,
  name: string,
): Promise<boolean> {
  const database = projectDatabase(projectId);
  const table = name.slice(database.length + 1);
  const { engine = '' } = (await describeSource(session, { database, table })) ?? {};
  if (!READS_ANOTHER.test(engine)) return engine === 'Distributed';
  const sql =
    "SELECT count() FROM system.tables WHERE database = {database:String} AND engine = 'Distributed'";
  const [[count] = []] = readRows(await asAdmin(session, { sql, params: { database } }));
  return Number(count) > 0;
}

interface TablesRead {
  readonly nodes: readonly TableNode[];
  readonly lookups: readonly ShardLookup[];
}

/** Null when the engine cannot resolve the text now, for example because a table is missing. */
async function tablesRead(
  { analysis }: Freezer,
  { projectId, sql, params }: EngineStatement,
): Promise<TablesRead | null> {
  const { plain, tree } = analysis(projectId);
  const lines = await unlessRejected(async () => tree(await plain(sql), params));
  const nodes = lines === null ? null : tablesOfTree(lines);
  if (lines === null || nodes === null) return null;
  return { nodes, lookups: shardLookups(readQueryTree(lines) ?? []) };
}

async function unlessRejected<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}

interface Source {
  readonly source: string;
  readonly isModified: boolean;
}

async function freezeOne(
  freezing: Freezing,
  { source, isModified }: Source,
  depth: number,
): Promise<boolean> {
  const { session, request, copies, signal } = freezing;
  const { projectId } = request;
  const database = projectDatabase(projectId);
  const found = await describeSource(session, { database, table: source });
  const copy = copyName(request.table, copies.size);
  // Before the view's tables are copied, so that each copy has its own name.
  copies.set(source, copy);
  if (found?.engine !== 'View') {
    return copyTable(session, { projectId, source, copy, isModified, found, signal });
  }
  const hasParameters = findPlaceholders(found.select).length > 0;
  if (found.hasPolicies || isModified || hasParameters) return false;
  const select = { projectId, sql: found.select, params: {} };
  if (!(await freezeAll(freezing, select, depth + 1))) return false;
  const frozen = await readFrozen(freezing, { projectId, copies }, select);
  if (frozen === null) return false;
  const sql = `CREATE VIEW IF NOT EXISTS ${qualified(database, copy)} SQL SECURITY INVOKER AS ${frozen.sql}`;
  await asAdmin(session, { sql });
  return true;
}

/** Null unless the engine resolves the rewritten text to the same tree, except that every table is a copy. */
async function readFrozen(
  { analysis }: Freezer,
  { projectId, copies }: FrozenTables,
  statement: EngineStatement,
): Promise<EngineStatement | null> {
  const { plain, tree } = analysis(projectId);
  const database = projectDatabase(projectId);
  return unlessRejected(async () => {
    const text = readSqlText(await plain(statement.sql));
    const names = new Map([...copies].map(([from, to]) => [from, qualified(database, to)]));
    const sql = renameTables(text, { database, names });
    const expected = await tree(text.sql, statement.params);
    const actual = await tree(sql, statement.params);
    const known = new Map(
      [...copies].map(([from, to]) => [`${database}.${to}`, `${database}.${from}`]),
    );
    const isFrozen = tablesOfTree(actual)?.every(({ name }) => known.has(name)) === true;
    const isSame =
      comparableTree(expected, (name) => name) ===
      comparableTree(actual, (name) => known.get(name) ?? name);
    return isFrozen && isSame ? { ...statement, sql } : null;
  });
}
