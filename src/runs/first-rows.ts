import type { Principal } from '../access/principal.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { quoteName } from '../sql/quote-name.ts';
import type { ProjectTable } from '../tables/read-tables.ts';
import type { RunDeps } from './deps.ts';
import type { RunCaller } from './run-endpoint.ts';
import { readRows } from './run-query.ts';
import type { ApiInterface } from './run-request.ts';
import type { RunResponse } from './run-response.ts';
import { unsavedName } from './unsaved-query.ts';

export const defaultFirstRows = 10;
export const maxFirstRows = 100;

interface FirstRowsCall {
  readonly limit: number;
  /** The order of a run; null for no particular order. */
  readonly orderBy: readonly string[] | null;
  readonly via: ApiInterface;
  readonly caller: RunCaller;
}

/**
 * The first rows of a table, read by a run with the usual rights, limits and rates; null for a table with a column that
 * cannot be returned, such as the state of an aggregate function. Throws `invalid_input` for the limit and the order.
 */
export async function readFirstRows(
  deps: RunDeps,
  principal: Principal,
  table: Pick<ProjectTable, 'name' | 'projectId' | 'database'>,
  { limit, orderBy, via, caller }: FirstRowsCall,
): Promise<RunResponse | null> {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxFirstRows)
    throw invalidInput('rows', `first must be from 1 to ${maxFirstRows}.`);
  const run = deps.preparedRuns.prepare({
    projectId: String(table.projectId),
    name: unsavedName,
    input: { limit, orderBy },
    valueSource: 'json',
    via,
  });
  const query = `SELECT * FROM ${written(table)}`;
  try {
    return await readRows(deps, principal, { run, query, caller });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_query') return null;
    throw error;
  }
}

function written({ name, database }: Pick<ProjectTable, 'name' | 'database'>): string {
  if (database === undefined) return quoteName(name);
  return `${quoteName(database)}.${quoteName(name.slice(database.length + 1))}`;
}
