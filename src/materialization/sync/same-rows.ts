/** Whether the user that fills the stored tables sees the rows that runs of the query itself see. */
import { compileQuery } from '../../query/compile-query.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import type { MaterializationDeps } from '../deps.ts';
import { MaterializationRefused } from './sync.ts';

/**
 * Looked at by each sync, since row policies may be created at any time, and rows that they hide may be added.
 *
 * @throws MaterializationRefused
 */
export async function requireSameRows(
  { engine }: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<void> {
  const statement = { projectId, ...compileQuery(query, sampleVariables(query), null) };
  const table = await engine.hiddenTable(statement);
  if (table === null) return;
  throw new MaterializationRefused(
    `Row policies give the user that runs queries other rows of ${table} than the user that stores results. Give both users of the project the same row policies.`,
    true,
  );
}
