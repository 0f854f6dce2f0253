/** Statistics of the data for choosing between ways of storing a plan. */
import { syncShare } from '../../access/admission/admission.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import type { MaterializationDeps } from '../deps.ts';

export interface StorageRequest {
  readonly projectId: number;
  readonly plan: MaterializationPlan;
  /** The table's row limit. */
  readonly maxRows: number;
  readonly signal: AbortSignal;
}

export interface ChosenStorage {
  readonly plan: MaterializationPlan;
  /** Estimated cost of a typical run. */
  readonly ms: number;
}

/** Maximum factor by which row estimates are too low; keeps the choice from pushing a table over its row limit. */
const margin = 1.05;

export function isWithin(maxRows: number, rows: number): boolean {
  return margin * rows <= maxRows;
}

/** SQL for an estimate of the distinct tuples; NULL counts as a value. */
export function distinctTuples(expressions: readonly string[]): string {
  return expressions.length === 0 ? '1' : `uniq(tuple(${expressions.join(', ')}))`;
}

/** Runs a statement that returns one row of numbers. */
export async function readNumbers(
  { engine, clock }: MaterializationDeps,
  { projectId, signal }: Pick<StorageRequest, 'projectId' | 'signal'>,
  sql: string,
): Promise<readonly number[]> {
  const queryId = uuidv7(clock.now());
  const result = { limit: 1, offset: 0, integers: 'number', share: syncShare } as const;
  const { rows } = await engine.query({ projectId, sql, params: {}, queryId, ...result }, signal);
  const [row = []] = JSON.parse(rows.toString('utf8')) as number[][];
  return row;
}
