import type { KeyUseRecorder } from '../../access/deps.ts';
import { getProject } from '../../access/get-project.ts';
import { type Principal, requireScope } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { maxCacheAgeSeconds } from '../../endpoints/endpoint-input.ts';
import type { BackgroundWork } from '../../lib/background-work.ts';
import type { MaterializationDeps } from '../../materialization/deps.ts';
import type { AdviceStore, CostlyEndpoint } from '../../store/advice-store.ts';
import type { UsageDeps } from '../deps.ts';
import {
  type Advice,
  type AdviceKind,
  adviceDays,
  adviseCacheAge,
  adviseMaterializing,
  adviseOldVersion,
  adviseUnused,
  adviseVariables,
} from './advice.ts';
import type { MeasuredGains } from './measured-gains.ts';

export interface AdviceDeps extends UsageDeps, MaterializationDeps {
  readonly background: BackgroundWork;
  readonly recorder: KeyUseRecorder & { flush(): Promise<void> };
  readonly adviceStore: AdviceStore;
  readonly gains: MeasuredGains;
}

/** Maximum per kind. */
const maxAdvice = 100;
/** Gains are measured for this many. */
const maxCostly = 10;
/** Fewer are not significant. */
const fewest = { recomputed: 10, executions: 20 } as const;
/** A stored table with a smaller gain is not worth its syncs. */
const leastGain = 1.5;

/** Suggestions for a project's authors from its recorded usage; most significant first within each kind. */
export async function adviseProject(
  deps: AdviceDeps,
  principal: Principal,
  projectId: string,
): Promise<readonly Advice[]> {
  requireScope(principal, 'endpoint:write');
  const { id } = await getProject(deps, principal, projectId);
  await Promise.all([deps.usage.flush(), deps.recorder.flush()]);
  const gainOf = (costly: CostlyEndpoint) =>
    deps.gains.find(deps, { ...costly, principal, projectId: id });
  return advise(deps, { projectId: id, now: deps.clock.now(), gainOf });
}

interface Question {
  readonly projectId: number;
  readonly now: Date;
  /** Null when not measured. A gain of null means that there is none. */
  readonly gainOf: (of: CostlyEndpoint) => { readonly expectedGain: number | null } | null;
}

export async function advise(
  { adviceStore, config }: { readonly adviceStore: AdviceStore; readonly config: Config },
  { projectId, now, gainOf }: Question,
): Promise<readonly Advice[]> {
  const of = (kind: AdviceKind, limit = maxAdvice) => {
    const since = new Date(now.getTime() - adviceDays[kind] * 86_400_000);
    return { projectId, since, limit };
  };
  const { recomputed, executions } = fewest;
  const { defaultCacheAgeSeconds } = config;
  const cacheAges = { defaultCacheAgeSeconds, maxCacheAgeSeconds };
  const [unused, old, steady, costly, variables] = await Promise.all([
    adviceStore.findUnused(of('unused_endpoint')),
    adviceStore.findOldVersionRuns(of('old_version')),
    adviceStore.findSteadyResults({ ...of('cache_age'), ...cacheAges, atLeast: recomputed }),
    adviceStore.findCostly({ ...of('materialize', maxCostly), atLeast: executions }),
    adviceStore.findUnusedVariables({ ...of('unused_variables'), atLeast: executions }),
  ]);
  return [
    ...unused.map(adviseUnused),
    ...old.map(adviseOldVersion),
    ...steady.map((one) => adviseCacheAge(one, defaultCacheAgeSeconds)),
    ...costly.flatMap((one) => materializing(one, gainOf(one))).toSorted(bySaving),
    ...variables.map(adviseVariables),
  ];
}

/** By the seconds that they would save, most first; those that are not measured yet come last, in their order. */
function bySaving(a: Advice, b: Advice): number {
  const saving = ({ facts }: Advice) => Number(facts.expected_saved_seconds ?? -1);
  return saving(b) - saving(a);
}

function materializing(
  of: CostlyEndpoint,
  measured: ReturnType<Question['gainOf']>,
): readonly Advice[] {
  if (measured === null) return [adviseMaterializing(of, null)];
  const { expectedGain } = measured;
  return expectedGain === null || expectedGain < leastGain
    ? []
    : [adviseMaterializing(of, expectedGain)];
}
