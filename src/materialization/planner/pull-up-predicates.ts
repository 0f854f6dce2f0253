/** Pulls predicates on variables out of a single CTE or subquery into the WHERE of the enclosing SELECT. */
import { matchesOneValue } from './column-types.ts';
import { analyzeGrouping, requireOrderInsensitiveGroups } from './layout/grouping.ts';
import { comparedExpressions, type QueryContext } from './plan-context.ts';
import { refuse, refuseClause } from './refusal.ts';
import { aggregateCalls } from './text/aggregates.ts';
import { inlineCte } from './text/inline-with.ts';
import { hasVariable } from './text/parameters.ts';
import { type Predicate, parseCondition } from './text/predicates.ts';
import {
  appended,
  clauseTexts,
  isStar,
  isUnion,
  parseSelect,
  renderSelect,
  type Select,
} from './text/select.ts';
import { renderCondition } from './text/stored-expressions.ts';
import { requireSupportedClauses } from './text/supported-clauses.ts';
import {
  bracketDepths,
  closingBracketOf,
  hasKeyword,
  isKeyword,
  type Tokens,
  textOf,
} from './text/tokens.ts';

/**
 * An equivalent SELECT with every predicate on a variable in its own WHERE; null if there is nothing to move. Throws
 * Refusal if moving a predicate would change the result.
 */
export async function pullUpPredicates(
  tokens: Tokens,
  context: QueryContext,
): Promise<string | null> {
  const written = inlineCte(tokens) ?? tokens;
  const select = parseSelect(written);
  const from = select.clauses.get('FROM') ?? [];
  if (!hasVariable(from)) return written === tokens ? null : textOf(written);
  if (from[0]?.text !== '(' || !hasKeyword(from.slice(1, 2), 'SELECT', 'WITH')) return null;
  const end = closingBracketOf(from, 0);
  if (hasVariable(from.slice(end))) return null;
  requireSingle(from.slice(end + 1), context.parameters.names);
  const inner = await innerSelect(from.slice(1, end), context);
  return pullUpOnce({ select, inner, behind: from.slice(end + 1), context });
}

/** The inner SELECT, after pulling up the predicates of its own subqueries. */
async function innerSelect(tokens: Tokens, context: QueryContext): Promise<Select> {
  if (isUnion(tokens)) refuseClause(unionReason);
  const rewritten = await pullUpPredicates(tokens, context);
  const select = parseSelect(
    rewritten === null ? tokens : await context.analysis.tokens(rewritten),
  );
  requireSupportedClauses(select, context.parameters.names);
  return select;
}

export const unionReason =
  'A UNION with variables cannot be materialized; make an endpoint of each SELECT, or leave the variables out.';

/** Throws Refusal unless the subquery, optionally with an alias, is the only source. */
function requireSingle(behind: Tokens, names: readonly string[]): void {
  if (behind.length === 0 || (behind.length === 2 && isKeyword(behind[0], 'AS'))) return;
  refuseClause(
    `The variable ${names[0] ?? ''} is used in a subquery that is joined with something else; use it in the main WHERE.`,
  );
}

interface PullUp {
  readonly select: Select;
  readonly inner: Select;
  /** AS and the subquery's alias; empty if it has none. */
  readonly behind: Tokens;
  readonly context: QueryContext;
}

async function pullUpOnce({ select, inner, behind, context }: PullUp): Promise<string> {
  const { names } = context.parameters;
  requireNamedColumns(select);
  const condition = parseCondition(inner.clauses.get('WHERE') ?? [], names);
  requirePullable(inner, condition.predicates, context);
  const expressions = comparedExpressions(condition.predicates).map(textOf);
  const columns = expressions.map((_expression, at) => `__h${pulledUpColumns(inner)}${at}`);
  expressions.forEach((text, at) => {
    const written = context.authorExpressions.get(text) ?? text;
    context.authorExpressions.set(columns[at] ?? '', written);
  });
  const texts = clauseTexts(inner);
  const items = expressions.map((text, at) => `${text} AS ${columns[at] ?? ''}`);
  texts.set('SELECT', appended(texts.get('SELECT'), items, ', '));
  texts.set('WHERE', condition.rest.join(' AND '));
  if (inner.clauses.has('GROUP BY')) {
    texts.set('GROUP BY', appended(texts.get('GROUP BY'), expressions, ', '));
    const grouping = analyzeGrouping({ ...context, select: inner, condition });
    await requireOrderInsensitiveGroups(context, grouping);
    await requireOneValue(condition.predicates, renderSelect(texts), context);
  } else if (inner.isDistinct) {
    await requireOneValue(condition.predicates, renderSelect(texts), context);
  }
  const outer = clauseTexts(select);
  outer.set('FROM', `(${renderSelect(texts)}) ${textOf(behind)}`.trimEnd());
  outer.set('SELECT', withoutPulledUp(select, columns));
  const moved = condition.predicates.map(
    (predicate) => `(${renderCondition(predicate.condition, (column) => columns[column] ?? '')})`,
  );
  const own = select.clauses.get('WHERE');
  outer.set('WHERE', appended(own === undefined ? '' : `(${textOf(own)})`, moved, ' AND '));
  return context.analysis.format(renderSelect(outer));
}

/** Number of such columns the SELECT already has; used to keep the names of further ones distinct. */
function pulledUpColumns(inner: Select): number {
  const all = [...inner.clauses.values()].flat();
  return all.filter(({ text }) => text.startsWith('__h')).length;
}

/** Throws Refusal for `f(*)`, whose result an additional column would change. */
function requireNamedColumns({ clauses }: Select): void {
  for (const [clause, tokens] of clauses) {
    const depth = bracketDepths(tokens);
    const found = tokens.some((token, at) => {
      if (clause === 'FROM' || token.text !== '*' || depth[at] === 0) return false;
      const isArgument = [',', '(', '.'].includes(tokens[at - 1]?.text ?? '');
      return isArgument && !isKeyword(tokens[at - 2], 'COUNT');
    });
    if (found) refuse(starReason);
  }
}

const starReason =
  'The SELECT around a subquery with variables gives * to a function or changes its columns; list the columns.';

function withoutPulledUp(select: Select, columns: readonly string[]): string {
  const items = select.items.map((item) => {
    if (!isStar(item)) return textOf(item.tokens);
    const isBare = item.expression.at(-1)?.text === '*';
    if (isBare) return `${textOf(item.expression)} EXCEPT (${columns.join(', ')})`;
    return refuse(starReason);
  });
  return `${select.isDistinct ? 'DISTINCT ' : ''}${items.join(', ')}`;
}

/** Throws Refusal for an inner SELECT whose rows depend on rows that the predicate excludes. */
function requirePullable(
  inner: Select,
  predicates: readonly Predicate[],
  context: QueryContext,
): void {
  const name = context.parameters.names[predicates[0]?.variables[0] ?? 0] ?? '';
  if (predicates.some(({ columns }) => columns.length === 0)) {
    refuse(
      `A condition on the variable ${name} alone stands in a subquery; write it into the main WHERE.`,
    );
  }
  const { clauses } = inner;
  if (clauses.has('LIMIT') || clauses.has('LIMIT BY') || clauses.has('OFFSET')) {
    refuseClause(
      `The variable ${name} is used in a subquery with LIMIT; use it in a SELECT without one.`,
    );
  }
  const others = [clauses.get('WITH') ?? [], clauses.get('HAVING') ?? []];
  const tokenLists = [...inner.items.map(({ tokens }) => tokens), ...others];
  if (tokenLists.some((tokens) => hasKeyword(tokens, 'OVER'))) {
    refuseClause(
      `The variable ${name} is used in a subquery with window functions; use it around or below them.`,
    );
  }
  const isAggregating = tokenLists.some(
    (tokens) => aggregateCalls(tokens, context.names).length > 0,
  );
  if (isAggregating && !clauses.has('GROUP BY')) {
    refuseClause(
      `The variable ${name} is used in a subquery of aggregates without GROUP BY; group it, or use the variable in the main WHERE.`,
    );
  }
}

/**
 * Throws Refusal unless each predicate chooses one value of its expression.
 *
 * @param sql the inner SELECT with the compared expressions as its last columns.
 */
async function requireOneValue(
  predicates: readonly Predicate[],
  sql: string,
  { analysis, parameters }: QueryContext,
): Promise<void> {
  const comparisons = predicates.flatMap(({ comparison }) => comparison ?? []);
  if (comparisons.length === predicates.length) {
    const given = comparisons.map(({ right }, at) => `${textOf(right)} AS g${at}`).join(', ');
    const lefts = await analysis.describe(sql, parameters.samples);
    const rights = await analysis.describe(`SELECT ${given}`, parameters.samples);
    const count = comparedExpressions(predicates).length;
    const isEach = comparisons.every(({ kind, column }, at) => {
      const left = lefts[lefts.length - count + column]?.type ?? '';
      return kind === 'equal' && matchesOneValue(left, rights[at]?.type ?? '');
    });
    if (isEach) return;
  }
  const name = parameters.names[predicates[0]?.variables[0] ?? 0] ?? '';
  refuseClause(
    `The variable ${name} does more than choose one value in a subquery that groups or takes DISTINCT; use = there, or use it in the main WHERE.`,
  );
}
