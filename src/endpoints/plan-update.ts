import { withOrigin } from '../engine/execution-origin.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { parseQuery } from '../query/query-definition.ts';
import type { UpdateFacts } from './decide-update.ts';
import type { EndpointDeps } from './deps.ts';
import { originOf } from './origin.ts';
import { requireNotRefused } from './resolve-version.ts';
import { parsedQueryOf } from './version-query.ts';

type Facts = Omit<UpdateFacts, 'planned'>;

/** The plan of the version's query after the update, as far as the update needs it. */
export type UpdatePlanner = (facts: Facts) => Promise<PlanResult | undefined>;

/**
 * Plans the materialization that an update enables, and checks its row limit. The engine may need seconds for this, so
 * it happens before any row is locked, and a retry that needs the same plan reuses it. Throws `cannot_materialize` with
 * the reason.
 */
export function openUpdatePlanner(deps: EndpointDeps): UpdatePlanner {
  let last: { readonly key: string; readonly planned: PlanResult | undefined } | null = null;
  return async (facts) => {
    const check = checkOf(facts);
    if (check === null) return facts.changedQuery?.planned;
    const key = stableJson(check);
    if (last?.key !== key) last = { key, planned: await plan(deps, facts, check) };
    return last.planned;
  };
}

interface Check {
  /** Null for the request's changed query. */
  readonly versionId: string | null;
  /** The author's limit; null for the server's default. */
  readonly maxRows: number | null;
  /** Whether the version is not materialized by this query yet. */
  readonly isNew: boolean;
}

/** Null when nothing is turned on and no limit of an active materialization changes. */
function checkOf({ request, version, changedQuery }: Facts): Check | null {
  const { enabled: wasEnabled, maxRows: current } = version.materialization;
  const { maxStoredRows = current } = request;
  const isNew = !wasEnabled || changedQuery !== null;
  const isOn = (request.isMaterialized ?? wasEnabled) && request.isActive !== false;
  if (!isOn || !(isNew || request.maxStoredRows !== undefined)) return null;
  return { versionId: changedQuery === null ? version.id : null, maxRows: maxStoredRows, isNew };
}

async function plan(
  deps: EndpointDeps,
  facts: Facts,
  { maxRows, isNew }: Check,
): Promise<PlanResult | undefined> {
  const { projectId } = facts.endpoint;
  const { changedQuery } = facts;
  const planned =
    changedQuery === null ? await planVersion(deps, facts, isNew) : changedQuery.planned;
  // If the version is materialized and no longer can be, its status reports that.
  if (isNew || planned?.kind === 'plan') {
    const query =
      changedQuery === null ? parsedQueryOf(facts.version) : parseQuery(changedQuery.query);
    await deps.eligibility.checkRowLimit({ projectId, query, planned, maxRows });
  }
  return planned;
}

/** Plans again, because the tables that the query reads may have changed since the version was saved. */
function planVersion(deps: EndpointDeps, facts: Facts, isNew: boolean): Promise<PlanResult> {
  if (isNew) requireNotRefused(facts.version);
  const { projectId } = facts.endpoint;
  return withOrigin(originOf(facts), () =>
    deps.eligibility.plan(projectId, parsedQueryOf(facts.version)),
  );
}
