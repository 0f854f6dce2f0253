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
import { type Filters, meaningOf, parseFilters } from '../query/filters/parse-filters.ts';
import type { ValueSource } from '../query/variables.ts';
import { admissionOf, slotGroupOf } from './admit.ts';
import type { RunDeps } from './deps.ts';
import type { KnownFilterTypes } from './filter-types-memo.ts';
import { outageCodeOf } from './freshness.ts';
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
  /** Counts the run against its rate limits, before the engine is asked for it. */
  readonly count: () => Promise<void>;
}

/** The filters of a run, ready to be written into its query. */
export interface FilledFilters {
  readonly fill: FillFilters;
  /** Equal for filters that mean the same, with relative dates as written. */
  readonly meaning: string;
  /** Whether the run has been counted. */
  readonly isCounted: boolean;
}

/**
 * For a run with filters. The engine is asked for the types of filtered columns in one of the slots that the run
 * may use; while it is away, former types are used. Throws `invalid_input` for filters that the query does not accept.
 */
export function fillRequested(deps: RunDeps, run: FilteredRun): MaybePromise<FilledFilters> {
  const query = parsedQueryOf(run.version);
  if (!hasFilters(query)) {
    throw invalidInput(
      'filters_override',
      'filters_override is not allowed: this query has no {filters} placeholder. Use variables.',
    );
  }
  const filters = parseFilters(run.request.filtersOverride, run.now);
  const filled = (types: FilterTypes, isCounted: boolean) => ({
    fill: fillFilters(filters, types),
    meaning: meaningOf(filters),
    isCounted,
  });
  if (filters.properties.length === 0) return filled(noFilterTypes, false);
  const marked = compileQuery(query, bindRequest(run), markFilters(filters));
  const known = deps.filterTypes.find(run.endpoint.projectId, marked.sql);
  if (known?.isFresh === true) return filled(known.types, false);
  return findTypes(deps, run, { filters, marked, known }).then((types) => filled(types, true));
}

interface TypesWanted {
  readonly filters: Filters;
  readonly marked: CompiledQuery;
  /** Former types. */
  readonly known: KnownFilterTypes | null;
}

async function findTypes(
  deps: RunDeps,
  run: FilteredRun,
  { filters, marked, known }: TypesWanted,
): Promise<FilterTypes> {
  const { projectId } = run.endpoint;
  const { signal } = run;
  await run.count();
  const read = (left: AbortSignal) =>
    deps.admission.during(admissionOf(run, 'inline'), left, () =>
      withOrigin(originOf(run), () => readTypes(deps, projectId, marked, left)),
    );
  try {
    const group = slotGroupOf(run);
    return await deps.filterTypes.read({ projectId, marked: marked.sql, group, read, signal });
  } catch (error) {
    const isAway = error instanceof ServiceError && outageCodeOf(error.code) !== null;
    if (isAway && known !== null) return known.types;
    throw unknownFilterColumn(filters, error) ?? withFault(run, error);
  }
}

async function readTypes(
  { engine }: RunDeps,
  projectId: number,
  { sql, params }: CompiledQuery,
  signal: AbortSignal,
): Promise<FilterTypes> {
  await engine.describe({ projectId, sql, params });
  signal.throwIfAborted();
  const analysis = engine.analysis(projectId);
  return readFilterTypes(await analysis.tree(await analysis.plain(sql), params), sql);
}

/** The error of the text, as its run would report it. */
function withFault(run: FilteredRun, error: unknown): unknown {
  const isOfText = error instanceof ServiceError && error.code === 'invalid_query';
  return isOfText ? new ServiceError(faultOf(run), error.message) : error;
}
