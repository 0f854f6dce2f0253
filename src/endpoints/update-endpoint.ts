import { currentActor } from '../access/current-actor.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { endpointKey } from '../cache/lookups.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { EndpointUpdate } from '../store/endpoint-store.ts';
import { changedQuery, decideUpdate } from './decide-update.ts';
import type { EndpointDeps } from './deps.ts';
import type { DryRun, LookAtDryRun } from './dry-run.ts';
import { type EndpointInput, parseUpdateInput } from './endpoint-input.ts';
import { isEndpointName } from './endpoint-name.ts';
import { openUpdatePlanner } from './plan-update.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { toQueryCheck } from './query-check.ts';
import { findAtVersion } from './read-endpoint.ts';
import { endpointNotFound, type Selected } from './resolve-version.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

interface UpdateCall {
  readonly projectId: string;
  readonly name: string;
  readonly input: EndpointInput;
}

/**
 * Changes an endpoint or one of its versions, whole or not at all: read, plan, decide, apply; on a conflict with
 * another change, start over. Members that the input leaves out stay unchanged. Returns the changed version.
 */
export async function updateEndpoint(
  deps: EndpointDeps,
  principal: Principal,
  call: UpdateCall,
): Promise<Selected> {
  const opened = await openUpdate(deps, principal, call);
  const updated = await retryOnConflict(async () =>
    deps.endpoints.applyUpdate(await opened.update()),
  );
  deps.lookups.endpoints.invalidate(endpointKey(opened.projectId, call.name));
  // All of them: an endpoint that is deactivated stops the materialization of each version.
  deps.lookups.versions.clear();
  return updated;
}

/** Checks everything as `updateEndpoint` does and writes nothing. */
export async function tryUpdateEndpoint<T>(
  deps: EndpointDeps,
  principal: Principal,
  { look, ...call }: UpdateCall & { readonly look: LookAtDryRun<T> },
): Promise<DryRun<T>> {
  const { update, prepared, projectId } = await openUpdate(deps, principal, call);
  const { result } = await retryOnConflict(async () => {
    const decided = await update();
    return deps.endpoints.dryRun(async (writes, tx) => {
      const updated = await writes.applyUpdate(decided);
      return updated === null ? null : { result: await look(tx, updated.endpoint) };
    });
  });
  const check =
    prepared === null ? null : await toQueryCheck(deps, projectId, { prepared, run: null });
  return { result, check };
}

interface DecidedUpdate {
  readonly projectId: number;
  /** Null when the request has no query. */
  readonly prepared: PreparedQuery | null;
  /** Reads the endpoint and decides; again after a conflict. */
  readonly update: () => Promise<EndpointUpdate>;
}

async function openUpdate(
  deps: EndpointDeps,
  principal: Principal,
  call: UpdateCall,
): Promise<DecidedUpdate> {
  requireScope(principal, 'endpoint:write');
  const projectId = requireProject(principal, call.projectId);
  const { name } = call;
  if (!isEndpointName(name)) throw endpointNotFound();
  const request = parseUpdateInput(call.input, { ...deps.config, name });
  const prepared =
    request.query === undefined ? null : await prepareQuery(deps, projectId, request.query);
  const plan = openUpdatePlanner(deps);
  return {
    projectId,
    prepared,
    async update() {
      const target = await readTarget(deps, { projectId, name, version: request.version });
      const changed = changedQuery(prepared, target);
      const facts = { ...target, request, changedQuery: changed, userId: principal.userId };
      const change = decideUpdate({ ...facts, planned: await plan(facts) });
      return { expected: target, change, by: currentActor(principal) };
    },
  };
}

async function readTarget(
  deps: EndpointDeps,
  call: { readonly projectId: number; readonly name: string; readonly version: number | null },
): Promise<Selected> {
  const found = await findAtVersion(deps, call);
  if (found === null) {
    throw new ServiceError(
      'not_found',
      `There is no endpoint named "${call.name}" in this project.`,
      { attr: 'name' },
    );
  }
  const { endpoint, version } = found;
  if (version !== null) return { endpoint, version };
  throw invalidInput(
    'version',
    `Version ${call.version} not found. The versions of this endpoint are 1 to ${endpoint.currentVersion.version}.`,
  );
}
