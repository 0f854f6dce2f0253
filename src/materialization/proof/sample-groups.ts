import type { GroupColumn } from '../../model/materialization-plan.ts';
import type { CompiledQuery } from '../../query/compile-query.ts';
import { quoteName } from '../../sql/quote-name.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { ProofRequest } from './proof-request.ts';

/** One value in so many is chosen, and with it every group that holds it. */
const oneIn = 61;
const maxChosen = 1000;
/** Values that the choice is made among, whatever the table holds. */
const amongValues = 20_000;

/** Leaves the chosen groups of a result, the same ones inline and stored. */
export type GroupSample = (statement: CompiledQuery) => CompiledQuery;

/** Null when all groups have to be compared. By the column of the most values, so that few rows are read for each. */
export async function sampleGroups(
  deps: MaterializationDeps,
  proof: ProofRequest,
): Promise<GroupSample | null> {
  const { table, plan, rows } = proof;
  const counted = rows === 0 ? [] : await countValues(deps, proof, plan.groupColumns ?? []);
  const [most] = counted.toSorted((a, b) => b.values - a.values);
  if (most === undefined || most.values === 0) return null;
  const column = quoteName(most.column);
  const chosen = Math.min(maxChosen, Math.ceil(most.values / oneIn));
  const every = Math.max(1, Math.floor(most.values / amongValues));
  const list = `SELECT DISTINCT ${column} FROM ${table} WHERE sipHash64(${column}) % ${every} = 0 ORDER BY sipHash64(${column}) LIMIT ${chosen}`;
  return ({ sql, params }) => ({
    sql: `SELECT * FROM (\n${sql}\n) WHERE ${quoteName(most.name)} IN (${list})`,
    params,
  });
}

interface Counted extends GroupColumn {
  /** About how many; NULL is none. */
  readonly values: number;
}

async function countValues(
  deps: MaterializationDeps,
  { projectId, table, signal }: ProofRequest,
  named: readonly GroupColumn[],
): Promise<readonly Counted[]> {
  if (named.length === 0) return [];
  const columns = named.map(({ column }) => column);
  const found = await deps.engine.countValues({ projectId, table, columns }, signal);
  return named.map((column, at) => ({ ...column, values: found[at] ?? 0 }));
}
