/** Decides by the data whether a table stores whole periods as well, and which. */
import { syncShare } from '../../access/admission/admission.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { uuidv7 } from '../../lib/ids.ts';
import {
  type MaterializationPlan,
  periodColumns,
  type RolledUp,
  type RollUp,
} from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { isWorthIt, type StoredSizes, savedMs } from './expected-saving.ts';
import {
  groupedBy,
  periodsOf,
  rolledPlan,
  sampledRolledQuery,
  startOfPeriod,
} from './rolled-plan.ts';

interface RollUpRequest {
  readonly projectId: number;
  readonly plan: MaterializationPlan;
  /** Rows that the table may have. */
  readonly maxRows: number;
  readonly signal: AbortSignal;
}

interface Candidate extends RolledUp {
  readonly rollUp: RollUp;
}

interface Sized extends Candidate {
  readonly sizes: StoredSizes;
}

/** Rows of periods may be this share of the others. */
const maxShareOfRows = 1 / 8;
/** How far rows are estimated too low at most: a table with periods must not pass a limit that one without them keeps. */
const margin = 1.05;

/** The plan with the decision in it. Where the data cannot be counted within the limits of a query, periods are not stored. */
export async function withRollUp(
  deps: MaterializationDeps,
  request: RollUpRequest,
): Promise<MaterializationPlan> {
  const { plan, signal } = request;
  if (plan.rollUps === undefined) return plan;
  const none = { ...plan, rolledUp: null };
  try {
    return (await choose(deps, request)) ?? none;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    deps.log.debug({ err: error }, 'periods of a stored table were not counted');
    return none;
  }
}

async function choose(
  deps: MaterializationDeps,
  request: RollUpRequest,
): Promise<MaterializationPlan | null> {
  const { plan, maxRows } = request;
  const counted = await countPeriods(deps, request);
  const possible = counted.filter(
    ({ sizes: { rows, periodRows } }) =>
      periodRows <= maxShareOfRows * rows && margin * (rows + periodRows) <= maxRows,
  );
  const [best] = possible.toSorted((a, b) => savedMs(b.sizes) - savedMs(a.sizes));
  if (best === undefined || !isWorthIt(best.sizes)) return null;
  const rolled = rolledPlan(plan, { column: best.column, period: best.period });
  if (rolled === null || !(await hasSameTypes(deps, request, rolled))) return null;
  const sizes = { ...best.sizes, ...(await bytesOfStates(deps, request, best)) };
  return isWorthIt(sizes) ? rolled : null;
}

/** For each column and period how many rows there would be. */
async function countPeriods(
  deps: MaterializationDeps,
  request: RollUpRequest,
): Promise<readonly Sized[]> {
  const { rollUps = [] } = request.plan;
  const candidates: readonly Candidate[] = rollUps.flatMap((rollUp) =>
    periodsOf(rollUp.type).map((period) => ({ rollUp, column: rollUp.column, period })),
  );
  const [first] = rollUps;
  if (first === undefined) return [];
  const all = distinct([...groupedBy(first), first.column]);
  const counts = candidates.flatMap(({ rollUp, column, period }) => {
    const start = startOfPeriod(column, rollUp.type, period);
    return [distinct([...groupedBy(rollUp), start]), distinct([start]), distinct(rollUp.chosen)];
  });
  const sql = `SELECT ${[all, ...counts].join(', ')} FROM (${first.ungrouped})`;
  const [[rows = 0, ...found] = []] = await readNumbers(deps, request, sql);
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

/** An estimate of the distinct tuples; NULL counts as a value. */
function distinct(expressions: readonly string[]): string {
  return expressions.length === 0 ? '1' : `uniq(tuple(${expressions.join(', ')}))`;
}

/** States of about so many rows are measured, and those of so many periods at least. */
const sampledRows = 100_000;
const sampledPeriods = 100;

/** A set is as large as what was added to it: merging days to months saves rows, and nothing of such a state. */
async function bytesOfStates(
  { engine }: MaterializationDeps,
  { projectId, plan, signal }: RollUpRequest,
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

/** Merging must not change what a column is. */
async function hasSameTypes(
  { engine }: MaterializationDeps,
  { projectId, plan }: RollUpRequest,
  rolled: MaterializationPlan,
): Promise<boolean> {
  const [own, others] = await Promise.all(
    [plan, rolled].map(({ storedQuery }) => engine.analysis(projectId).describe(storedQuery, {})),
  );
  const types = new Map(others?.map(({ name, type }) => [name, type]));
  return own?.every(({ name, type }) => types.get(name) === type) ?? false;
}

async function readNumbers(
  { engine, clock }: MaterializationDeps,
  { projectId, signal }: RollUpRequest,
  sql: string,
): Promise<readonly (readonly number[])[]> {
  const queryId = uuidv7(clock.now());
  const result = { limit: 1, offset: 0, integers: 'number', share: syncShare } as const;
  const { rows } = await engine.query({ projectId, sql, params: {}, queryId, ...result }, signal);
  return JSON.parse(rows.toString('utf8')) as number[][];
}

/** A plan that has been decided for the same query before stays as it is: null where it is another. */
export function decidedAgain(
  plan: MaterializationPlan,
  decided: MaterializationPlan | null,
): MaterializationPlan | null {
  if (plan.rollUps === undefined) return plan;
  const rolledUp = decided?.rolledUp;
  if (rolledUp === undefined) return null;
  return rolledUp === null ? { ...plan, rolledUp } : rolledPlan(plan, rolledUp);
}
