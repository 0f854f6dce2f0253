import {
  type MaterializationPlan,
  readOf,
  readOfQueries,
  type TableRead,
} from '../model/materialization-plan.ts';
import { type CompiledQuery, compileQuery } from '../query/compile-query.ts';
import type { BoundParam } from '../query/legacy-variable.ts';
import { type ParsedQuery, parseQuery } from '../query/query-definition.ts';

const parsedReads = new WeakMap<object, ParsedQuery>();

/** A run's read of the stored table. It has the query's placeholders, so the same values are bound. */
export function compileRead(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  { table, plan }: TableRead,
): CompiledQuery {
  const { sql, params } = compileReadQuery(query, bound, plan);
  return { sql: readOf(sql, table), params };
}

/** The same read over the stored queries instead of their tables. */
export function compileReadOfQueries(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  { plan, storedQueries }: { plan: MaterializationPlan; storedQueries: readonly string[] },
): CompiledQuery {
  const { sql, params } = compileReadQuery(query, bound, plan);
  return { sql: readOfQueries(sql, storedQueries), params };
}

function compileReadQuery(
  query: ParsedQuery,
  bound: ReadonlyMap<string, BoundParam>,
  plan: MaterializationPlan,
): CompiledQuery {
  const parsed =
    parsedReads.get(plan) ?? parseQuery({ ...query.definition, query: plan.readQuery });
  parsedReads.set(plan, parsed);
  return compileQuery(parsed, bound, null);
}
