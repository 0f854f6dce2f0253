import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey, fieldKey } from '../cache/lookups.ts';
import type { BreakingChange } from '../data-graph/compare-shapes.ts';
import { invalidInput } from '../errors/service-error.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { QueryDefinition } from '../query/query-definition.ts';
import type { EndpointUpdate } from '../store/endpoint-store.ts';
import { changedQuery, decideUpdate } from './decide-update.ts';
import type { EndpointDeps } from './deps.ts';
import type { DryRun, ReadDryRun } from './dry-run.ts';
import { type EndpointInput, parseUpdateInput } from './endpoint-input.ts';
import { isEndpointName } from './endpoint-name.ts';
import { graphChangesOf } from './graph-changes.ts';
import { openUpdatePlanner } from './plan-update.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { toQueryCheck } from './query-check.ts';
import { findAtVersion } from './read-endpoint.ts';
import { type IfMatch, requireMatch } from './require-match.ts';
import { endpointNotFound, endpointNotFoundNear, type Selected } from './resolve-version.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { settleUpdate } from './settle-update.ts';
import { versionNotFound } from './version-number.ts';

interface UpdateCall {
  readonly projectId: string;
  readonly name: string;
  readonly input: EndpointInput;
  /** Facts of the endpoint as the caller read them: the update is refused when one differs. */
  readonly expected?: unknown;
  readonly ifMatch?: IfMatch;
}

export interface UpdatedEndpoint extends Selected {
  /** What the update breaks for data graph callers. */
  readonly graphChanges: readonly BreakingChange[];
}

/**
 * Changes an endpoint or one of its versions, atomically: read, plan, decide, apply; on a conflict with another change,
 * start over. Members that the input omits stay unchanged. Returns the changed version. Throws `precondition_failed`
 * when the endpoint's revision is not in `ifMatch` at the time of the write.
 */
export async function updateEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: UpdateCall,
): Promise<UpdatedEndpoint> {
  const opened = openUpdate(deps, principal, call);
  const updated = await retryOnConflict(async () =>
    deps.endpoints.applyUpdate(await opened.update()),
  );
  deps.lookups.endpoints.invalidate(endpointKey(opened.projectId, call.name));
  deps.lookups.fields.invalidate(fieldKey(opened.projectId, updated.endpoint.graphqlName));
  // Clears all, because deactivating an endpoint stops the materialization of each version.
  deps.lookups.versions.clear();
  return { ...updated, graphChanges: opened.decided().graphChanges };
}

/** Checks everything as `updateEndpoint` does, without writing. */
export async function tryUpdateEndpoint<T>(
  deps: EndpointDeps,
  principal: Principal,
  { look, ...call }: UpdateCall & { readonly look: ReadDryRun<T> },
): Promise<DryRun<T>> {
  const { update, decided: ofUpdate, projectId } = openUpdate(deps, principal, call);
  const { result } = await retryOnConflict(async () => {
    const decided = await update();
    return deps.endpoints.dryRun(async (writes, tx) => {
      const updated = await writes.applyUpdate(decided);
      return updated === null ? null : { result: await look(tx, updated.endpoint) };
    });
  });
  const { prepared, graphChanges } = ofUpdate();
  const check =
    prepared === null ? null : await toQueryCheck(deps, projectId, { prepared, run: null });
  return { result, check, graphChanges };
}

interface DecidedUpdate {
  readonly projectId: number;
  /** What the last `update` found. */
  readonly decided: () => {
    /** Null when the request has no query, or the stored one. */
    readonly prepared: PreparedQuery | null;
    readonly graphChanges: readonly BreakingChange[];
  };
  /** Reads the endpoint and decides; called again after a conflict. */
  readonly update: () => Promise<EndpointUpdate>;
}

function openUpdate(deps: EndpointDeps, principal: Principal, call: UpdateCall): DecidedUpdate {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  const { name } = call;
  if (!isEndpointName(name)) throw endpointNotFound();
  const { expected } = call;
  const draft = parseUpdateInput(call.input, { ...deps.config, name, expected });
  const prepare = openQueryPreparer(deps, projectId, draft.query);
  const plan = openUpdatePlanner(deps);
  let decided: ReturnType<DecidedUpdate['decided']> = { prepared: null, graphChanges: [] };
  return {
    projectId,
    decided: () => decided,
    async update() {
      const target = await readTarget(deps, { projectId, name, version: draft.version });
      requireMatch(call.ifMatch, target.endpoint);
      const prepared = await prepare(target);
      const changed = changedQuery(prepared, target);
      const found = { target, isQueryChanged: changed !== null, limits: deps.config };
      const request = settleUpdate(draft, found);
      const facts = { ...target, request, changedQuery: changed, userId: principal.userId };
      const change = decideUpdate({ ...facts, planned: await plan(facts) });
      decided = { prepared, graphChanges: graphChangesOf(target.endpoint, change) };
      const isExact = (call.ifMatch ?? null) !== null;
      return { expected: target, change, isExact, by: currentActor(principal) };
    },
  };
}

/**
 * Prepares the query of an update once for all attempts, and not at all when it is already the target's: a query that
 * can no longer run must not prevent changes of its endpoint.
 */
function openQueryPreparer(
  deps: EndpointDeps,
  projectId: number,
  query: QueryDefinition | undefined,
): (target: Selected) => Promise<PreparedQuery | null> {
  let prepared: Promise<PreparedQuery> | undefined;
  return async ({ version }) => {
    if (query === undefined || stableJson(query) === stableJson(version.query)) return null;
    prepared ??= prepareQuery(deps, projectId, query);
    return prepared;
  };
}

async function readTarget(
  deps: EndpointDeps,
  call: { readonly projectId: number; readonly name: string; readonly version: number | null },
): Promise<Selected> {
  const found = await findAtVersion(deps, call);
  if (found === null) throw await endpointNotFoundNear(deps, call.projectId, call.name);
  const { endpoint, version } = found;
  if (version !== null) return { endpoint, version };
  throw invalidInput(
    'version',
    `${versionNotFound(call.version)}. The versions of this endpoint are 1 to ${endpoint.currentVersion.version}.`,
  );
}
