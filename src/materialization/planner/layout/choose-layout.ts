/** How the rows of a query with variables are stored: as result rows, final groups, or aggregate states. */
import type { PlanContext, PlanDraft } from '../plan-context.ts';
import { refuse } from '../refusal.ts';
import { aggregateCalls } from '../text/aggregates.ts';
import type { Select } from '../text/select.ts';
import { planAggregateStates } from './aggregate-states.ts';
import { analyzeGrouping, requireOrderInsensitiveGroups } from './grouping.ts';
import { planResultRows } from './result-rows.ts';
import { hasWindow, requireExactWindows } from './windows.ts';

/** The possible layouts of the stored table, the best first. Throws Refusal for a query that none serves exactly. */
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
  const isLimited = (['LIMIT', 'LIMIT BY', 'OFFSET'] as const).some((name) => clauses.has(name));
  if (!isLimited || clauses.has('ORDER BY') || isOneRow) return;
  refuse(
    'LIMIT without ORDER BY takes any rows; add an ORDER BY so that it takes the same each time.',
  );
}

/** Final groups where every run takes a group whole or not at all; else states that a read merges. */
async function planGroups(context: PlanContext): Promise<readonly (() => PlanDraft)[]> {
  const grouping = analyzeGrouping(context);
  await requireOrderInsensitiveGroups(context, grouping);
  const states = () => planAggregateStates(context, grouping);
  const isOneRow = grouping.keys.length === 0 || context.condition.predicates.length === 0;
  return isOneRow ? [states] : [() => planResultRows(context, true), states];
}
