/**
 * Copies one table. A MergeTree table is copied by hard links to its parts, instantly and without using disk space; any
 * other table row by row, up to a limit.
 */
import { formatTexts } from '../../../../sql/param-value.ts';
import { quoteName } from '../../../../sql/quote-name.ts';
import { EngineError } from '../../errors/engine-error.ts';
import { asWriter, readRows, type Session } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { owned, requireStored } from '../stored/stored-names.ts';
import { asCopier, dropCopy } from './copies.ts';
import { describeSource, type SourceTable, type TableName } from './describe-source.ts';

export interface Copied {
  readonly projectId: number;
  readonly source: TableName;
  readonly copy: string;
  /** Whether the read needs the table's own engine, as with FINAL. */
  readonly isModified: boolean;
  /** The source as found; null when it does not exist. */
  readonly found: SourceTable | null;
  readonly signal: AbortSignal | undefined;
}

/**
 * Keeps merges from changing or expiring rows of a copy: no two parts together are below one byte, and no merge may expire
 * rows, however few. In a new table those would be due at once.
 */
const NEVER_MERGED =
  'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1, max_number_of_merges_with_ttl_in_pool = 0';
const MERGE_TREE = /^(?:Replicated|Shared)?\w*MergeTree$/;
/** Engines that store or fetch rows and do nothing else to a query. */
const HOLDS_ROWS: ReadonlySet<string> = new Set([
  ...['Memory', 'Log', 'TinyLog', 'StripeLog', 'MaterializedView', 'Dictionary'],
  ...['Distributed', 'Merge', 'Buffer', 'EmbeddedRocksDB'],
]);
/** Larger tables are not copied row by row. */
const MAX_ROWS = 5_000_000;
const MAX_TRIES = 3;

/** False when it cannot be copied. Retries when the table was replaced or its columns changed meanwhile. */
export async function copyTable(session: Session, copied: Copied): Promise<boolean> {
  const describe = () => describeSource(session, copied.source);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    copied.signal?.throwIfAborted();
    const before = tries === 1 ? copied.found : await describe();
    if (before === null || before.hasPolicies) return false;
    const isCopied = await copyOnce(session, copied, before);
    const after = await describe();
    const isSame = after?.identity === before.identity && !after.hasPolicies;
    if (isCopied && isSame) return true;
    await dropCopy(session, copied);
    if (isSame) return false;
  }
  return false;
}

async function copyOnce(session: Session, copied: Copied, table: SourceTable): Promise<boolean> {
  const isMergeTree = MERGE_TREE.test(table.engine);
  if (isMergeTree && !table.isAltered) {
    try {
      await link(session, copied, table);
      return true;
    } catch (error) {
      // Copying the rows may still work: some updates are applied only by reads.
      if (!(error instanceof EngineError) || error.code !== NOT_POSSIBLE) throw error;
      await dropCopy(session, copied);
    }
  }
  if (!isMergeTree && !HOLDS_ROWS.has(table.engine)) return false;
  return !copied.isModified && copyRows(session, copied, table);
}

const NOT_POSSIBLE = 344;

async function link(session: Session, copied: Copied, table: SourceTable): Promise<void> {
  const { projectId } = copied;
  const { source, copy } = namesOf(session, copied);
  const own = unreplicated(table.engineFull);
  const engine = neverMerged(copied.isModified ? own : own.replace(MERGING, 'MergeTree'));
  const create = `CREATE TABLE IF NOT EXISTS ${copy} AS ${source} ENGINE = ${engine}${owned(session)}`;
  await asCopier(session, projectId, { sql: create });
  const attach = `ALTER TABLE ${copy} ATTACH PARTITION ALL FROM ${source}`;
  // Not retried when its response is lost, because a second run would add the rows again.
  await asCopier(session, projectId, { sql: attach, repeatable: false });
}

/** The name and the arguments of an engine that merges rows, which only a read with FINAL needs. */
const MERGING = /^\w+MergeTree(?:\((?:[^()']|'(?:[^'\\]|\\.)*'|\([^()]*\))*\))?/;

/** @param engineFull whose last clause is that of the settings, if it has one. */
function neverMerged(engineFull: string): string {
  return `${engineFull}${engineFull.includes(' SETTINGS ') ? ',' : ' SETTINGS'} ${NEVER_MERGED}`;
}

const REPLICA = /^(?:Replicated|Shared)(\w*MergeTree)/;
const TEXT = String.raw`'(?:[^'\\]|\\.)*'`;
const PATHS = new RegExp(String.raw`^(\w*MergeTree\()${TEXT}, ${TEXT}(?:, )?`);

/** The engine for a table of the same rows, without replicas and Keeper path. */
function unreplicated(engineFull: string): string {
  if (!REPLICA.test(engineFull)) return engineFull;
  return engineFull.replace(REPLICA, '$1').replace(PATHS, '$1');
}

async function copyRows(session: Session, copied: Copied, { rows }: SourceTable): Promise<boolean> {
  const { projectId, signal } = copied;
  const { source, copy } = namesOf(session, copied);
  if ((rows ?? (await countRows(session, projectId, source))) > MAX_ROWS) return false;
  const columns = (await physicalColumns(session, copied)).map(quoteName).join(', ');
  const create = `CREATE TABLE IF NOT EXISTS ${copy} AS ${source} ENGINE = MergeTree ORDER BY tuple() SETTINGS ${NEVER_MERGED}${owned(session)}`;
  await asCopier(session, projectId, { sql: create });
  const insert = `INSERT INTO ${copy} (${columns}) SELECT ${columns} FROM ${source} LIMIT ${MAX_ROWS + 1}`;
  const settings = { insert_allow_materialized_columns: '1' };
  await asWriter(session, projectId, { sql: insert, settings, signal });
  return (await countRows(session, projectId, copy)) <= MAX_ROWS;
}

/** @param name of a table, qualified and quoted. */
async function countRows(session: Session, projectId: number, name: string): Promise<number> {
  const sql = `SELECT count() FROM ${name}`;
  return Number(readRows(await asCopier(session, projectId, { sql }))[0]?.[0]);
}

/** Columns whose values are stored. */
async function physicalColumns(
  session: Session,
  { projectId, source: { database, table } }: Copied,
): Promise<readonly string[]> {
  const response = await asCopier(session, projectId, {
    sql: "SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String} AND default_kind NOT IN ('ALIAS', 'EPHEMERAL') ORDER BY position",
    params: formatTexts({ database, table }),
  });
  return readRows(response).map(([name]) => String(name));
}

function namesOf(session: Session, { projectId, source: { database, table }, copy }: Copied) {
  const stored = requireStored(session, projectId);
  return { source: qualified(database, table), copy: qualified(stored, copy) };
}
