/** Chooses how the rows of a query with variables are stored: as result rows, final groups, or aggregate states. */
import type { PlanContext, PlanDraft } from '../plan-context.ts';
import { refuse, refuseClause } from '../refusal.ts';
import { groupedCalls } from '../text/aggregates.ts';
import { hasVariable, variablesIn } from '../text/parameters.ts';
import type { Select } from '../text/select.ts';
import { hasKeyword, type Tokens } from '../text/tokens.ts';
import { planAggregateStates } from './aggregate-states.ts';
import { checkedGroups } from './group-checks.ts';
import { analyzeGrouping, requireOrderInsensitiveGroups } from './grouping.ts';
import { parseLimitBy } from './ordering.ts';
import { planResultRows } from './result-rows.ts';
import { hasWindow, requireExactWindows } from './windows.ts';
import { keptGuards, zeroGuards } from './zero-guards.ts';

export interface Layouts {
  /** Best first. */
  readonly layouts: readonly (() => PlanDraft)[];
  /** Whether each sync checks what the results of aggregates require of the groups. */
  readonly hasCheckedGroups: boolean;
}

/** The possible layouts of the stored table. Throws Refusal if none is exact for the query. */
export async function chooseLayouts(context: PlanContext): Promise<Layouts> {
  const { select, names } = context;
  requireNames(context);
  const computed = computedParts(select);
  const isAggregating = computed.some((tokens) => groupedCalls(tokens, names).length > 0);
  if (select.clauses.has('GROUP BY') || isAggregating) return planGroups(context);
  requireNoVariables(context, computed);
  if (hasWindow(context)) requireExactWindows(context);
  const kept = { ...context, zeroGuards: await keptGuards(context) };
  return { layouts: [() => planResultRows(kept, false)], hasCheckedGroups: false };
}

/** The engine names a column without an alias after its expression, including the value of a variable in it. */
function requireNames({ select, parameters }: PlanContext): void {
  const unnamed = select.items.find(
    ({ alias, expression }) => alias === null && hasVariable(expression),
  );
  if (unnamed === undefined) return;
  const name = parameters.names[variablesIn(unnamed.expression)[0] ?? 0] ?? '';
  refuse(
    `The column with the variable ${name} has no name, so that its value becomes a part of one; name it with AS.`,
  );
}

/** The expressions a query computes from its rows or groups. */
function computedParts(select: Select): readonly Tokens[] {
  const { items, clauses } = select;
  return [
    ...items.map(({ expression }) => expression),
    clauses.get('HAVING') ?? [],
    ...(parseLimitBy(select)?.expressions ?? []),
    clauses.get('ORDER BY') ?? [],
    clauses.get('QUALIFY') ?? [],
  ];
}

/** Throws Refusal for a variable in an expression that is stored with each row. */
function requireNoVariables({ parameters }: PlanContext, computed: readonly Tokens[]): void {
  const [variable] = variablesIn(computed.flat());
  if (variable === undefined) return;
  const name = parameters.names[variable] ?? '';
  refuseClause(
    `The variable ${name} is used in SELECT, ORDER BY or LIMIT BY of a query that does not group; use it in WHERE, LIMIT or OFFSET.`,
  );
}

/** Stores final groups if every run includes or excludes whole groups, otherwise aggregate states that reads merge. */
async function planGroups(given: PlanContext): Promise<Layouts> {
  const context = { ...given, zeroGuards: await zeroGuards(given) };
  const grouping = analyzeGrouping(context);
  await requireOrderInsensitiveGroups(context, grouping);
  const checked = checkedGroups(context, grouping);
  const hasCheckedGroups = checked !== null;
  const checks = checked === null ? {} : { checked };
  const states = () => ({ ...planAggregateStates(context, grouping), ...checks });
  const computed = computedParts(context.select).flat();
  const isComputedAtRead = hasVariable(computed) || hasKeyword(computed, 'OVER');
  if (grouping.keys.length === 0 || isComputedAtRead || !grouping.isPlain)
    return { layouts: [states], hasCheckedGroups };
  const rows = () => ({ ...planResultRows(context, true), ...checks });
  return { layouts: [rows, states], hasCheckedGroups };
}
