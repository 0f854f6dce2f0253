import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import { isEndpointName } from '../endpoints/endpoint-name.ts';
import { readEndpoint } from '../endpoints/read-endpoint.ts';
import {
  endpointNotFound,
  requireNotRefused,
  type Selected,
} from '../endpoints/resolve-version.ts';
import { invalidInput } from '../errors/service-error.ts';
import { nextSyncAt } from '../model/materialization-state.ts';
import type { MaterializationDeps } from './deps.ts';

type SyncCall = Parameters<typeof readEndpoint>[2];

/** Makes the next sync due immediately. Throws `invalid_input` for a version that is not materialized. */
export async function requestSync(
  deps: MaterializationDeps,
  principal: Principal,
  call: SyncCall,
): Promise<Selected> {
  const selected = await select(deps, principal, call);
  requireNotRefused(selected.version);
  const { id } = selected.version.materialization;
  const request = { now: deps.clock.now(), by: currentActor(principal) };
  if (await deps.materializations.requestSync(id, request)) return selected;
  throw invalidInput(
    'version',
    `Version ${selected.version.version} of endpoint '${call.name}' is not materialized. Turn it on by is_materialized.`,
  );
}

/** Cancels the running sync; the next one is due by the cadence. Throws `invalid_input` if none is running. */
export async function cancelSync(
  deps: MaterializationDeps,
  principal: Principal,
  call: SyncCall,
): Promise<Selected> {
  const selected = await select(deps, principal, call);
  const { id, syncFrequency } = selected.version.materialization;
  const now = deps.clock.now();
  const next = nextSyncAt({ startedAt: now, durationMs: 0, syncFrequency }, 0);
  const by = currentActor(principal);
  if (await deps.materializations.cancelSync(id, { now, nextSyncAt: next, by })) {
    deps.lookups.endpoints.invalidate(endpointKey(selected.endpoint.projectId, call.name));
    return selected;
  }
  throw invalidInput('version', `No sync of endpoint '${call.name}' is under way.`);
}

async function select(
  deps: MaterializationDeps,
  principal: Principal,
  call: SyncCall,
): Promise<Selected> {
  requireScope(principal, 'endpoint:write');
  if (!isEndpointName(call.name)) throw endpointNotFound();
  return readEndpoint(deps, principal, call);
}
