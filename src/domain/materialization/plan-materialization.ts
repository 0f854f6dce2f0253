/** Decides how a version can be answered from a stored table, or says why not. */

import { noFilters } from '../compile-query.ts';
import { ServiceError } from '../errors.ts';
import { findPlaceholders, replacePlaceholders } from '../placeholders.ts';
import { sampleVariables } from '../variables.ts';
import { aggregateNames } from './aggregates.ts';
import { type Context, type Draft, isOwnName, stored, variableExpressions } from './context.ts';
import { requireDeterministic } from './determinism.ts';
import { type Hoisting, hoist, unionReason } from './hoist.ts';
import { hasVariable, toParameters } from './parameters.ts';
import {
  type MaterializationPlan,
  type PlannedPredicate,
  type PlanRequest,
  type PlanResult,
  storedTable,
} from './plan.ts';
import { planVariables, requireInWhere, requireSupported } from './plan-variables.ts';
import { planWhole } from './plan-whole.ts';
import { type PredicateKind, readCondition, requireNoFloatSets } from './predicates.ts';
import { Refusal, refuse } from './refusal.ts';
import { parseSelect } from './select.ts';
import { isName, nameOf, type Span, textOf } from './span.ts';
import type { DescribedColumn, SqlAnalysis } from './sql-analysis.ts';
import { isIndexable, isKeyable, requireStorable } from './storable.ts';
import { requireFaithful } from './syntax-tree.ts';
import { hasWindow } from './windows.ts';

/**
 * Plans one version. A plan's reads give exactly the rows of the inline query on the data of the last sync,
 * wherever the query itself says which rows these are: not among rows that ORDER BY leaves equal, nor in
 * the order of a query without ORDER BY. What cannot be shown to be exact is refused.
 *
 * @throws ServiceError when the engine cannot answer at the moment; never for the text.
 */
export async function planMaterialization(
  request: PlanRequest,
  analysis: SqlAnalysis,
): Promise<PlanResult> {
  const labels = new Map<string, string>();
  try {
    return { kind: 'plan', plan: await makePlan(request, analysis, labels) };
  } catch (error) {
    if (error instanceof Refusal) {
      return {
        kind: 'refusal',
        reason: error.message.replace(/\b__h\d+/g, (name) => labels.get(name) ?? name),
      };
    }
    const isOfText =
      error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code);
    if (!isOfText) throw error;
    return {
      kind: 'refusal',
      reason: `The engine does not take a part of the query on its own: ${error.message}`,
    };
  }
}

async function makePlan(
  given: PlanRequest,
  analysis: SqlAnalysis,
  labels: Map<string, string>,
): Promise<MaterializationPlan> {
  const request = { ...given, sql: withoutFilters(given.sql) };
  const placeholders = findPlaceholders(request.sql);
  if (placeholders.length === 0) return planWhole(request.sql, analysis);
  const definition = { kind: 'SQLQuery' as const, query: request.sql, variables: {} };
  const bound = sampleVariables({ definition, placeholders, definitions: request.definitions });
  const parameters = toParameters(request.sql, bound);
  const catalog = await analysis.functions();
  const hoisting: Hoisting = {
    analysis,
    catalog,
    parameters,
    names: aggregateNames(catalog),
    labels,
  };
  const span = await readText(hoisting);
  requireFreeNames(span);
  requireDeterministic(span, catalog);
  const moved = await hoist(span, hoisting);
  const select = parseSelect(moved === null ? span : await analysis.tokens(moved));
  requireInWhere(select, parameters.names);
  requireSupported(select);
  const condition = readCondition(select.clauses.get('WHERE') ?? [], parameters.names);
  const columns = await analysis.describe(textOf(span), parameters.samples);
  const context: Context = { ...hoisting, columns, select, condition };
  return finish({ ...context, labels: hoisting.labels }, await planVariables(context));
}

/** The query as it is run without filters; a run with filters reads the source, since they may ask for any column. */
function withoutFilters(sql: string): string {
  return replacePlaceholders(sql, findPlaceholders(sql), ({ kind, start, end }) =>
    kind === 'filters' ? noFilters : sql.slice(start, end),
  );
}

/** The query in the engine's formatting, which must mean the same. */
async function readText({ analysis, parameters }: Hoisting): Promise<Span> {
  const formatted = await analysis.format(parameters.text);
  const written = await analysis.ast(parameters.text, parameters.samples);
  if (written.some((line) => /^ *(SelectIntersectExceptQuery)/.test(line))) refuse(unionReason);
  if (/\(children (?!1\))/.test(written[1] ?? '')) refuse(unionReason);
  requireFaithful(written, await analysis.ast(formatted, parameters.samples));
  return analysis.tokens(formatted);
}

/** Throws Refusal for a name that the stored table's own columns have. */
function requireFreeNames(span: Span): void {
  const own = span.find(
    (token) => isName(token) && isOwnName(nameOf(token)) && !hasVariable([token]),
  );
  if (own !== undefined) {
    refuse(`The name ${own.text} is reserved for stored tables; use another name.`);
  }
}

/** Checks the draft's columns with the engine, and puts the author's spelling of the variables back. */
async function finish(
  context: Context & Pick<Hoisting, 'labels'>,
  draft: Draft,
): Promise<MaterializationPlan> {
  const { analysis, parameters, condition, columns } = context;
  const kept = await analysis.describe(draft.storedQuery, parameters.samples);
  const typeOf = (column: string) => kept.find(({ name }) => name === column)?.type ?? '';
  if (hasWindow(context)) {
    requireNoFloatSets(condition.predicates, (at) => typeOf(stored.variable(at)));
  }
  requireStorable(columns);
  requireStorable(kept.map((column) => ({ ...column, name: `stored ${column.name}` })));
  const checked = draft.readQuery.replace(storedTable, () => `(${draft.storedQuery})`);
  requireSameColumns(columns, await analysis.describe(checked, parameters.samples));
  const { names, restore } = parameters;
  const predicates = condition.predicates.flatMap(({ variables, left, operator, column }) =>
    variables.map(
      (variable): PlannedPredicate => ({
        variable: names[variable] ?? '',
        expression: context.labels.get(textOf(left)) ?? textOf(left),
        operator,
        column: stored.variable(column),
      }),
    ),
  );
  return {
    storedQuery: draft.storedQuery,
    sortingKey: sortingKeyOf(context, kept, await givenTypes(context)),
    readQuery: restore(draft.readQuery),
    requiredVariables: [...new Set(predicates.map(({ variable }) => variable))],
    predicates,
    aggregates: draft.aggregates,
  };
}

const rank: Readonly<Record<PredicateKind, number>> = { equal: 0, set: 1, range: 2, scan: 3 };

/** The types of the right sides, by predicate. */
async function givenTypes({
  analysis,
  parameters,
  condition,
}: Context): Promise<readonly string[]> {
  const given = condition.predicates.map(({ right }, at) => `${textOf(right)} AS g${at}`);
  if (given.length === 0) return [];
  const columns = await analysis.describe(`SELECT ${given.join(', ')}`, parameters.samples);
  return columns.map(({ type }) => type);
}

/** Columns that one value chooses first, then sets, then ranges, so that a read is one stretch of the table. */
function sortingKeyOf(
  { condition: { predicates } }: Context,
  kept: readonly DescribedColumn[],
  given: readonly string[],
): readonly string[] {
  const types = new Map(kept.map(({ name, type }) => [name, type]));
  const isFound = (at: number) => {
    const type = types.get(stored.variable(at)) ?? '';
    const fits = predicates.map((p, i) => p.column !== at || isIndexable(type, given[i] ?? ''));
    return isKeyable(type) && fits.every(Boolean);
  };
  return variableExpressions(predicates)
    .map((_span, at) => {
      const ranks = predicates.filter((p) => p.column === at).map(({ kind }) => rank[kind]);
      return { name: stored.variable(at), rank: Math.min(...ranks), isFound: isFound(at) };
    })
    .filter((column) => column.isFound)
    .sort((a, b) => a.rank - b.rank)
    .map(({ name }) => name);
}

function requireSameColumns(
  asked: readonly DescribedColumn[],
  read: readonly DescribedColumn[],
): void {
  const at = asked.findIndex(
    ({ name, type }, i) => read[i]?.name !== name || read[i]?.type !== type,
  );
  if (at < 0 && asked.length === read.length) return;
  const column = asked[at]?.name ?? '';
  refuse(
    `The column ${column} would be read back with another type or name than ${asked[at]?.type ?? ''}; give it a type with CAST and a name with AS.`,
  );
}
