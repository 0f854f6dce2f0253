/** Chooses from the data how a plan's rows are stored, where there are alternatives. */
import { ServiceError } from '../../errors/service-error.ts';
import { hasTop, isRolledUp, type MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';
import { chooseCounts, countedPlan } from './choose-counts.ts';
import { chooseRollUp } from './choose-roll-up.ts';
import { chooseTopGroups } from './choose-top-groups.ts';
import type { ChosenStorage, StorageRequest } from './measure-storage.ts';
import { withKeysOf, withOrderedKeys } from './order-keys.ts';
import { rolledPlan } from './rolled-plan.ts';
import { topPlan } from './top-plan.ts';

type Choose<T> = (deps: MaterializationDeps, request: StorageRequest) => Promise<T | null>;

/** The plan with the storage that has the lowest estimated cost of a run. */
export async function withStorage(
  deps: MaterializationDeps,
  request: StorageRequest,
): Promise<MaterializationPlan> {
  const { plan } = request;
  const found: ChosenStorage[] = [];
  if (plan.distinctCounts !== undefined) found.push(...(await tryOne(deps, request, chooseCounts)));
  if (plan.rollUps !== undefined) found.push(...(await tryOne(deps, request, chooseRollUp)));
  if (plan.topGroups !== undefined) found.push(...(await tryOne(deps, request, chooseTopGroups)));
  const [best] = found.toSorted((a, b) => a.ms - b.ms);
  if (best !== undefined) return decidedPlan(best.plan);
  if (plan.anyOrder === undefined) return plainPlan(plan);
  const [ordered = plan] = await tryOne(deps, request, withOrderedKeys);
  return plainPlan(ordered);
}

/** Ignores an alternative whose statistics exceed the query limits. */
async function tryOne<T>(
  deps: MaterializationDeps,
  request: StorageRequest,
  choose: Choose<T>,
): Promise<readonly T[]> {
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

/** The plan that stores its rows in the plain way. */
export function plainPlan(plan: MaterializationPlan): MaterializationPlan {
  return decidedPlan(plan);
}

export function isPlain(plan: MaterializationPlan): boolean {
  return !isRolledUp(plan) && plan.countsDistinct !== true && !hasTop(plan);
}

/** Records of each alternative that was not chosen that it was not. */
function decidedPlan({
  distinctCounts,
  topGroups,
  ...plan
}: MaterializationPlan): MaterializationPlan {
  return {
    ...(plan.rollUps === undefined ? {} : { rolledUp: null }),
    ...(distinctCounts === undefined ? {} : { countsDistinct: false }),
    ...(topGroups === undefined ? {} : { topThreshold: null }),
    ...plan,
  };
}

/** Applies the storage decided for an earlier plan; null if that plan does not fit this one. */
export function decidedAgain(
  plan: MaterializationPlan,
  decided: MaterializationPlan | null,
): MaterializationPlan | null {
  const { anyOrder, distinctCounts, rollUps, topGroups } = plan;
  const { countsDistinct, rolledUp, topThreshold } = decided ?? {};
  const isUndecided =
    (anyOrder !== undefined && decided?.anyOrder === undefined) ||
    (distinctCounts !== undefined && countsDistinct === undefined) ||
    (rollUps !== undefined && rolledUp === undefined) ||
    (topGroups !== undefined && topThreshold === undefined);
  if (isUndecided) return null;
  if (distinctCounts !== undefined && countsDistinct === true)
    return decidedPlan(countedPlan(plan, distinctCounts));
  if (topGroups !== undefined && typeof topThreshold === 'string')
    return decidedPlan(topPlan(plan, topGroups, topThreshold));
  if (rollUps === undefined || rolledUp === null || rolledUp === undefined) {
    const isOrdered = anyOrder !== undefined && decided !== null;
    return decidedPlan(isOrdered ? withKeysOf(plan, decided) : plan);
  }
  // Plans of earlier releases have one instead of a list.
  const again = rolledPlan(plan, [rolledUp].flat());
  return again === null ? null : decidedPlan(again);
}
