import type { Selected } from '../endpoints/resolve-version.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { invalidInput } from '../errors/service-error.ts';
import { compileRead } from '../materialization/compile-read.ts';
import { type CompiledQuery, compileQuery, hasFilters } from '../query/compile-query.ts';
import { parseFilters } from '../query/filters.ts';
import type { BoundParam } from '../query/legacy-variable.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import { bindVariables, type ValueSource } from '../query/variables.ts';
import { requireWellFormedJson } from '../sql/storable-text.ts';
import type { RunDeps } from './deps.ts';
import { type RunPlanInput, requireMaterializedVariables } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';

/** Everything that a run is planned from. Throws for variables and filters that the query does not take. */
export function runPlanInput(
  deps: RunDeps,
  { endpoint, version }: Selected,
  asked: { readonly request: RunRequest; readonly form: ValueSource },
): RunPlanInput {
  const { request, form } = asked;
  const query = parsedQueryOf(version);
  requireWellFormedJson(request.variables, 'variables');
  requireMaterializedVariables(version.materialization, request);
  const bound = bindVariables(query, request.variables, form);
  const now = deps.clock.now();
  const inline = compileInline(query, { bound, request, now });
  return {
    projectId: endpoint.projectId,
    version,
    request,
    now,
    compileInline: () => inline,
    compileRead: (read) => compileRead(query, bound, read),
    defaultCacheAgeSeconds: deps.config.defaultCacheAgeSeconds,
  };
}

function compileInline(
  query: ParsedQuery,
  run: {
    readonly bound: ReadonlyMap<string, BoundParam>;
    readonly request: RunRequest;
    readonly now: Date;
  },
): CompiledQuery {
  const { bound, request, now } = run;
  if (request.filtersOverride === null) return compileQuery(query, bound, null);
  if (!hasFilters(query)) {
    throw invalidInput(
      'filters_override',
      'filters_override is not allowed: this query has no {filters} placeholder. Use variables.',
    );
  }
  return compileQuery(query, bound, parseFilters(request.filtersOverride, now));
}
