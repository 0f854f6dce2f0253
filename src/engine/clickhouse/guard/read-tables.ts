/** What the engine says of tables that a text reads, as far as the resolved tree does not state it and a rule needs it. */

import { formatTexts } from '../../../sql/param-value.ts';
import type { TreeNode } from '../../../sql/query-tree.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { type Fault, isFaultOfText } from '../errors/translate-error.ts';
import { readerRows, type Session, toColumns } from '../http/session.ts';
import { type SearchedTables, searchedTables } from './rules/sets.ts';
import { finalTables, type SummedTables, summedColumns } from './rules/summed-tables.ts';

interface Reading {
  readonly session: Session;
  readonly query: EngineStatement;
  readonly fault: Fault;
}

interface ReadTables {
  readonly searched: SearchedTables;
  readonly summed: SummedTables;
}

/** Of tables whose names a reader may read; step 8 refuses others. */
export async function readTables(
  reading: Reading,
  nodes: readonly TreeNode[],
): Promise<ReadTables> {
  return {
    searched: await eachOf(reading, searchedTables(nodes), (table) => typesOf(reading, table)),
    summed: await eachOf(reading, finalTables(nodes), (table) => summedOf(reading, table)),
  };
}

interface Table {
  readonly database: string;
  readonly name: string;
}

async function eachOf<Fact>(
  { session, query: { projectId } }: Reading,
  names: readonly string[],
  read: (table: Table) => Promise<Fact>,
): Promise<ReadonlyMap<string, Fact>> {
  const { databases } = session.place(projectId);
  const found = new Map<string, Fact>();
  for (const name of names) {
    const database = databases.find((each) => name.startsWith(`${each}.`));
    if (database === undefined) continue;
    try {
      found.set(name, await read({ database, name: name.slice(database.length + 1) }));
    } catch (error) {
      // A table of the engine Set cannot be read, and needs no check: no sorting key is used for it.
      if (!isFaultOfText(error)) throw error;
    }
  }
  return found;
}

async function typesOf(
  { session, query, fault }: Reading,
  { database, name }: Table,
): Promise<readonly string[]> {
  const sql = `DESCRIBE (SELECT * FROM ${quoteName(database)}.${quoteName(name)})`;
  const columns = toColumns(await readerRows(session, { ...query, sql }, { fault }));
  return columns.map(({ type }) => type);
}

/** Empty for a table of another engine. */
async function summedOf(
  { session, query, fault }: Reading,
  { database, name }: Table,
): Promise<readonly string[]> {
  const sql = `SELECT name, type, (SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = {name:String} AND engine LIKE '%SummingMergeTree') AS engine
    FROM system.columns WHERE database = {database:String} AND table = {name:String} AND engine != ''
    AND NOT is_in_sorting_key AND NOT is_in_partition_key AND default_kind NOT IN ('ALIAS', 'EPHEMERAL')`;
  const params = formatTexts({ database, name });
  const rows = await readerRows(session, { ...query, sql, params }, { fault });
  const [engineFull = ''] = rows.map(([, , engine]) => String(engine));
  return summedColumns(engineFull, toColumns(rows));
}
