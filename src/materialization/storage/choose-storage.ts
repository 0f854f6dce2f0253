/** Chooses from the data how a plan's rows are stored, where there are alternatives. */
import { ServiceError } from '../../errors/service-error.ts';
import { isRolledUp, type MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { chooseCounts, countedPlan } from './choose-counts.ts';
import { chooseRollUp } from './choose-roll-up.ts';
import type { ChosenStorage, StorageRequest } from './measure-storage.ts';
import { rolledPlan } from './rolled-plan.ts';

type Choose = (deps: MaterializationDeps, request: StorageRequest) => Promise<ChosenStorage | null>;

/** The plan with the storage that has the lowest estimated cost of a run. */
export async function withStorage(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<MaterializationPlan> {
  const { plan } = request;
  const found: ChosenStorage[] = [];
  if (plan.distinctCounts !== undefined) found.push(...(await tryOne(deps, request, chooseCounts)));
  if (plan.rollUps !== undefined) found.push(...(await tryOne(deps, request, chooseRollUp)));
  const [best] = found.toSorted((a, b) => a.ms - b.ms);
  return best === undefined ? plainPlan(plan) : decidedPlan(best.plan);
}

/** Ignores an alternative whose statistics exceed the query limits. */
async function tryOne(
  deps: MaterializationDeps,
  request: StorageRequest,
  choose: Choose,
): Promise<readonly ChosenStorage[]> {
  try {
    const chosen = await choose(deps, request);
    return chosen === null ? [] : [chosen];
  } catch (error) {
    request.signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    deps.log.debug({ err: error }, 'the rows of a stored table were not counted');
    return [];
  }
}

/** The plan without rows of periods and without counts. */
export function plainPlan(plan: MaterializationPlan): MaterializationPlan {
  return decidedPlan(plan.rollUps === undefined ? plan : { ...plan, rolledUp: null });
}

export function isPlain(plan: MaterializationPlan): boolean {
  return !isRolledUp(plan) && plan.countsDistinct !== true;
}

/** Records `countsDistinct: false` for a plan that could have stored counts. */
function decidedPlan({ distinctCounts, ...plan }: MaterializationPlan): MaterializationPlan {
  return distinctCounts === undefined ? plan : { ...plan, countsDistinct: false };
}

/** Applies the storage decided for an earlier plan; null if that plan does not fit this one. */
export function decidedAgain(
  plan: MaterializationPlan,
  decided: MaterializationPlan | null,
): MaterializationPlan | null {
  const { distinctCounts, rollUps } = plan;
  if (distinctCounts !== undefined) {
    if (decided?.countsDistinct === undefined) return null;
    if (decided.countsDistinct) return countedPlan(plan, distinctCounts);
  }
  if (rollUps === undefined) return decidedPlan(plan);
  const rolledUp = decided?.rolledUp;
  if (rolledUp === undefined) return null;
  const again = rolledUp === null ? { ...plan, rolledUp } : rolledPlan(plan, rolledUp);
  return again === null ? null : decidedPlan(again);
}
