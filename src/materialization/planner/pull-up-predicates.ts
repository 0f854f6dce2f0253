/** Moves conditions on variables out of a single CTE or subquery into the WHERE of the SELECT that reads it. */
import type { CatalogFunction, SqlAnalysis } from '../../sql/sql-analysis.ts';
import { matchesOneValue } from './column-types.ts';
import { requireInWhere, requireSupported } from './layout/choose-layout.ts';
import { analyzeGrouping } from './layout/grouping.ts';
import { refuse } from './refusal.ts';
import { type AggregateNames, aggregateCalls, requireOrderInsensitive } from './text/aggregates.ts';
import { hasVariable, type Parameters } from './text/parameters.ts';
import { type Predicate, parseCondition } from './text/predicates.ts';
import {
  appended,
  clauseTexts,
  isStar,
  parseSelect,
  renderSelect,
  type Select,
} from './text/select.ts';
import {
  bracketDepths,
  closingBracketOf,
  hasKeyword,
  hasSameText,
  isKeyword,
  isName,
  nameOf,
  splitList,
  type Tokens,
  textOf,
} from './text/tokens.ts';

export interface PullUpContext {
  readonly analysis: SqlAnalysis;
  readonly catalog: readonly CatalogFunction[];
  readonly names: AggregateNames;
  readonly parameters: Parameters;
  /** What the author wrote for each column that was moved up; filled by `hoist`. */
  readonly labels: Map<string, string>;
}

/**
 * The SELECT with every condition on a variable in its own WHERE and the same result; null when nothing is
 * to be moved. Throws Refusal where moving would change the result.
 */
export async function pullUpPredicates(
  tokens: Tokens,
  hoisting: PullUpContext,
): Promise<string | null> {
  const written = inlineCte(tokens) ?? tokens;
  const select = parseSelect(written);
  const from = select.clauses.get('FROM') ?? [];
  if (!hasVariable(from)) return written === tokens ? null : textOf(written);
  if (from[0]?.text !== '(' || !hasKeyword(from.slice(1, 2), 'SELECT', 'WITH')) return null;
  const end = closingBracketOf(from, 0);
  if (hasVariable(from.slice(end))) return null;
  requireSingle(from.slice(end + 1), hoisting.parameters.names);
  const inner = await innerSelect(from.slice(1, end), hoisting);
  return pullUpOnce({ select, inner, behind: from.slice(end + 1), hoisting });
}

/** The inner SELECT after its own subqueries have been moved up into it. */
async function innerSelect(tokens: Tokens, hoisting: PullUpContext): Promise<Select> {
  const level = bracketDepths(tokens);
  const isUnion = tokens.some(
    (token, at) =>
      level[at] === 0 &&
      (isKeyword(token, 'UNION', 'INTERSECT') ||
        (isKeyword(token, 'EXCEPT') &&
          (isKeyword(tokens[at + 1], 'SELECT', 'ALL', 'DISTINCT') ||
            tokens[at + 1]?.text === '('))),
  );
  if (isUnion) refuse(unionReason);
  const moved = await pullUpPredicates(tokens, hoisting);
  const select = parseSelect(moved === null ? tokens : await hoisting.analysis.tokens(moved));
  requireInWhere(select, hoisting.parameters.names);
  requireSupported(select);
  return select;
}

export const unionReason =
  'A UNION with variables cannot be materialized; make an endpoint of each SELECT, or leave the variables out.';

/** Where a CTE that holds variables is read once, its SELECT takes the place of its name. */
function inlineCte(tokens: Tokens): Tokens | null {
  const select = parseSelect(tokens);
  const parts = splitList(select.clauses.get('WITH') ?? []);
  const at = parts.findIndex(hasVariable);
  const cte = parts[at];
  const name = cte?.[0];
  if (cte === undefined || !isName(name) || !isKeyword(cte[1], 'AS') || cte[2]?.text !== '(')
    return null;
  const from = select.clauses.get('FROM') ?? [];
  const isRead = isName(from[0]) && nameOf(from[0]) === nameOf(name) && from[1]?.text !== '.';
  const reads = tokens.filter(
    (token, i) => isName(token) && nameOf(token) === nameOf(name) && tokens[i + 1]?.text !== '.',
  );
  // Its definition and its one place in FROM.
  if (reads.length !== 2 || parts.filter(hasVariable).length > 1 || !isRead) {
    refuse(
      'The variables are used in a CTE that is not read exactly once, by the main SELECT, or in several CTEs; use them in one CTE or in the main WHERE.',
    );
  }
  const own =
    from.length > 1 && isKeyword(from[1], 'AS') ? from.slice(1) : asNamed(name, from.slice(1));
  const others = parts.filter((_part, i) => i !== at);
  const start = tokens.findIndex(
    (token, i) => isKeyword(token, 'SELECT') && bracketDepths(tokens)[i] === 0,
  );
  const fromAt = tokens.findIndex((token, i) => i > start && token === from[0]);
  const withClause = others.flatMap((part, i) => (i === 0 ? [...part] : [comma, ...part]));
  const head = others.length === 0 ? [] : [word('WITH'), ...withClause.map(spacedFirst)];
  return [
    ...head,
    ...tokens.slice(start, fromAt),
    ...cte.slice(2).map(spacedFirst),
    ...own,
    ...tokens.slice(fromAt + from.length),
  ];
}

const comma = { kind: 'Comma', text: ',', spaced: false };
const word = (text: string) => ({ kind: 'BareWord', text, spaced: true });
const spacedFirst = <T extends { readonly spaced: boolean }>(token: T, at: number): T =>
  at === 0 ? { ...token, spaced: true } : token;

function asNamed(name: Tokens[number], rest: Tokens): Tokens {
  return [word('AS'), { ...name, spaced: true }, ...rest];
}

/** Throws Refusal unless nothing but a name stands behind the subquery. */
function requireSingle(behind: Tokens, names: readonly string[]): void {
  const isNamed = behind.length === 0 || (behind.length === 2 && isKeyword(behind[0], 'AS'));
  if (isNamed) return;
  refuse(
    `The variable ${names[0] ?? ''} is used in a subquery that is joined with something else; use it in the main WHERE.`,
  );
}

interface Move {
  readonly select: Select;
  readonly inner: Select;
  /** The subquery's name, with AS; empty when it has none. */
  readonly behind: Tokens;
  readonly hoisting: PullUpContext;
}

async function pullUpOnce({ select, inner, behind, hoisting }: Move): Promise<string> {
  const { names } = hoisting.parameters;
  requireNamedColumns(select);
  const condition = parseCondition(inner.clauses.get('WHERE') ?? [], names);
  requirePullable(inner, condition.predicates, hoisting);
  const held = expressionsOf(condition.predicates);
  const columns = held.map((_expression, at) => `__h${depthOf(inner)}${at}`);
  held.forEach((tokens, at) => {
    const text = textOf(tokens);
    hoisting.labels.set(columns[at] ?? '', hoisting.labels.get(text) ?? text);
  });
  const texts = clauseTexts(inner);
  const items = held.map((tokens, at) => `${textOf(tokens)} AS ${columns[at] ?? ''}`);
  texts.set('SELECT', appended(texts.get('SELECT'), items, ', '));
  texts.set('WHERE', condition.rest.join(' AND '));
  if (inner.clauses.has('GROUP BY')) {
    texts.set('GROUP BY', appended(texts.get('GROUP BY'), held.map(textOf), ', '));
    await requireWholeGroups(inner, condition, { hoisting, text: renderSelect(texts) });
  } else if (inner.isDistinct) {
    await requireOneValue(condition.predicates, { hoisting, text: renderSelect(texts) });
  }
  const outer = clauseTexts(select);
  outer.set('FROM', `(${renderSelect(texts)}) ${textOf(behind)}`.trimEnd());
  outer.set('SELECT', withoutPulledUp(select, columns));
  const moved = condition.predicates.map(
    ({ column, operator, right }) => `(${columns[column] ?? ''} ${operator} ${textOf(right)})`,
  );
  const own = select.clauses.get('WHERE');
  outer.set('WHERE', appended(own === undefined ? '' : `(${textOf(own)})`, moved, ' AND '));
  return hoisting.analysis.format(renderSelect(outer));
}

function expressionsOf(predicates: readonly Predicate[]): readonly Tokens[] {
  const found: Tokens[] = [];
  for (const { left } of predicates) {
    if (!found.some((known) => hasSameText(known, left))) found.push(left);
  }
  return found;
}

/** How many columns have been moved through the SELECT already: names of further ones must differ. */
function depthOf(inner: Select): number {
  const all = [...inner.clauses.values()].flat();
  return all.filter(({ text }) => text.startsWith('__h')).length;
}

/** Throws Refusal where all columns are the arguments of a function: one more would change its result. */
function requireNamedColumns({ clauses }: Select): void {
  for (const [clause, tokens] of clauses) {
    const level = bracketDepths(tokens);
    const found = tokens.some((token, at) => {
      if (clause === 'FROM' || token.text !== '*' || level[at] === 0) return false;
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

/** Throws Refusal for an inner SELECT whose rows depend on rows that the condition leaves out. */
function requirePullable(
  inner: Select,
  predicates: readonly Predicate[],
  hoisting: PullUpContext,
): void {
  const name = hoisting.parameters.names[predicates[0]?.variables[0] ?? 0] ?? '';
  const { clauses } = inner;
  if (clauses.has('LIMIT') || clauses.has('LIMIT BY') || clauses.has('OFFSET')) {
    refuse(
      `The variable ${name} is used in a subquery with LIMIT; use it in a SELECT without one.`,
    );
  }
  const named = [clauses.get('WITH') ?? [], clauses.get('HAVING') ?? []];
  const tokenLists = [...inner.items.map(({ tokens }) => tokens), ...named];
  if (tokenLists.some((tokens) => hasKeyword(tokens, 'OVER'))) {
    refuse(
      `The variable ${name} is used in a subquery with window functions; use it around or below them.`,
    );
  }
  const isAggregating = tokenLists.some(
    (tokens) => aggregateCalls(tokens, hoisting.names).length > 0,
  );
  if (isAggregating && !clauses.has('GROUP BY')) {
    refuse(
      `The variable ${name} is used in a subquery of aggregates without GROUP BY; group it, or use the variable in the main WHERE.`,
    );
  }
}

interface Inner {
  readonly hoisting: PullUpContext;
  /** The inner SELECT with the compared expressions as its last columns. */
  readonly text: string;
}

async function requireWholeGroups(
  select: Select,
  condition: ReturnType<typeof parseCondition>,
  inner: Inner,
): Promise<void> {
  const { hoisting } = inner;
  const parts = analyzeGrouping({ ...hoisting, select, condition, columns: [] });
  const types = await hoisting.analysis.describe(parts.inner, hoisting.parameters.samples);
  parts.aggregates.forEach((aggregate, at) => {
    const type = types[types.length - parts.aggregates.length + at]?.type ?? '';
    requireOrderInsensitive(aggregate, type);
  });
  await requireOneValue(condition.predicates, inner);
}

async function requireOneValue(
  predicates: readonly Predicate[],
  { hoisting, text }: Inner,
): Promise<void> {
  const { analysis, parameters } = hoisting;
  const given = predicates.map(({ right }, at) => `${textOf(right)} AS g${at}`).join(', ');
  const lefts = await analysis.describe(text, parameters.samples);
  const rights = await analysis.describe(`SELECT ${given}`, parameters.samples);
  const count = expressionsOf(predicates).length;
  const isEach = predicates.every(({ kind, column }, at) => {
    const left = lefts[lefts.length - count + column]?.type ?? '';
    return kind === 'equal' && matchesOneValue(left, rights[at]?.type ?? '');
  });
  if (isEach) return;
  const name = parameters.names[predicates[0]?.variables[0] ?? 0] ?? '';
  refuse(
    `The variable ${name} does more than choose one value in a subquery that groups or takes DISTINCT; use = there, or use it in the main WHERE.`,
  );
}
