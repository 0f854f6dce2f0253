import type { Selected } from '../endpoints/resolve-version.ts';
import { invalidInput } from '../errors/service-error.ts';
import { readOf } from '../model/materialization-plan.ts';
import { type CompiledQuery, compileQuery, hasFilters } from '../query/compile-query.ts';
import { parseFilters } from '../query/filters.ts';
import type { BoundParam } from '../query/legacy-variable.ts';
import { type ParsedQuery, parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import { bindVariables, type ValueForm } from '../query/variables.ts';
import { requireWellFormedJson } from '../sql/storable-text.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import type { CoreDeps } from './deps.ts';
import { type RunPlanInput, requireMaterializedVariables, type TableRead } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';

/** Everything that a run is planned from. Throws for variables and filters that the query does not take. */
export function runPlanInput(
  deps: CoreDeps,
  { endpoint, version }: Selected,
  asked: { readonly request: RunRequest; readonly form: ValueForm },
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

const parsedReads = new WeakMap<object, ParsedQuery>();

/** The read query has the placeholders of the original, so the same values bind to it. */
export function compileRead(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  { table, plan }: TableRead,
): CompiledQuery {
  const parsed =
    parsedReads.get(plan) ?? parseQuery({ ...query.definition, query: plan.readQuery });
  parsedReads.set(plan, parsed);
  const { sql, params } = compileQuery(parsed, bound, null);
  return { sql: readOf(sql, table), params };
}

const parsedQueries = new WeakMap<VersionRecord, ParsedQuery>();

/** The version's query, read once for each record that a look-up holds. */
export function parsedQueryOf(version: VersionRecord): ParsedQuery {
  const known = parsedQueries.get(version);
  if (known !== undefined) return known;
  const parsed = parseQuery(version.query as unknown as QueryDefinition);
  parsedQueries.set(version, parsed);
  return parsed;
}
