import { invalidInput, isErrorCode } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { okOutcome, usageInterfaces, usagePaths } from '../model/usage.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { UsageFilter, UsageGroup } from '../store/usage-reading.ts';
import type { UsageTimes } from './plan-usage.ts';

/** Input of a usage request; absent and null members use their defaults. */
export interface UsageInput extends UsageTimes {
  readonly groupBy?: readonly string[] | null | undefined;
  readonly filter?: UsageFilterInput | null | undefined;
}

/** Absent and null members do not filter. */
export interface UsageFilterInput {
  readonly endpoint?: string | null | undefined;
  /** 1 to 100 ids. */
  readonly endpointIds?: readonly string[] | null | undefined;
  readonly version?: number | null | undefined;
  readonly key?: string | null | undefined;
  readonly interface?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly outcome?: string | null | undefined;
}

/** Dimensions that usage can be grouped by. */
export const groupNames = [
  'endpoint',
  'version',
  'key',
  'interface',
  'path',
  'outcome',
] as const satisfies readonly UsageGroup[];

/** The size of a list page. */
export const maxEndpointIds = 100;

/** Without duplicates. @param endpointId the endpoint of a single-endpoint request; else null. */
export function parseGroups(
  given: readonly string[] | null | undefined,
  endpointId: string | null,
): readonly UsageGroup[] {
  const unknown = given?.find((name) => !groupNames.some((known) => known === name));
  if (unknown !== undefined)
    throw invalidInput('group_by', `group_by accepts ${groupNames.join(', ')}.`);
  const groups = groupNames.filter((name) => given?.includes(name));
  if (!groups.includes('version') || groups.includes('endpoint') || endpointId !== null)
    return groups;
  throw invalidInput(
    'group_by',
    'Version numbers are per endpoint: group by endpoint as well, or request the usage of one endpoint.',
  );
}

export function parseUsageFilter(
  given: UsageFilterInput | null | undefined,
  endpointId: string | null,
): UsageFilter {
  const { endpoint, version, key, outcome } = given ?? {};
  return {
    endpointId,
    endpointIds: parseEndpointIds(given?.endpointIds),
    endpointName: endpoint == null ? null : requireStorableText(endpoint, 'endpoint'),
    version: version ?? null,
    keyId: parseKey(key),
    interface: parseOneOf('interface', given?.interface, usageInterfaces),
    path: parseOneOf('path', given?.path, usagePaths),
    outcome: parseOutcome(outcome),
  };
}

function parseEndpointIds(ids: readonly string[] | null | undefined): readonly string[] | null {
  if (ids == null) return null;
  if (ids.length > 0 && ids.length <= maxEndpointIds && ids.every(isUuid)) return ids;
  throw invalidInput(
    'endpoint_ids',
    `endpoint_ids must be 1 to ${maxEndpointIds} ids of endpoints.`,
  );
}

function parseKey(key: string | null | undefined): string | null {
  if (key == null || isUuid(key)) return key ?? null;
  throw invalidInput('key', 'key must be the id of a key.');
}

function parseOneOf(
  attr: string,
  given: string | null | undefined,
  known: readonly string[],
): string | null {
  if (given == null || known.includes(given)) return given ?? null;
  throw invalidInput(attr, `${attr} must be one of ${known.join(', ')}.`);
}

function parseOutcome(given: string | null | undefined): string | null {
  if (given == null || given === okOutcome || isErrorCode(given)) return given ?? null;
  throw invalidInput('outcome', 'outcome must be ok or an error code, as in query_failed.');
}
