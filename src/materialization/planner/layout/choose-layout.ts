/** The plan for a query with variables: where they may stand, and which way its rows are kept. */
import type { PlanContext, PlanDraft } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { aggregateCalls } from '../text/aggregates.ts';
import { variablesIn } from '../text/parameters.ts';
import type { ClauseName, Select } from '../text/select.ts';
import { callsIn, hasKeyword, isKeyword } from '../text/tokens.ts';
import { planAggregateStates } from './aggregate-states.ts';
import { analyzeGrouping, requireOrderInsensitiveGroups } from './grouping.ts';
import { planResultRows } from './result-rows.ts';
import { hasWindow, requireExactWindows } from './windows.ts';

/** Why a variable may not stand in a clause, and what to do instead. */
const clauseReasons: Readonly<Partial<Record<ClauseName, (name: string) => string>>> = {
  WITH: (name) =>
    `The variable ${name} is used in WITH where its condition cannot be taken out; use it in the WHERE of the main SELECT.`,
  SELECT: (name) =>
    `The variable ${name} is used in SELECT; a stored table can only be filtered by variables, so use it in WHERE alone.`,
  FROM: (name) =>
    `The variable ${name} is used in FROM, as in a JOIN condition; use it in WHERE alone.`,
  PREWHERE: (name) => `The variable ${name} is used in PREWHERE; write WHERE.`,
  'GROUP BY': (name) => `The variable ${name} is used in GROUP BY; use it in WHERE alone.`,
  HAVING: (name) =>
    `The variable ${name} is used in HAVING; only conditions in WHERE can be materialized.`,
  WINDOW: (name) => `The variable ${name} is used in a window; use it in WHERE alone.`,
  QUALIFY: (name) => `The variable ${name} is used in QUALIFY; use it in WHERE alone.`,
  'ORDER BY': (name) => `The variable ${name} is used in ORDER BY; use it in WHERE alone.`,
  'LIMIT BY': (name) => `The variable ${name} is used in LIMIT BY; use it in WHERE alone.`,
  LIMIT: (name) =>
    `The variable ${name} is used in LIMIT; give the limit and offset of the run instead.`,
  OFFSET: (name) =>
    `The variable ${name} is used in OFFSET; give the limit and offset of the run instead.`,
};

/** Throws Refusal for a variable outside of WHERE. */
export function requireInWhere({ clauses }: Select, names: readonly string[]): void {
  for (const [clause, tokens] of clauses) {
    const [variable] = variablesIn(tokens);
    const reason = clauseReasons[clause];
    if (variable !== undefined && reason !== undefined) refuse(reason(names[variable] ?? ''));
  }
}

/** Throws Refusal for parts of a SELECT that a stored table cannot answer under variables. */
export function requireSupported({ clauses }: Select): void {
  const all = [...clauses.values()].flat();
  if (clauses.has('QUALIFY')) {
    refuse(
      'QUALIFY cannot be materialized with variables; filter in a subquery of your own table.',
    );
  }
  if (clauses.has('WINDOW')) {
    refuse(
      'A WINDOW clause cannot be materialized with variables; write each window out behind OVER.',
    );
  }
  if (clauses.has('FETCH') || hasKeyword(clauses.get('LIMIT') ?? [], 'TIES')) {
    refuse('LIMIT … WITH TIES and FETCH cannot be materialized with variables; use LIMIT.');
  }
  if (hasKeyword(clauses.get('FROM') ?? [], 'SAMPLE')) {
    refuse('SAMPLE cannot be materialized with variables; leave it out.');
  }
  if (isKeyword(clauses.get('WITH')?.[0], 'RECURSIVE')) {
    refuse('WITH RECURSIVE cannot be materialized with variables; leave the variables out.');
  }
  if (callsIn(all).some((at) => isKeyword(all[at], 'ARRAYJOIN', 'UNNEST'))) {
    refuse(
      'The function arrayJoin cannot be materialized with variables; use an ARRAY JOIN clause.',
    );
  }
}

/** The ways to answer it, the best first. Throws Refusal for a query that no stored table answers exactly. */
export async function chooseLayouts(context: PlanContext): Promise<readonly (() => PlanDraft)[]> {
  const { select, names } = context;
  const { clauses } = select;
  const searched = [
    ...select.items.map(({ expression }) => expression),
    clauses.get('HAVING') ?? [],
    clauses.get('LIMIT BY') ?? [],
    clauses.get('ORDER BY') ?? [],
  ];
  const isAggregating = searched.some((tokens) =>
    aggregateCalls(tokens, names).some(({ isWindow }) => !isWindow),
  );
  const isGrouping = clauses.has('GROUP BY') || isAggregating;
  requireOrderedLimit(clauses, isGrouping && !clauses.has('GROUP BY'));
  if (hasWindow(context)) {
    if (isGrouping) {
      refuse(
        'Window functions over groups cannot be materialized with variables; compute them in your own code.',
      );
    }
    await requireExactWindows(context);
  }
  return isGrouping ? planGroups(context) : [() => planResultRows(context, false)];
}

function requireOrderedLimit(clauses: Select['clauses'], isOneRow: boolean): void {
  const isCut = (['LIMIT', 'LIMIT BY', 'OFFSET'] as const).some((name) => clauses.has(name));
  if (!isCut || clauses.has('ORDER BY') || isOneRow) return;
  refuse(
    'LIMIT without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
  );
}

/** Groups of which a run takes every row or none are stored with their results, and nothing is put together. */
async function planGroups(context: PlanContext): Promise<readonly (() => PlanDraft)[]> {
  const parts = analyzeGrouping(context);
  await requireOrderInsensitiveGroups(context, parts);
  const inParts = () => planAggregateStates(context, parts);
  const isOneRow = parts.keys.length === 0 || context.condition.predicates.length === 0;
  return isOneRow ? [inParts] : [() => planResultRows(context, true), inParts];
}
