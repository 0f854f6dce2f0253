/** What the engine says of tables that a text reads, as far as the resolved tree does not state it and a rule needs it. */

import { formatTexts } from '../../../sql/param-value.ts';
import type { TreeNode } from '../../../sql/query-tree.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { type Fault, isFaultOfText } from '../errors/translate-error.ts';
import { readerRows, type Session, toColumns } from '../http/session.ts';
import { plainName } from './parse/lexed-text.ts';
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

/** A materialized view reads its table, and a Distributed table others, which may do so again. */
const MAX_READ_BEHIND = 3;

/** Empty for a table of another engine. */
async function summedOf(reading: Reading, table: Table, behind = 0): Promise<readonly string[]> {
  const { session, query, fault } = reading;
  const params = formatTexts({ ...table });
  const send = (sql: string) => readerRows(session, { ...query, sql, params }, { fault });
  const [row = []] = await send(
    'SELECT engine, engine_full, toString(uuid), create_table_query FROM system.tables WHERE database = {database:String} AND name = {name:String}',
  );
  const [engine = '', engineFull = '', uuid = '', created = ''] = row.map(String);
  if (!engine.endsWith('SummingMergeTree')) {
    const read = readBy(engine, { engineFull, uuid, created }, table);
    return read === null || behind === MAX_READ_BEHIND ? [] : summedOf(reading, read, behind + 1);
  }
  const columns = `SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {name:String}
    AND NOT is_in_sorting_key AND NOT is_in_partition_key AND default_kind NOT IN ('ALIAS', 'EPHEMERAL')`;
  return summedColumns(engineFull, toColumns(await send(columns)));
}

interface Described {
  readonly engineFull: string;
  readonly uuid: string;
  /** The statement that creates the table. */
  readonly created: string;
}

const NAME = String.raw`(\w+|\`(?:[^\`\\]|\\.)+\`)`;
const TARGET = new RegExp(String.raw`^CREATE MATERIALIZED VIEW \S+ TO ${NAME}\.${NAME}`);
const DISTRIBUTED = /^Distributed\('[^']*', '([^'\\]+)', '([^'\\]+)'/;

/** The table that it reads instead of rows of its own; null if there is none. */
function readBy(
  engine: string,
  { engineFull, uuid, created }: Described,
  { database }: Table,
): Table | null {
  if (engine !== 'MaterializedView' && engine !== 'Distributed') return null;
  const found = engine === 'Distributed' ? DISTRIBUTED.exec(engineFull) : TARGET.exec(created);
  const [, inDatabase = '', name = ''] = found ?? [];
  if (name !== '') return { database: plainName(inDatabase), name: plainName(name) };
  return engine === 'MaterializedView' ? { database, name: `.inner_id.${uuid}` } : null;
}
