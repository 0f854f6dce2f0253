/** Decides how runs of a version can read a stored table, or why they cannot. */
import type { MaterializationPlan, PlanResult } from '../../model/materialization-plan.ts';
import { noFilters } from '../../query/compile-query.ts';
import type { VariableDefinition } from '../../query/variable-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import { findPlaceholders, replacePlaceholders } from '../../sql/placeholders.ts';
import { readQueryTree } from '../../sql/query-tree.ts';
import { isTextError, type SqlAnalysis } from '../../sql/sql-analysis.ts';
import { finishPlan } from './finish-plan.ts';
import { chooseLayouts } from './layout/choose-layout.ts';
import { planFullResult } from './layout/full-result.ts';
import { withNamedItems } from './name-items.ts';
import { planPieces } from './pieces/plan-pieces.ts';
import type { PlanContext, PlanDraft, QueryContext } from './plan-context.ts';
import { pullUpPredicates, unionReason } from './pull-up-predicates.ts';
import { Refusal, refuse } from './refusal.ts';
import { withPlace } from './refusal-place.ts';
import { rememberedAnalysis } from './remembered-analysis.ts';
import { isReservedName } from './stored-columns.ts';
import { openAggregateNames } from './text/aggregates.ts';
import { requireSameSyntax } from './text/check-formatting.ts';
import { withCommonConditions } from './text/common-conditions.ts';
import { requireDeterministic } from './text/determinism.ts';
import { expandClauses } from './text/expand-clauses.ts';
import { withoutCtes } from './text/inline-ctes.ts';
import { inlineWithExpressions } from './text/inline-with.ts';
import { withOperators } from './text/operators.ts';
import { hasVariable, toParameters } from './text/parameters.ts';
import { parseCondition } from './text/predicates.ts';
import { withoutPrewhere } from './text/prewhere.ts';
import { parseSelect } from './text/select.ts';
import {
  readClauses,
  requireNoWindowNames,
  requireSupportedClauses,
} from './text/supported-clauses.ts';
import { isName, nameOf, type Tokens, textOf } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';
import { canonicalize } from './tree/canonicalize.ts';
import { canonicalizeQuery, isSameQuery } from './tree/plan-equivalence.ts';
import { requireRepeatable } from './tree/repeatability.ts';

export interface PlanRequest {
  readonly projectId: number;
  /** As its author wrote it, with placeholders. */
  readonly sql: string;
  readonly definitions: ReadonlyMap<string, VariableDefinition>;
}

/**
 * Plans one version. Reads by the plan return exactly the rows of the inline query on the data of the last sync, as far as
 * the query determines them: ORDER BY may leave ties open, and without it the order is open. What cannot be shown to be
 * exact is refused.
 *
 * @throws ServiceError when the engine is not available; never for the text.
 */
export async function planMaterialization(
  request: PlanRequest,
  analysis: SqlAnalysis,
): Promise<PlanResult> {
  const authorExpressions = new Map<string, string>();
  const remembered = rememberedAnalysis(analysis);
  try {
    return { kind: 'plan', plan: await makePlan(request, remembered, authorExpressions) };
  } catch (error) {
    if (error instanceof Refusal) {
      const written = (name: string) => authorExpressions.get(name) ?? name;
      const reason = error.message.replace(/\b(__h|querydock_var_)\d+/g, written);
      return { kind: 'refusal', reason: withPlace(reason, request.sql) };
    }
    if (!isTextError(error)) throw error;
    const reason = `The engine does not take a part of the query on its own: ${error.message}`;
    return { kind: 'refusal', reason };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Refusal || isTextError(error);
}

async function makePlan(
  given: PlanRequest,
  analysis: SqlAnalysis,
  authorExpressions: Map<string, string>,
): Promise<MaterializationPlan> {
  const request = { ...given, sql: await analysis.plain(withoutFilters(given.sql)) };
  const placeholders = findPlaceholders(request.sql);
  if (placeholders.length === 0) return planFullResult(request.sql, analysis);
  const definition = { kind: 'SQLQuery' as const, query: request.sql, variables: {} };
  const bound = sampleVariables({ definition, placeholders, definitions: request.definitions });
  const parameters = toParameters(request.sql, bound);
  for (const [at, name] of parameters.names.entries()) {
    authorExpressions.set(`querydock_var_${at}`, name);
  }
  const catalog = await analysis.functions();
  const query: QueryContext = {
    analysis,
    catalog,
    parameters,
    names: openAggregateNames(catalog),
    authorExpressions,
  };
  const formatted = await withOperatorsInPlace(await formatQuery(query), query);
  requireFreeNames(formatted);
  requireDeterministic(formatted, catalog);
  const named = await withNamedItems(formatted, query);
  const moved = withoutPrewhere(named);
  const written = moved === null ? named : await analysis.tokens(await analysis.format(moved));
  try {
    return await planWritten(written, query);
  } catch (error) {
    const text = isRefusal(error) ? withoutCtes(written) : null;
    const other = text === null ? null : await sameQuery(written, text, query);
    if (other === null) throw error;
    return planWritten(other, query).catch(() => {
      throw error;
    });
  }
}

/** By one table where that is exact, otherwise by the query's pieces. */
async function planWritten(written: Tokens, query: QueryContext): Promise<MaterializationPlan> {
  try {
    return await planOneTable(written, query);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const plan = await planPieces(written, query).catch((other: unknown) => {
      if (!isRefusal(other)) throw other;
      throw isAboutClause(error) ? other : error;
    });
    if (plan === null) throw error;
    return plan;
  }
}

/** Whether the clause that a variable is used in is at fault, or what was made of it, which other plans may take. */
function isAboutClause(error: unknown): boolean {
  return !(error instanceof Refusal) || aboutClauses.test(error.message);
}

const aboutClauses =
  /^(The variables? .*\b(used in|does more than choose)\b|A UNION with variables|The function arrayJoin )/;

/** One stored table, which a read filters by the variables. */
async function planOneTable(written: Tokens, query: QueryContext): Promise<MaterializationPlan> {
  const { analysis, parameters } = query;
  await requireNoUnion(query);
  const movable = ['WITH', 'FROM', 'WINDOW', ...readClauses] as const;
  requireSupportedClauses(parseSelect(written), parameters.names, movable);
  const { tokens, original } = await withInlinedExpressions(written, query);
  const moved = await pullUpPredicates(tokens, query);
  const select = parseSelect(moved === null ? tokens : await analysis.tokens(moved));
  requireSupportedClauses(select, parameters.names, readClauses);
  requireNoWindowNames(select);
  const condition = parseCondition(select.clauses.get('WHERE') ?? [], parameters.names);
  const columns = await analysis.describe(textOf(written), parameters.samples);
  const context: PlanContext = { ...query, columns, select, condition, original };
  const layouts = await chooseLayouts(context);
  requireRepeatable(original, query, { keepsOrder: false });
  return planFirstExact(context, layouts);
}

/** The first layout that is exact; where none is, the refusal of the last. */
async function planFirstExact(
  context: PlanContext,
  [layout, ...others]: readonly (() => PlanDraft)[],
): Promise<MaterializationPlan> {
  if (layout === undefined) throw new Error('there is no layout to plan');
  try {
    return await finishPlan(context, layout());
  } catch (error) {
    if (others.length === 0 || !isRefusal(error)) throw error;
    return planFirstExact(context, others);
  }
}

interface UnderstoodQuery {
  readonly tokens: Tokens;
  readonly original: Node;
}

/** With what WITH, ALL and WINDOW name written out, where the engine understands the text as the same query. */
async function withInlinedExpressions(
  written: Tokens,
  query: QueryContext,
): Promise<UnderstoodQuery> {
  const { analysis, parameters, names } = query;
  const tree = await analysis.tree(textOf(written), parameters.samples);
  const original = canonicalizeQuery(tree, names);
  if (original === null) refuse(unionReason);
  const plain = await rewritten(
    { tokens: written, original },
    inlineWithExpressions(written),
    query,
  );
  const expanded = await rewritten(plain, expandClauses(plain.tokens, names), query);
  return withCommonWritten(expanded, query);
}

/** The engine's analysis does not show that both are the same, but the rules of AND and OR do. */
async function withCommonWritten(
  understood: UnderstoodQuery,
  { analysis, parameters: { samples }, names }: QueryContext,
): Promise<UnderstoodQuery> {
  const text = withCommonConditions(understood.tokens);
  if (text === null) return understood;
  const formatted = await analysis.format(text);
  const original = canonicalizeQuery(await analysis.tree(formatted, samples), names);
  if (original === null) return understood;
  return { tokens: await analysis.tokens(formatted), original };
}

/** @param text null where there is nothing to write in another way. */
async function rewritten(
  understood: UnderstoodQuery,
  text: string | null,
  { analysis, parameters: { samples }, names }: QueryContext,
): Promise<UnderstoodQuery> {
  if (text === null) return understood;
  const { original } = understood;
  try {
    const formatted = await analysis.format(text);
    const other = canonicalizeQuery(await analysis.tree(formatted, samples), names);
    if (other !== null && isSameQuery(original, other)) {
      return { tokens: await analysis.tokens(formatted), original };
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return understood;
}

/** The query of a run without filters; filters may use any column, so a run with them reads the source. */
function withoutFilters(sql: string): string {
  return replacePlaceholders(sql, findPlaceholders(sql), ({ kind, start, end }) =>
    kind === 'filters' ? noFilters : sql.slice(start, end),
  );
}

async function requireNoUnion({ analysis, parameters }: QueryContext): Promise<void> {
  const written = await analysis.ast(parameters.text, parameters.samples);
  if (written.some((line) => /^ *(SelectIntersectExceptQuery)/.test(line))) refuse(unionReason);
  if (/\(children (?!1\))/.test(written[1] ?? '')) refuse(unionReason);
}

/** The query in the engine's formatting. Throws Refusal where that has another syntax tree. */
async function formatQuery({ analysis, parameters }: QueryContext): Promise<Tokens> {
  const formatted = await analysis.format(parameters.text);
  const written = await analysis.ast(parameters.text, parameters.samples);
  requireSameSyntax(written, await analysis.ast(formatted, parameters.samples));
  return analysis.tokens(formatted);
}

/** With `and(equals(a, 1), …)` as `a = 1 AND …`, where the engine understands both as the same query. */
async function withOperatorsInPlace(formatted: Tokens, query: QueryContext): Promise<Tokens> {
  const text = withOperators(formatted);
  return (text === null ? null : await sameQuery(formatted, text, query)) ?? formatted;
}

/** The text in the engine's formatting; null where the engine does not understand it as the query that is written. */
async function sameQuery(
  written: Tokens,
  text: string,
  { analysis, parameters, names }: QueryContext,
): Promise<Tokens | null> {
  try {
    const trees = await Promise.all(
      [textOf(written), text].map((sql) => analysis.tree(sql, parameters.samples)),
    );
    const [original, other] = trees.map((lines) => readQueryTree(lines)?.[0]);
    if (original === undefined || other === undefined) return null;
    const isSame = canonicalize(original, names).key === canonicalize(other, names).key;
    return isSame ? await analysis.tokens(await analysis.format(text)) : null;
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}

/** How the engine escapes control characters within quotes. */
const CONTROL = /\\[^\\`"']/;

/** Throws Refusal for names that stored columns have, and for those that do not survive formatting. */
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
