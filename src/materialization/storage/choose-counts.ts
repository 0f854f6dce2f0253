/** Estimates from the data whether a table should store counts of distinct values instead of sets of them. */
import type { DistinctCounts, MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { isGroupColumn } from '../planner/stored-columns.ts';
import { type CountSizes, costOfCounts, isWorthCounts } from './expected-saving.ts';
import {
  type ChosenStorage,
  distinctTuples,
  readNumbers,
  type StorageRequest,
} from './measure-storage.ts';

/** Null if counts are not worth it. */
export async function chooseCounts(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<ChosenStorage | null> {
  const { distinctCounts } = request.plan;
  if (distinctCounts === undefined) return null;
  const cost = costOfCounts(await measure(deps, request, distinctCounts));
  if (!isWorthCounts(cost)) return null;
  const plan = countedPlan(request.plan, distinctCounts);
  return (await hasTypes(deps, request, plan)) ? { plan, ms: cost.after } : null;
}

/** Whether the join keeps every column's type. */
async function hasTypes(
  { engine }: MaterializationDeps,
  { projectId, plan: { distinctCounts } }: StorageRequest,
  { storedQuery }: MaterializationPlan,
): Promise<boolean> {
  const found = await engine.analysis(projectId).describe(storedQuery, {});
  const expected = distinctCounts?.columns ?? [];
  return expected.every(
    ({ name, type }, at) => found[at]?.name === name && found[at].type === type,
  );
}

async function measure(
  deps: MaterializationDeps,
  request: StorageRequest,
  { column, keys, chosen, values, counted }: DistinctCounts,
): Promise<CountSizes> {
  const found = await readNumbers(
    deps,
    request,
    `SELECT ${[
      distinctTuples([...keys, column]),
      distinctTuples(keys),
      distinctTuples(chosen),
      ...counted.map((value) => distinctTuples([...keys, column, value])),
    ].join(', ')} FROM (${values})`,
  );
  const [rows = 0, groups = 0, chosenValues = 0, ...elements] = found;
  // Upper bound of a group's pairs of points.
  const pairs = (rows * (rows / Math.max(1, groups) + 1)) / 2;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    rows,
    elements: sum(elements),
    counts: sum(elements.map((each) => Math.min(each, pairs))),
    values: chosenValues,
    hasKeys: keys.some(isGroupColumn),
  };
}

/** The plan of a table that stores counts. */
export function countedPlan(
  plan: MaterializationPlan,
  { storedQuery, readQuery, aggregates }: DistinctCounts,
): MaterializationPlan {
  return { ...plan, storedQuery, readQuery, aggregates, countsDistinct: true };
}
