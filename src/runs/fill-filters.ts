/** Prepares the filters of a run, before it is planned. */
import type { RunLimits } from '../access/effective-limits.ts';
import type { Principal } from '../access/principal.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { type CompiledQuery, compileQuery, hasFilters } from '../query/compile-query.ts';
import { type FillFilters, fillFilters, markFilters } from '../query/filters/compile-filters.ts';
import {
  type FilterTypes,
  noFilterTypes,
  readFilterTypes,
  unknownFilterColumn,
} from '../query/filters/filter-types.ts';
import { type Filters, parseFilters } from '../query/filters/parse-filters.ts';
import type { ValueSource } from '../query/variables.ts';
import type { RunDeps } from './deps.ts';
import { faultOf, originOf } from './record-execution.ts';
import { bindRequest } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';

export interface FilteredRun extends Selected {
  readonly request: RunRequest;
  readonly valueSource: ValueSource;
  readonly principal: Principal;
  readonly limits: RunLimits;
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
}

/**
 * Null for a run without filters. The engine is asked for the types of filtered columns in one of the slots that the run
 * may use. Throws `invalid_input` for filters that the query does not accept.
 */
export function fillRequested(deps: RunDeps, run: FilteredRun): MaybePromise<FillFilters | null> {
  const { filtersOverride } = run.request;
  if (filtersOverride === null) return null;
  const query = parsedQueryOf(run.version);
  if (!hasFilters(query)) {
    throw invalidInput(
      'filters_override',
      'filters_override is not allowed: this query has no {filters} placeholder. Use variables.',
    );
  }
  const filters = parseFilters(filtersOverride, run.now);
  if (filters.properties.length === 0) return fillFilters(filters, noFilterTypes);
  const marked = compileQuery(query, bindRequest(run), markFilters(filters));
  const { projectId } = run.endpoint;
  const known = deps.filterTypes.find(projectId, marked.sql);
  if (known !== undefined) return fillFilters(filters, known);
  return findTypes(deps, run, { filters, marked }).then((types) => {
    deps.filterTypes.store(projectId, marked.sql, types);
    return fillFilters(filters, types);
  });
}

async function findTypes(
  deps: RunDeps,
  run: FilteredRun,
  { filters, marked }: { readonly filters: Filters; readonly marked: CompiledQuery },
): Promise<FilterTypes> {
  const { endpoint, principal, limits, signal } = run;
  const { projectId } = endpoint;
  const { project, key } = limits;
  const slot = { projectId, keyId: principal.keyId, pool: 'inline', project, key } as const;
  try {
    return await deps.admission.during(slot, signal, () =>
      withOrigin(originOf(run), () => readTypes(deps, projectId, marked)),
    );
  } catch (error) {
    throw unknownFilterColumn(filters, error) ?? withFault(run, error);
  }
}

async function readTypes(
  { engine }: RunDeps,
  projectId: number,
  { sql, params }: CompiledQuery,
): Promise<FilterTypes> {
  await engine.describe({ projectId, sql, params });
  const analysis = engine.analysis(projectId);
  return readFilterTypes(await analysis.tree(await analysis.plain(sql), params));
}

/** The error of the text, as its run would report it. */
function withFault(run: FilteredRun, error: unknown): unknown {
  const isOfText = error instanceof ServiceError && error.code === 'invalid_query';
  return isOfText ? new ServiceError(faultOf(run), error.message) : error;
}
