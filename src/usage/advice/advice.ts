/** Advice and its sentences. Pure. */
import type {
  CostlyEndpoint,
  OldVersionRuns,
  SteadyResult,
  UnusedEndpoint,
  UnusedVariables,
} from '../../store/advice-store.ts';
import type { UsageKey } from '../read-usage.ts';

export const adviceKinds = [
  'unused_endpoint',
  'old_version',
  'cache_age',
  'materialize',
  'unused_variables',
] as const;
export type AdviceKind = (typeof adviceKinds)[number];

/** A recorded fact that an endpoint's author may want to act on. */
export interface Advice {
  readonly kind: AdviceKind;
  readonly endpoint: string;
  readonly endpointId: string;
  readonly version: number;
  /** The key whose runs it concerns; null when it concerns no key. */
  readonly key: UsageKey | null;
  readonly detail: string;
  /** The values that it was computed from, by name. */
  readonly facts: Readonly<Record<string, string | number | readonly string[] | null>>;
}

/** How many past days each kind covers. */
export const adviceDays: Readonly<Record<AdviceKind, number>> = {
  unused_endpoint: 90,
  old_version: 30,
  cache_age: 7,
  materialize: 7,
  unused_variables: 30,
};

type AdviceContent = Pick<Advice, 'detail' | 'facts'> & { readonly key?: UsageKey };

function advice(
  kind: AdviceKind,
  of: Pick<Advice, 'endpoint' | 'endpointId' | 'version'>,
  { detail, facts, key }: AdviceContent,
): Advice {
  const { endpoint, endpointId, version } = of;
  return { kind, endpoint, endpointId, version, key: key ?? null, detail, facts };
}

export function adviseUnused(of: UnusedEndpoint): Advice {
  const { createdAt, lastExecutedAt } = of;
  const days = adviceDays.unused_endpoint;
  const last = lastExecutedAt === null ? 'never' : `last at ${lastExecutedAt.toISOString()}`;
  return advice('unused_endpoint', of, {
    detail: `${of.endpoint} has not been run for ${days} days (${last}). Deactivate or delete it if it is no longer needed.`,
    facts: {
      created_at: createdAt.toISOString(),
      last_executed_at: lastExecutedAt?.toISOString() ?? null,
    },
  });
}

export function adviseCacheAge(of: SteadyResult, defaultCacheAgeSeconds: number): Advice {
  const { recomputed, unchanged } = of;
  const cacheAge = of.cacheAgeSeconds ?? defaultCacheAgeSeconds;
  return advice('cache_age', of, {
    detail: `Results of ${of.endpoint} expire after ${cacheAge} seconds. In ${adviceDays.cache_age} days they were recomputed ${recomputed} times, ${unchanged} of them with unchanged rows. Raise cache_age_seconds.`,
    facts: { cache_age_seconds: cacheAge, recomputed, unchanged },
  });
}

export function adviseVariables(of: UnusedVariables): Advice {
  const { variables, executions } = of;
  const which = `variable${variables.length === 1 ? '' : 's'} ${variables.join(', ')}`;
  return advice('unused_variables', of, {
    detail: `None of the ${executions} executions of ${of.endpoint} in ${adviceDays.unused_variables} days set the ${which}. Remove the variables that are not needed.`,
    facts: { variables, executions },
  });
}

export function adviseOldVersion(of: OldVersionRuns): Advice {
  const { version, currentVersion, runs, lastDay } = of;
  const key = { id: of.keyId, label: of.keyLabel, prefix: of.keyPrefix };
  const who = key.label ?? key.prefix ?? key.id;
  const next = version + 1;
  const current = next === currentVersion ? '' : ` The current version is ${currentVersion}.`;
  return advice('old_version', of, {
    key,
    detail: `The key ${who} still runs version ${version} of ${of.endpoint}: ${runs} times in ${adviceDays.old_version} days, after version ${next} was saved.${current}`,
    facts: {
      current_version: currentVersion,
      runs,
      last_day: lastDay.toISOString().slice(0, 10),
    },
  });
}

/** @param expectedGain how many times as fast it would be; null when not measured yet. */
export function adviseMaterializing(of: CostlyEndpoint, expectedGain: number | null): Advice {
  const { executions, engineSeconds } = of;
  const took = `${of.endpoint} took ${rounded(engineSeconds)} seconds at the engine in ${adviceDays.materialize} days, in ${executions} executions`;
  const saved = expectedGain === null ? null : engineSeconds * (1 - 1 / expectedGain);
  const detail =
    saved === null
      ? `${took}. The gain of a stored table has not been measured yet; check again later.`
      : `${took}. With materialization, a run should be ${expectedGain} times as fast, which saves ${rounded(saved)} seconds.`;
  const facts = {
    executions,
    engine_seconds: engineSeconds,
    expected_gain: expectedGain,
    expected_saved_seconds: saved,
  };
  return advice('materialize', of, { detail, facts });
}

function rounded(seconds: number): string {
  return String(Number(seconds.toPrecision(2)));
}
