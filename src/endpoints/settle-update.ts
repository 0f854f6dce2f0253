import { invalidInput } from '../errors/service-error.ts';
import { isGiven } from '../lib/is-given.ts';
import type { RowLimits } from '../model/row-limit.ts';
import { changedCadence, parseCadence } from './cadence.ts';
import { queryOfVersion, type UpdateDraft, type UpdateRequest } from './endpoint-input.ts';
import { isWholeObject, requireExpected } from './expected-facts.ts';
import { parseFieldName } from './field-name.ts';
import type { Selected } from './resolve-version.ts';

interface Found {
  readonly target: Selected;
  /** Whether the request's query differs from the target's. */
  readonly isQueryChanged: boolean;
  readonly limits: RowLimits;
}

/**
 * What an update requests, given the current endpoint. A caller may read an endpoint, change a member and send
 * everything back: members equal to the stored state are then no change. Throws `invalid_input`, naming the invalid
 * member.
 */
export function settleUpdate(draft: UpdateDraft, found: Found): UpdateRequest {
  const { target, limits } = found;
  requireExpected(draft.expected, target, limits);
  const isWhole = isWholeObject(draft.expected);
  const { syncFrequency: stored, enabled } = target.version.materialization;
  const cadence = isWhole ? changedCadence(draft.cadence, stored) : draft.cadence;
  const syncFrequency = parseCadence(cadence, stored);
  const turnsOff = draft.isMaterialized === false && (enabled || !isWhole);
  if (turnsOff && isGiven(cadence.syncFrequency) && syncFrequency !== stored) {
    throw invalidInput(
      'sync_frequency',
      'A sync frequency cannot be set while materialization is disabled.',
    );
  }
  const isRenamed = draft.graphqlName !== target.endpoint.graphqlName;
  const graphqlName = isRenamed ? parseFieldName(draft.graphqlName) : undefined;
  const request = { ...draft, graphqlName, syncFrequency };
  const makesVersion = draft.version !== null && found.isQueryChanged;
  return makesVersion ? withNewVersion(request, target) : request;
}

/**
 * When the update targets the current version with another query, the next version is created from it, and nothing else
 * of the endpoint changes.
 */
function withNewVersion(request: UpdateRequest, { endpoint }: Selected): UpdateRequest {
  if (request.version !== endpoint.currentVersion.version) throw queryOfVersion();
  if (request.isActive === false) {
    throw invalidInput(
      'is_active',
      'A changed query creates a new version, which is active. Deactivate it afterwards.',
    );
  }
  return { ...request, version: null, isActive: undefined };
}
