import type { UpdateRequest } from '../endpoints/endpoint-input.ts';
import type { PreparedQuery } from '../endpoints/prepare-query.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../model/row-limit.ts';
import type { CoreDeps } from '../runs/deps.ts';
import { parsedQueryOf } from '../runs/plan-run.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import { cannotMaterialize, planQuery, requirePlanned } from './eligibility.ts';
import { countRows, sourceRows } from './expect-size.ts';

interface Room {
  readonly projectId: number;
  readonly planned: PlanResult | undefined;
  /** What the author set; null: the server's default. */
  readonly maxRows: number | null;
}

/**
 * Throws `cannot_materialize` with the reason: no plan, or more rows than the version may store. Where the source
 * has fewer rows nothing is counted; what cannot be counted in seconds is left to the sync, which holds the limit.
 */
export async function requireRoom(
  deps: CoreDeps,
  { projectId, planned, maxRows }: Room,
): Promise<void> {
  const { storedQuery: sql } = requirePlanned(planned);
  const limit = rowLimitOf(maxRows, deps.config);
  const atMost = await sourceRows(deps, { projectId, sql });
  // 0: the engine knows nothing of what is read, as of numbers().
  if (atMost !== null && atMost > 0 && atMost <= limit) return;
  const rows = await countRows(deps, { projectId, sql });
  if (rows === null || rows <= limit) return;
  throw cannotMaterialize(tooManyRows({ rows, limit }, deps.config));
}

interface Update {
  readonly projectId: number;
  readonly name: string;
  readonly request: UpdateRequest;
  readonly prepared: PreparedQuery | null;
}

/**
 * The same for an update that turns materialization on, changes the limit or the query of one that is on. Before
 * the endpoint is locked, because counting takes its time.
 */
export async function requireRoomFor(deps: CoreDeps, update: Update): Promise<void> {
  const { projectId, request, prepared } = update;
  const target = await findTarget(deps, update);
  if (target === null) return;
  const { enabled: wasOn, maxRows: own } = target.materialization;
  const isOn = (request.isMaterialized ?? wasOn) && request.isActive !== false;
  const changed =
    prepared !== null && stableJson(prepared.query) !== stableJson(target.query) ? prepared : null;
  const isNew = !wasOn || changed !== null;
  if (!isOn || !(isNew || request.maxStoredRows !== undefined)) return;
  const planned = changed?.planned ?? (await planQuery(deps, projectId, parsedQueryOf(target)));
  // What is on already and cannot be any more says so in its status.
  if (!isNew && planned.kind === 'refusal') return;
  const maxRows = request.maxStoredRows === undefined ? own : request.maxStoredRows;
  await requireRoom(deps, { projectId, planned, maxRows });
}

/** Null for one that is not there, which the update itself says. */
async function findTarget(
  deps: CoreDeps,
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
