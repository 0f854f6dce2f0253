/** Runs queries with a selection: which columns, in which order, from which row on. */
import type { Column, EngineQuery, EngineStatement } from '../../query-engine.ts';
import type { RowSelection } from '../../row-selection.ts';
import { readOwnOrder } from '../compare/result-shape.ts';
import { readerRows, type Session, toTexts } from '../http/session.ts';
import { mayBeOutdated, mayMisname } from '../query/plan-statement.ts';
import type { CheckedPlan, Plans } from '../query/plans.ts';
import type { TimeBinder } from '../times/bind-times.ts';
import { type OwnOrder, type ResolvedSelection, resolveSelection } from './resolve-selection.ts';
import { type SelectionClauses, selectionClauses } from './selection-clauses.ts';

/** A query with its selection, resolved against its plan. */
export interface Selected {
  readonly plan: CheckedPlan;
  readonly selection: ResolvedSelection;
  readonly clauses: SelectionClauses;
}

interface SelectingDriver {
  readonly session: Session;
  readonly plans: Plans;
  readonly times: TimeBinder;
}

interface SelectingStatement extends EngineStatement, Pick<EngineQuery, 'fault'> {
  readonly selection: RowSelection;
}

/**
 * Runs by the cached plan, or by a new one if that fails in a way that changed table columns could explain.
 *
 * @throws ServiceError `invalid_input` for a selection that does not fit the query.
 */
export async function runSelected<Result>(
  driver: SelectingDriver,
  query: SelectingStatement,
  run: (selected: Selected) => Promise<Result>,
): Promise<Result> {
  const { plans } = driver;
  const cached = plans.find(query);
  if (cached !== undefined && !mayMisname(cached)) {
    await plans.requireValues(cached, query);
    try {
      return await run(await select(driver, query, cached));
    } catch (error) {
      if (!mayBeOutdated(error)) throw error;
    }
  }
  const plan = await plans.make(query, query.fault ?? 'query_failed');
  if (query.fault === 'invalid_query') await plans.requireValues(plan, query);
  return run(await select(driver, query, plan));
}

async function select(
  { session, times }: SelectingDriver,
  query: SelectingStatement,
  checked: CheckedPlan,
): Promise<Selected> {
  const { plan, params } = await times.bind(checked, query);
  const isOwn = query.selection.order?.by === 'own';
  const own = isOwn ? await ownOrder(session, { ...query, params }, plan) : 'other';
  const selection = resolveSelection(query.selection, plan.columns, own);
  const clauses = selectionClauses(plan.statement, plan.columns, selection);
  return { plan, selection, clauses: { ...clauses, params: { ...params, ...clauses.params } } };
}

async function ownOrder(
  session: Session,
  query: EngineStatement,
  { statement }: CheckedPlan,
): Promise<OwnOrder> {
  const sql = `EXPLAIN QUERY TREE passes = 1\n${statement}`;
  return readOwnOrder(
    toTexts(await readerRows(session, { ...query, sql }, { fault: 'query_failed' })),
  );
}

export function selectedColumns({ plan, selection }: Selected): readonly Column[] {
  return selection.positions.flatMap((position) => plan.columns[position] ?? []);
}
