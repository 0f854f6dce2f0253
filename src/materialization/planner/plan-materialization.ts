/** Decides how a version can be answered from a stored table, or says why not. */
import { ServiceError } from '../../errors/service-error.ts';
import type { MaterializationPlan, PlanResult } from '../../model/materialization-plan.ts';
import { noFilters } from '../../query/compile-query.ts';
import { sampleVariables } from '../../query/variables.ts';
import { findPlaceholders, replacePlaceholders } from '../../sql/placeholders.ts';
import type { SqlAnalysis } from '../../sql/sql-analysis.ts';
import { type FinishContext, finishPlan } from './finish-plan.ts';
import { chooseLayouts, requireInWhere, requireSupported } from './layout/choose-layout.ts';
import { planFullResult } from './layout/full-result.ts';
import { isReservedName, type PlanContext, type PlanDraft } from './plan-context.ts';
import type { PlanRequest } from './plan-request.ts';
import { type PullUpContext, pullUpPredicates, unionReason } from './pull-up-predicates.ts';
import { Refusal, refuse } from './refusal.ts';
import { openAggregateNames } from './text/aggregates.ts';
import { requireSameSyntax } from './text/check-formatting.ts';
import { requireDeterministic } from './text/determinism.ts';
import { inlineWithExpressions } from './text/inline-with-expressions.ts';
import { hasVariable, toParameters } from './text/parameters.ts';
import { parseCondition } from './text/predicates.ts';
import { parseSelect, type Select } from './text/select.ts';
import { isName, nameOf, type Tokens, textOf } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';
import { requireRepeatable } from './tree/exactness.ts';
import { canonicalizeQuery, isSameQuery } from './tree/plan-equivalence.ts';

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
    if (!isQueryError(error)) throw error;
    return {
      kind: 'refusal',
      reason: `The engine does not take a part of the query on its own: ${error.message}`,
    };
  }
}

function isQueryError(error: unknown): error is Error {
  if (error instanceof Refusal) return true;
  return error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code);
}

async function makePlan(
  given: PlanRequest,
  analysis: SqlAnalysis,
  labels: Map<string, string>,
): Promise<MaterializationPlan> {
  const request = { ...given, sql: await analysis.plain(withoutFilters(given.sql)) };
  const placeholders = findPlaceholders(request.sql);
  if (placeholders.length === 0) return planFullResult(request.sql, analysis);
  const definition = { kind: 'SQLQuery' as const, query: request.sql, variables: {} };
  const bound = sampleVariables({ definition, placeholders, definitions: request.definitions });
  const parameters = toParameters(request.sql, bound);
  const catalog = await analysis.functions();
  const hoisting: PullUpContext = {
    analysis,
    catalog,
    parameters,
    names: openAggregateNames(catalog),
    labels,
  };
  const written = await readText(hoisting);
  requireFreeNames(written);
  requireDeterministic(written, catalog);
  requireStorableClauses(parseSelect(written), parameters.names);
  const { tokens, original } = await withInlinedExpressions(written, hoisting);
  const moved = await pullUpPredicates(tokens, hoisting);
  const select = parseSelect(moved === null ? tokens : await analysis.tokens(moved));
  requireInWhere(select, parameters.names);
  requireSupported(select);
  const condition = parseCondition(select.clauses.get('WHERE') ?? [], parameters.names);
  const columns = await analysis.describe(textOf(written), parameters.samples);
  const context: PlanContext = { ...hoisting, columns, select, condition, original };
  const ways = await chooseLayouts(context);
  requireRepeatable(original, hoisting);
  return firstPlan({ ...context, labels: hoisting.labels }, ways);
}

/** What no stored table answers wherever it stands; variables in WITH and FROM may still be moved. */
function requireStorableClauses(select: Select, names: readonly string[]): void {
  const clauses = [...select.clauses].filter(([clause]) => clause !== 'WITH' && clause !== 'FROM');
  requireInWhere({ ...select, clauses: new Map(clauses) }, names);
  requireSupported(select);
}

/** The first of several ways that is exact; the reason of the last where none is. */
async function firstPlan(
  context: FinishContext,
  [way, ...others]: readonly (() => PlanDraft)[],
): Promise<MaterializationPlan> {
  if (way === undefined) throw new Error('there is no way to plan');
  try {
    return await finishPlan(context, way());
  } catch (error) {
    if (others.length === 0 || !isQueryError(error)) throw error;
    return firstPlan(context, others);
  }
}

interface UnderstoodQuery {
  readonly tokens: Tokens;
  readonly original: Node;
}

/** The text with the expressions of WITH where their names stand, wherever the engine understands both as the same. */
async function withInlinedExpressions(
  written: Tokens,
  { analysis, parameters, names }: PullUpContext,
): Promise<UnderstoodQuery> {
  const { samples } = parameters;
  const original = canonicalizeQuery(await analysis.tree(textOf(written), samples), names);
  if (original === null) refuse(unionReason);
  const plain = inlineWithExpressions(written);
  if (plain === null) return { tokens: written, original };
  try {
    const text = await analysis.format(plain);
    const understood = canonicalizeQuery(await analysis.tree(text, samples), names);
    if (understood !== null && isSameQuery(original, understood)) {
      return { tokens: await analysis.tokens(text), original };
    }
  } catch (error) {
    if (!isQueryError(error)) throw error;
  }
  return { tokens: written, original };
}

/** The query as it is run without filters; a run with filters reads the source, since they may ask for any column. */
function withoutFilters(sql: string): string {
  return replacePlaceholders(sql, findPlaceholders(sql), ({ kind, start, end }) =>
    kind === 'filters' ? noFilters : sql.slice(start, end),
  );
}

/** The query in the engine's formatting, which must mean the same. */
async function readText({ analysis, parameters }: PullUpContext): Promise<Tokens> {
  const formatted = await analysis.format(parameters.text);
  const written = await analysis.ast(parameters.text, parameters.samples);
  if (written.some((line) => /^ *(SelectIntersectExceptQuery)/.test(line))) refuse(unionReason);
  if (/\(children (?!1\))/.test(written[1] ?? '')) refuse(unionReason);
  requireSameSyntax(written, await analysis.ast(formatted, parameters.samples));
  return analysis.tokens(formatted);
}

/** As the engine writes control characters within quotes. */
const CONTROL = /\\[^\\`"']/;

/** Throws Refusal for a name that the stored table's own columns have. */
function requireFreeNames(tokens: Tokens): void {
  const own = tokens.find(
    (token) => isName(token) && isReservedName(nameOf(token)) && !hasVariable([token]),
  );
  const odd = tokens.find((token) => token.kind === 'QuotedIdentifier' && CONTROL.test(token.text));
  if (odd !== undefined) {
    refuse(`The name ${odd.text} holds a control character, as a line break; use another name.`);
  }
  if (own !== undefined) {
    refuse(`The name ${own.text} is reserved for stored tables; use another name.`);
  }
}
