import { stableJson } from '../lib/stable-json.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import type { EndpointDeps } from './deps.ts';
import type { UpdateRequest } from './endpoint-input.ts';
import type { PreparedQuery } from './prepare-query.ts';
import { parsedQueryOf } from './version-query.ts';

interface Update {
  readonly projectId: number;
  readonly name: string;
  readonly request: UpdateRequest;
  readonly prepared: PreparedQuery | null;
}

/**
 * Throws `cannot_materialize` for an update that turns materialization on, changes the limit or the query of one that is on, and
 * would store more rows than it may. Before the endpoint is locked, because counting takes its time.
 */
export async function checkRowLimitOfUpdate(deps: EndpointDeps, update: Update): Promise<void> {
  const { projectId, request, prepared } = update;
  const target = await findTarget(deps, update);
  if (target === null) return;
  const { enabled: wasOn, maxRows: own } = target.materialization;
  const isOn = (request.isMaterialized ?? wasOn) && request.isActive !== false;
  const changed =
    prepared !== null && stableJson(prepared.query) !== stableJson(target.query) ? prepared : null;
  const isNew = !wasOn || changed !== null;
  if (!isOn || !(isNew || request.maxStoredRows !== undefined)) return;
  const planned =
    changed?.planned ?? (await deps.eligibility.plan(projectId, parsedQueryOf(target)));
  // What is on already and cannot be any more says so in its status.
  if (!isNew && planned.kind === 'refusal') return;
  const maxRows = request.maxStoredRows === undefined ? own : request.maxStoredRows;
  await deps.eligibility.checkRowLimit({ projectId, planned, maxRows });
}

/** Null for one that is not there, which the update itself says. */
async function findTarget(
  deps: EndpointDeps,
  { projectId, name, request }: Update,
): Promise<VersionRecord | null> {
  const endpoint = await deps.endpoints.findEndpoint(projectId, name);
  if (endpoint === null) return null;
  const { version } = request;
  if (version === null || version === endpoint.currentVersion.version) {
    return endpoint.currentVersion;
  }
  return deps.endpoints.findVersion(endpoint.id, version);
}
