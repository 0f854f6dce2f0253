import type { GroupColumn } from '../../model/materialization-plan.ts';
import type { CompiledQuery } from '../../query/compile-query.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ProofRequest } from './proof-request.ts';

/** One in this many values is sampled, with all groups that have it. */
const sampleEvery = 61;
const maxSampled = 1000;
/** Larger sets of values are first reduced to about this many by hash. */
const maxCandidates = 20_000;

/** Restricts a result to the sampled groups, the same ones inline and stored. */
export type GroupSample = <S extends CompiledQuery>(statement: S) => S;

/**
 * Null if all groups must be compared. Samples the column with the most values, since each of them has the fewest
 * rows.
 */
export async function sampleGroups(
  deps: MaterializationDeps,
  proof: ProofRequest,
): Promise<GroupSample | null> {
  const { table, plan, rows } = proof;
  const counted = rows === 0 ? [] : await countValues(deps, proof, plan.groupColumns ?? []);
  const [most] = counted.toSorted((a, b) => b.values - a.values);
  if (most === undefined || most.values === 0) return null;
  const column = quoteName(most.column);
  const chosen = Math.min(maxSampled, Math.ceil(most.values / sampleEvery));
  const every = Math.max(1, Math.floor(most.values / maxCandidates));
  const list = `SELECT DISTINCT ${column} FROM ${table} WHERE sipHash64(${column}) % ${every} = 0 ORDER BY sipHash64(${column}) LIMIT ${chosen}`;
  return (statement) => ({
    ...statement,
    sql: `SELECT * FROM (\n${statement.sql}\n) WHERE ${quoteName(most.name)} IN (${list})`,
  });
}

interface Counted extends GroupColumn {
  /** Estimated number of distinct values, excluding NULL. */
  readonly values: number;
}

async function countValues(
  deps: MaterializationDeps,
  { projectId, table, signal }: ProofRequest,
  groupColumns: readonly GroupColumn[],
): Promise<readonly Counted[]> {
  if (groupColumns.length === 0) return [];
  const columns = groupColumns.map(({ column }) => column);
  const found = await deps.engine.countValues({ projectId, table, columns }, signal);
  return groupColumns.map((column, at) => ({ ...column, values: found[at] ?? 0 }));
}
