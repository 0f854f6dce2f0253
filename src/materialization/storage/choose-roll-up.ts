/** Estimates from the data whether a table should also store rows per period, and of which period. */
import {
  type MaterializationPlan,
  periodColumns,
  type RolledUp,
  type RollUp,
} from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { costOfPeriods, isWorthPeriods, type StoredSizes, savedMs } from './expected-saving.ts';
import {
  type ChosenStorage,
  distinctTuples,
  isWithin,
  readNumbers,
  type StorageRequest,
} from './measure-storage.ts';
import {
  groupedBy,
  periodsOf,
  rolledPlan,
  sampledRolledQuery,
  startOfPeriod,
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
  const { plan, maxRows } = request;
  const counted = await countPeriods(deps, request);
  const possible = counted.filter(
    ({ sizes: { rows, periodRows } }) =>
      periodRows <= maxShareOfRows * rows && isWithin(maxRows, rows + periodRows),
  );
  const [best] = possible.toSorted(
    (a, b) => savedMs(costOfPeriods(b.sizes)) - savedMs(costOfPeriods(a.sizes)),
  );
  if (best === undefined || !isWorthPeriods(costOfPeriods(best.sizes))) return null;
  const rolled = rolledPlan(plan, { column: best.column, period: best.period });
  if (rolled === null || !(await hasSameTypes(deps, request, rolled))) return null;
  const cost = costOfPeriods({ ...best.sizes, ...(await bytesOfStates(deps, request, best)) });
  return isWorthPeriods(cost) ? { plan: rolled, ms: cost.after } : null;
}

/** Estimates the number of rows for each column and period. */
async function countPeriods(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<readonly Sized[]> {
  const { rollUps = [] } = request.plan;
  const candidates: readonly Candidate[] = rollUps.flatMap((rollUp) =>
    periodsOf(rollUp.type).map((period) => ({ rollUp, column: rollUp.column, period })),
  );
  const [first] = rollUps;
  if (first === undefined) return [];
  const all = distinctTuples([...groupedBy(first), first.column]);
  const counts = candidates.flatMap(({ rollUp, column, period }) => {
    const start = startOfPeriod(column, rollUp.type, period);
    return [
      distinctTuples([...groupedBy(rollUp), start]),
      distinctTuples([start]),
      distinctTuples(rollUp.chosen),
    ];
  });
  const sql = `SELECT ${[all, ...counts].join(', ')} FROM (${first.ungrouped})`;
  const [rows = 0, ...found] = await readNumbers(deps, request, sql);
  return candidates.map((candidate, at) => {
    const [periodRows = 0, periods = 0, values = 0] = found.slice(3 * at, 3 * at + 3);
    const hasKeys = candidate.rollUp.others.some(({ name }) => /^__[ck]\d+$/.test(name));
    const sizes: StoredSizes = {
      ...{ rows, periodRows, periods, values, hasKeys },
      ...{ bytes: 0, periodBytes: 0 },
    };
    return { ...candidate, sizes };
  });
}

/** Sizes of states are measured on a sample of about this many rows, and of at least this many rows of periods. */
const sampledRows = 100_000;
const sampledPeriods = 100;

/** A set's state grows with the values added to it, so merging days to months saves rows but no bytes of such states. */
async function bytesOfStates(
  { engine }: MaterializationDeps,
  { projectId, plan, signal }: StorageRequest,
  { rollUp, sizes, ...rolledUp }: Sized,
): Promise<Pick<StoredSizes, 'bytes' | 'periodBytes'>> {
  const states = rollUp.others.filter(({ merge }) => /MergeState\b/.test(merge ?? ''));
  const most = Math.min(sizes.rows / sampledRows, sizes.periodRows / sampledPeriods);
  const every = Math.max(1, Math.floor(most));
  const sql = sampledRolledQuery(plan, rolledUp, every);
  if (states.length === 0 || sql === null) return { bytes: 0, periodBytes: 0 };
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
  rolled: MaterializationPlan,
): Promise<boolean> {
  const [own, others] = await Promise.all(
    [plan, rolled].map(({ storedQuery }) => engine.analysis(projectId).describe(storedQuery, {})),
  );
  const types = new Map(others?.map(({ name, type }) => [name, type]));
  return own?.every(({ name, type }) => types.get(name) === type) ?? false;
}
