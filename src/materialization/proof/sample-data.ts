/** Rows of a stored table from which values of variables are chosen. */
import { syncShare } from '../../access/admission/admission.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import type { MaterializationDeps } from '../deps.ts';
import { type SampledData, sampledColumns } from './choose-samples.ts';
import type { ProofRequest } from './proof-request.ts';

const maxSampled = 64;
/** Larger tables are first reduced to about so many rows by their hashes. */
const maxCandidates = 20_000;

type Rows = readonly (readonly unknown[])[];

/** Distinct rows from all over the table, and the lowest and highest value of each column. */
export async function sampleData(
  deps: MaterializationDeps,
  proof: ProofRequest,
): Promise<SampledData> {
  const columns = sampledColumns(proof.plan).map(quoteName);
  if (columns.length === 0) return { columns: [], rows: [] };
  const list = columns.join(', ');
  const every = Math.max(1, Math.floor(proof.rows / maxCandidates));
  const sampled = await query(
    deps,
    proof,
    `SELECT DISTINCT ${list} FROM ${proof.table} WHERE sipHash64(${list}) % ${every} = 0 ORDER BY sipHash64(${list}) LIMIT ${maxSampled}`,
  );
  const ends = proof.rows === 0 ? [] : await findEnds(deps, proof, columns);
  return {
    rows: sampled.rows,
    columns: sampled.columns.map(({ type }, at) => ({
      type,
      lowest: ends[2 * at] ?? null,
      highest: ends[2 * at + 1] ?? null,
    })),
  };
}

/** Empty where a column's type has no order. */
async function findEnds(
  deps: MaterializationDeps,
  proof: ProofRequest,
  columns: readonly string[],
): Promise<readonly unknown[]> {
  const ends = columns.map((column) => `min(${column}), max(${column})`).join(', ');
  try {
    const { rows } = await query(deps, proof, `SELECT ${ends} FROM ${proof.table}`);
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
