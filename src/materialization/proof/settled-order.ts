/**
 * Ties in a window or under a subquery's LIMIT: the order of rows with equal sort keys is undefined, so two runs may
 * differ. Further sort keys make the query deterministic; its plan is then compared in place of the query's own.
 */

import { tablesOf } from '../../model/materialization-plan.ts';
import { compileQuery } from '../../query/compile-query.ts';
import type { BoundParam } from '../../query/legacy-variable.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { compileReadOfQueries } from '../compile-read.ts';
import type { MaterializationDeps } from '../deps.ts';
import { settledQueries } from '../ties/find-ties.ts';
import { type ComparisonInput, compareResults, countRows } from './compare-results.ts';
import type { ProofRequest } from './proof-request.ts';
import { liveSource } from './proof-source.ts';

type Values = ReadonlyMap<string, BoundParam>;

/**
 * Whether ties alone cause the difference: their order changes the result, the stored table returns as many rows as
 * the settled query, and with a settled order the plan's texts give the same result as the query.
 */
export async function isExplainedByTies(
  deps: MaterializationDeps,
  proof: ProofRequest,
  { bound, compared }: { readonly bound: Values; readonly compared: ComparisonInput },
): Promise<boolean> {
  const settled = await settledQueries(deps, proof.projectId, proof.query);
  if (settled === null) return false;
  const planned = await deps.eligibility.plan(proof.projectId, settled.query);
  if (planned.kind === 'refusal') return false;
  const { plan } = planned;
  const over = (proof.source ?? liveSource([])).inline;
  const inlineOf = async (query: ParsedQuery) =>
    (await over({ projectId: proof.projectId, ...compileQuery(query, bound, null) })).statement;
  const storedQueries: string[] = [];
  for (const { storedQuery } of tablesOf(plan)) {
    const statement = { projectId: proof.projectId, sql: storedQuery, params: {} };
    storedQueries.push((await over(statement)).statement.sql);
  }
  const inline = await inlineOf(settled.query);
  const read = compileReadOfQueries(settled.query, bound, { plan, storedQueries });
  const stored = { projectId: proof.projectId, ...read };
  const shapes = {
    shape: await deps.engine.shape(inline),
    storedShape: await deps.engine.shape(stored),
  };
  const settledSides = { ...compared, ...shapes, inline, stored };
  const reverse = { ...settledSides, stored: await inlineOf(settled.reverse) };
  if ((await compareResults(deps, reverse)).kind !== 'different') return false;
  if ((await compareResults(deps, settledSides)).kind !== 'same') return false;
  return (
    (await countRows(deps, compared, inline)) === (await countRows(deps, compared, compared.stored))
  );
}
