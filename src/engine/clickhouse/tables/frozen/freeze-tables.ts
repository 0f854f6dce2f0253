/** Copies the tables that statements read, and makes the statements read the copies. */
import type { Log } from '../../../../lib/log.ts';
import { isLookup } from '../../../../sql/lookup-functions.ts';
import { formatTexts } from '../../../../sql/param-value.ts';
import { findPlaceholders } from '../../../../sql/placeholders.ts';
import { attributeOf, readQueryTree } from '../../../../sql/query-tree.ts';
import { quoteName } from '../../../../sql/quote-name.ts';
import type { SqlAnalysis } from '../../../../sql/sql-analysis.ts';
import { isTextError } from '../../../../sql/sql-analysis.ts';
import type {
  FreezeRequest,
  FrozenTables,
  NotFrozen,
  ShardLookup,
} from '../../../frozen-tables.ts';
import type { ProjectPlace } from '../../../project-place.ts';
import type { EngineStatement, QueryEngine } from '../../../query-engine.ts';
import { EngineError, isDenied } from '../../errors/engine-error.ts';
import { asService } from '../../errors/translate-error.ts';
import { readSqlText } from '../../guard/parse/sql-text.ts';
import { readRows, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { owned, requireDrops, requireStored } from '../stored/stored-names.ts';
import { areReadable, asCopier, canCopy, copyName, dropCopies, dropCopy } from './copies.ts';
import { copyTable } from './copy-table.ts';
import { describeSource, type TableName } from './describe-source.ts';
import { renameTables } from './rename-tables.ts';
import { shardLookups } from './shard-lookups.ts';
import { comparableTree, MAX_VIEWS_DEEP, type TableNode, tablesOfTree } from './tables-of-tree.ts';

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
      if (!canCopy(freezer.session, request.projectId)) return null;
      await requireDrops(freezer.session, request.projectId);
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
  /** The tables whose copies have their engine, as a read with FINAL needs it. */
  readonly modified: Set<string>;
  /** Because of which nothing can be copied. */
  readonly lookups: ShardLookup[];
  /** Functions that look values up in dictionaries. */
  readonly calls: Set<string>;
  readonly signal: AbortSignal | undefined;
}

async function freeze(
  freezer: Freezer,
  request: FreezeRequest,
  signal: AbortSignal | undefined,
): Promise<FrozenTables | NotFrozen | null> {
  const { session } = freezer;
  const { projectId, table } = request;
  const copies = new Map<string, string>();
  const lookups: ShardLookup[] = [];
  const calls = new Set<string>();
  const modified = new Set<string>();
  const freezing: Freezing = { ...freezer, request, copies, modified, lookups, calls, signal };
  try {
    for (const statement of request.statements) {
      if (await freezeAll(freezing, statement, 0)) continue;
      const [lookup] = lookups;
      return lookup === undefined ? null : { lookup };
    }
    if (!(await areReadable(session, request, copies.size))) return null;
    return { projectId, copies, looksUp: calls.size > 0 };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // The user of a bound project may lack a right.
    const level = isDenied(error) ? 'debug' : 'warn';
    freezer.log[level]({ err: error, projectId, table }, 'the source of a sync was not frozen');
    return null;
  }
}

/** False when one of the tables cannot be frozen. */
async function freezeAll(
  freezing: Freezing,
  statement: EngineStatement,
  depth: number,
): Promise<boolean> {
  const read = await tablesRead(freezing, statement);
  if (read === null || depth > MAX_VIEWS_DEEP) return false;
  const { nodes, lookups } = read;
  for (const call of read.calls) freezing.calls.add(call);
  const { databases } = freezing.session.place(statement.projectId);
  for (const lookup of lookups) {
    if (!(await isDistributed(freezing, lookup.of))) continue;
    freezing.lookups.push(lookup);
    return false;
  }
  for (const name of new Set(nodes.map((node) => node.name))) {
    const isModified = nodes.some((node) => node.name === name && node.isModified);
    const source = tableOf(freezing, name);
    if (!databases.includes(source.database)) return false;
    const copy = freezing.copies.get(name);
    if (copy !== undefined && (!isModified || freezing.modified.has(name))) continue;
    // One statement reads the table as it is, and another one with FINAL.
    if (copy !== undefined) await dropCopy(freezing.session, { projectId: source.projectId, copy });
    if (isModified) freezing.modified.add(name);
    if (!(await freezeOne(freezing, { name, source, isModified }, depth))) return false;
  }
  return true;
}

/** Engines that read another table, which may be Distributed. */
const READS_ANOTHER = /^(?:Merge|Buffer|MaterializedView)$/;

/** @param name with its database, both without a dot. */
function tableOf({ request: { projectId } }: Freezing, name: string): TableName {
  const [database = '', table = ''] = name.split('.');
  return { projectId, database, table };
}

/** Whether shards read it. @param name with its database, which is one of the project's. */
async function isDistributed(freezing: Freezing, name: string): Promise<boolean> {
  const { session } = freezing;
  const source = tableOf(freezing, name);
  const { projectId, database } = source;
  const { engine = '' } = (await describeSource(session, source)) ?? {};
  if (!READS_ANOTHER.test(engine)) return engine === 'Distributed';
  const sql =
    "SELECT count() FROM system.tables WHERE database = {database:String} AND engine = 'Distributed'";
  const [[count] = []] = readRows(
    await asCopier(session, projectId, { sql, params: formatTexts({ database }) }),
  );
  return Number(count) > 0;
}

interface TablesRead {
  readonly nodes: readonly TableNode[];
  readonly calls: readonly string[];
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
  const all = readQueryTree(lines) ?? [];
  const calls = all.map((node) => attributeOf(node, 'function_name')).filter(isLookup);
  return { nodes, calls, lookups: shardLookups(all) };
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
  /** With its database. */
  readonly name: string;
  readonly source: TableName;
  readonly isModified: boolean;
}

async function freezeOne(
  freezing: Freezing,
  { name, source, isModified }: Source,
  depth: number,
): Promise<boolean> {
  const { session, request, copies, signal, analysis } = freezing;
  const { projectId } = request;
  const found = await describeSource(session, source);
  const copy = copies.get(name) ?? copyName(request.table, copies.size);
  // Before the view's tables are copied, so that each copy has its own name.
  copies.set(name, copy);
  if (found?.engine !== 'View') {
    return copyTable(session, { projectId, source, copy, isModified, found, signal });
  }
  const hasParameters = findPlaceholders(found.select).length > 0;
  if (found.hasPolicies || isModified || hasParameters) return false;
  const select = { projectId, sql: found.select, params: {} };
  if (!(await freezeAll(freezing, select, depth + 1))) return false;
  const frozen = await readFrozen(freezing, { projectId, copies }, select);
  if (frozen === null) return false;
  const text = await analysis(projectId).plain(frozen.sql);
  const view = qualified(requireStored(session, projectId), copy);
  const sql = `CREATE VIEW IF NOT EXISTS ${view} SQL SECURITY INVOKER AS ${text}${owned(session)}`;
  await asCopier(session, projectId, { sql });
  return true;
}

/** Null unless the engine resolves the rewritten text to the same tree, except that every table is a copy. */
async function readFrozen(
  { analysis, session }: Freezer,
  { projectId, copies }: Pick<FrozenTables, 'projectId' | 'copies'>,
  statement: EngineStatement,
): Promise<EngineStatement | null> {
  const { plain, tree } = analysis(projectId);
  const place = session.place(projectId);
  const stored = requireStored(session, projectId);
  return unlessRejected(async () => {
    const text = readSqlText(await plain(statement.sql));
    const sql = renameTables(text, { names: namesOfCopies(place, copies) });
    const expected = await tree(text.sql, statement.params);
    const actual = await tree(await plain(sql), statement.params);
    const known = new Map([...copies].map(([from, to]) => [`${stored}.${to}`, from]));
    const isFrozen = tablesOfTree(actual)?.every(({ name }) => known.has(name)) === true;
    const isSame =
      comparableTree(expected, (name) => name) ===
      comparableTree(actual, (name) => known.get(name) ?? name);
    return isFrozen && isSame ? { ...statement, sql } : null;
  });
}

/**
 * A bound project's stored tables are in a database that no text may name, and found by their names alone. Tables of its
 * later databases are named with them.
 */
function namesOfCopies(
  { isBound, databases, stored }: ProjectPlace,
  copies: FrozenTables['copies'],
): ReadonlyMap<string, string> {
  const [first = ''] = databases;
  const names = new Map<string, string>();
  for (const [name, copy] of copies) {
    const written = isBound ? quoteName(copy) : qualified(stored ?? first, copy);
    names.set(name, written);
    if (name.startsWith(`${first}.`)) names.set(name.slice(first.length + 1), written);
  }
  return names;
}
