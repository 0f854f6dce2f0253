/** Estimates from the data whether tables should also store rows per period, and of which period. */
import {
  type MaterializationPlan,
  periodColumns,
  type RolledUp,
  type RollUp,
  tablesOf,
} from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { isInteger } from '../planner/ranges.ts';
import { isGroupColumn } from '../planner/stored-columns.ts';
import { costOfPeriods, isWorthPeriods, type StoredSizes, savedMs } from './expected-saving.ts';
import {
  type ChosenStorage,
  distinctTuples,
  isWithin,
  readNumbers,
  type StorageRequest,
} from './measure-storage.ts';
import {
  groupColumnsOf,
  periodsOf,
  rolledPlan,
  sampledRolledQuery,
  startOfPeriod,
  storedQueryOf,
} from './rolled-plan.ts';

interface Candidate extends RolledUp {
  readonly rollUp: RollUp;
}

interface Sized extends Candidate {
  readonly sizes: StoredSizes;
}

/** Maximum rows of periods as a share of the other rows. */
const maxShareOfRows = 1 / 8;

/** Null if no period is worth it. */
export async function chooseRollUp(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<ChosenStorage | null> {
  const { plan } = request;
  const byTable = Map.groupBy(plan.rollUps ?? [], ({ table }) => table);
  const chosen = new Map<number, ChosenPeriod>();
  for (const [table, rollUps] of byTable) {
    const best = await chooseForTable(deps, request, rollUps);
    if (best !== null) chosen.set(table, best);
  }
  const periods = [...chosen.values()];
  const rolledUp = periods.map(({ column, period }) => ({ column, period }));
  const rolled = periods.length === 0 ? null : rolledPlan(plan, rolledUp);
  if (rolled === null || !(await areWithin(deps, request, chosen))) return null;
  return { plan: rolled, ms: sumOf(periods.map(({ ms }) => ms)) };
}

/** Whether all tables together keep to the row limit. */
async function areWithin(
  deps: MaterializationDeps,
  request: StorageRequest,
  chosen: ReadonlyMap<number, ChosenPeriod>,
): Promise<boolean> {
  const others = tablesOf(request.plan).filter((_table, at) => !chosen.has(at));
  const counts = others.map(({ storedQuery }) => `(SELECT count() FROM (${storedQuery}))`);
  const known =
    counts.length === 0 ? [] : await readNumbers(deps, request, `SELECT ${counts.join(', ')}`);
  const rows = [...chosen.values()].map((one) => one.rows);
  return isWithin(request.maxRows, sumOf([...rows, ...known]));
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

interface ChosenPeriod extends RolledUp {
  readonly ms: number;
  /** Of the table, with those of periods. */
  readonly rows: number;
}

async function chooseForTable(
  deps: MaterializationDeps,
  request: StorageRequest,
  rollUps: readonly RollUp[],
): Promise<ChosenPeriod | null> {
  const { plan, maxRows } = request;
  const counted = await countPeriods(deps, request, rollUps);
  const possible = counted.filter(
    ({ sizes: { rows, periodRows } }) =>
      periodRows <= maxShareOfRows * rows && isWithin(maxRows, rows + periodRows),
  );
  const [best] = possible.toSorted(
    (a, b) => savedMs(costOfPeriods(b.sizes)) - savedMs(costOfPeriods(a.sizes)),
  );
  if (best === undefined || !isWorthPeriods(costOfPeriods(best.sizes))) return null;
  const { column, period, sizes } = best;
  const rolled = rolledPlan(plan, [{ column, period }]);
  if (rolled === null || !(await hasSameTypes(deps, request, { rolled, best }))) return null;
  const cost = costOfPeriods({ ...sizes, ...(await bytesOfStates(deps, request, best)) });
  const rows = sizes.rows + sizes.periodRows;
  return isWorthPeriods(cost) ? { column, period, ms: cost.after, rows } : null;
}

/** Estimates the number of rows for each column and period. */
async function countPeriods(
  deps: MaterializationDeps,
  request: StorageRequest,
  rollUps: readonly RollUp[],
): Promise<readonly Sized[]> {
  const [first] = rollUps;
  if (first === undefined) return [];
  const spans = await spansOf(deps, request, rollUps);
  const candidates: readonly Candidate[] = rollUps.flatMap((rollUp, at) =>
    periodsOf(rollUp.type, spans[at] ?? 0).map((period) => ({
      rollUp,
      column: rollUp.column,
      period,
    })),
  );
  if (candidates.length === 0) return [];
  const all = distinctTuples([...groupColumnsOf(first), first.column]);
  const counts = candidates.flatMap(({ rollUp, column, period }) => {
    const start = startOfPeriod(column, rollUp.type, period);
    return [
      distinctTuples([...groupColumnsOf(rollUp), start]),
      distinctTuples([start]),
      distinctTuples(rollUp.chosen),
    ];
  });
  const sql = `SELECT ${[all, ...counts].join(', ')} FROM (${first.ungrouped})`;
  const [rows = 0, ...found] = await readNumbers(deps, request, sql);
  return candidates.map((candidate, at) => {
    const [periodRows = 0, periods = 0, values = 0] = found.slice(3 * at, 3 * at + 3);
    const hasKeys = candidate.rollUp.others.some(({ name }) => isGroupColumn(name));
    const sizes: StoredSizes = {
      ...{ rows, periodRows, periods, values, hasKeys },
      ...{ bytes: 0, periodBytes: 0 },
    };
    return { ...candidate, sizes };
  });
}

/** Of each column, if it has integers, the difference between its greatest and its least value. */
async function spansOf(
  deps: MaterializationDeps,
  request: StorageRequest,
  rollUps: readonly RollUp[],
): Promise<readonly number[]> {
  const spans = rollUps.map(({ column, type }) =>
    isInteger(type) ? `ifNull(toFloat64(max(${column})) - toFloat64(min(${column})), 0)` : '0',
  );
  const [first] = rollUps.filter(({ type }) => isInteger(type));
  if (first === undefined) return [];
  return readNumbers(deps, request, `SELECT ${spans.join(', ')} FROM (${first.ungrouped})`);
}

/** Sizes of states are measured on a sample of about this many rows, and of at least this many rows of periods. */
const sampledRows = 100_000;
const sampledPeriods = 100;

/** A set's state grows with the values added to it, so merging days to months saves rows but no bytes of such states. */
async function bytesOfStates(
  { engine }: MaterializationDeps,
  { projectId, plan, signal }: StorageRequest,
  { sizes, ...rolledUp }: Sized,
): Promise<Pick<StoredSizes, 'bytes' | 'periodBytes'>> {
  const states = rolledUp.rollUp.others.filter(({ merge }) => /MergeState\b/.test(merge ?? ''));
  const most = Math.min(sizes.rows / sampledRows, sizes.periodRows / sampledPeriods);
  const every = Math.max(1, Math.floor(most));
  const sql = sampledRolledQuery(plan, rolledUp, every);
  if (states.length === 0) return { bytes: 0, periodBytes: 0 };
  const columns = states.map(({ name }) => name);
  const [bytes, periodBytes] = await engine.sizeStates(
    { projectId, sql, params: {}, columns, by: periodColumns.level },
    signal,
  );
  return { bytes: every * bytes, periodBytes: every * periodBytes };
}

/** Whether merging keeps every column's type. */
async function hasSameTypes(
  { engine }: MaterializationDeps,
  { projectId, plan }: StorageRequest,
  { rolled, best }: { readonly rolled: MaterializationPlan; readonly best: Candidate },
): Promise<boolean> {
  const analysis = engine.analysis(projectId);
  const [own, others] = await Promise.all(
    [plan, rolled].map((one) => analysis.describe(storedQueryOf(one, best.rollUp.table), {})),
  );
  const types = new Map(others?.map(({ name, type }) => [name, type]));
  return own?.every(({ name, type }) => types.get(name) === type) ?? false;
}
