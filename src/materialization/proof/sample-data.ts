/** Samples rows of a stored table to choose values of variables from. */
import { syncShare } from '../../access/admission/admission.ts';
import { RowFault } from '../../engine/row-fault.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { isSplit, nameOfTable } from '../../model/materialization-plan.ts';
import { listVariables } from '../../query/variables.ts';
import { enumMembers, parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ProofRequest } from './proof-request.ts';
import { comparedVariables, type SampledData, sampledColumns } from './sampled-variables.ts';

const maxSampled = 64;
/** Larger tables are first reduced to about this many rows by hash. */
const maxCandidates = 20_000;
const maxMembers = 3;

type Rows = readonly (readonly unknown[])[];

/**
 * Distinct rows from all parts of the tables, and the lowest and highest value of each column.
 *
 * @param tableOf the table with a number, or a parenthesized SELECT in its place.
 */
export async function sampleData(
  deps: MaterializationDeps,
  proof: ProofRequest,
  tableOf = (number: number) => nameOfTable(proof.table, number),
): Promise<SampledData> {
  const columns = sampledColumns(proof.plan);
  const samples = new Map<number, SampledData>();
  for (const [number, own] of Map.groupBy(columns, ({ table }) => table)) {
    const texts = own.map(({ column }) => column);
    samples.set(number, await sampleTable(deps, proof, { table: tableOf(number), columns: texts }));
  }
  const places = columns.map(({ table, column }) => ({
    sample: samples.get(table),
    at: columns.filter((other) => other.table === table).findIndex((o) => o.column === column),
  }));
  return {
    members: await membersOf(deps, proof, tableOf(0)),
    columns: places.map(({ sample, at }) => sample?.columns[at] ?? unknownColumn),
    rows: byPosition(places),
  };
}

/**
 * Enum members, for a variable used in expressions evaluated at read time, as in HAVING: it may accept no other
 * string.
 */
async function membersOf(
  deps: MaterializationDeps,
  { projectId, plan, query }: ProofRequest,
  table: string,
): Promise<readonly string[]> {
  const compared = new Set(comparedVariables(plan).map(({ variable }) => variable));
  if (listVariables(query).every(({ name }) => compared.has(name))) return [];
  const columns = await deps.engine.analysis(projectId).describe(`SELECT * FROM ${table}`, {});
  const types = columns.map(({ type }) => withoutWrappers(parseClickHouseType(type)));
  const members = types.flatMap((type) => (type.name.startsWith('Enum') ? enumMembers(type) : []));
  return [...new Set(members)].slice(0, maxMembers);
}

const unknownColumn = { type: 'String', lowest: null, highest: null };

interface TableToSample {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Without values of a column whose expression fails for a row. */
async function sampleTable(
  deps: MaterializationDeps,
  proof: ProofRequest,
  { table, columns }: TableToSample,
): Promise<SampledData> {
  try {
    return await sampleColumns(deps, proof, { table, columns });
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
  }
  if (columns.length === 1) return { members: [], rows: [], columns: [unknownColumn] };
  const samples: SampledData[] = [];
  for (const column of columns) {
    samples.push(await sampleTable(deps, proof, { table, columns: [column] }));
  }
  return {
    members: [],
    columns: samples.flatMap((sample) => sample.columns),
    rows: byPosition(samples.map((sample) => ({ sample, at: 0 }))),
  };
}

interface Place {
  readonly sample: SampledData | undefined;
  readonly at: number;
}

/** Rows of several samples, combined by their position; a shorter one begins again. */
function byPosition(places: readonly Place[]): Rows {
  const rows = Math.max(0, ...places.map(({ sample }) => sample?.rows.length ?? 0));
  return Array.from({ length: rows }, (_none, row) =>
    places.map(({ sample, at }) => sample?.rows[row % sample.rows.length]?.[at] ?? null),
  );
}

async function sampleColumns(
  deps: MaterializationDeps,
  proof: ProofRequest,
  { table, columns }: TableToSample,
): Promise<SampledData> {
  const list = columns.join(', ');
  const counted = isSplit(proof.plan)
    ? Number((await query(deps, proof, `SELECT count() FROM ${table}`)).rows[0]?.[0])
    : proof.rows;
  const every = Math.max(1, Math.floor(counted / maxCandidates));
  const sampled = await query(
    deps,
    proof,
    `SELECT DISTINCT ${list} FROM ${table} WHERE sipHash64(${list}) % ${every} = 0 ORDER BY sipHash64(${list}) LIMIT ${maxSampled}`,
  );
  const ends = counted === 0 ? [] : await findEnds(deps, proof, { table, columns });
  return {
    members: [],
    rows: sampled.rows,
    columns: sampled.columns.map(({ type }, at) => ({
      type,
      lowest: ends[2 * at] ?? null,
      highest: ends[2 * at + 1] ?? null,
    })),
  };
}

/** Empty if a column's type is not ordered. */
async function findEnds(
  deps: MaterializationDeps,
  proof: ProofRequest,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
): Promise<readonly unknown[]> {
  const ends = columns.map((column) => `min(${column}), max(${column})`).join(', ');
  try {
    const { rows } = await query(deps, proof, `SELECT ${ends} FROM ${table}`);
    return rows[0] ?? [];
  } catch (error) {
    if (isTextError(error)) return [];
    throw error;
  }
}

async function query(deps: MaterializationDeps, { projectId, signal }: ProofRequest, sql: string) {
  const result = await deps.engine.query(
    {
      projectId,
      sql,
      params: {},
      queryId: uuidv7(deps.clock.now()),
      limit: maxSampled,
      offset: 0,
      integers: 'string',
      share: syncShare,
    },
    signal,
  );
  return { columns: result.columns, rows: JSON.parse(result.rows.toString('utf8')) as Rows };
}
