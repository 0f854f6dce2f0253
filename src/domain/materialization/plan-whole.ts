/** The plan for a query without variables: its result, as it is. */
import { quoteName } from '../quote-name.ts';
import { renamed, stored } from './context.ts';
import { requireDeterministic } from './determinism.ts';
import { groupColumns } from './group-columns.ts';
import { type MaterializationPlan, storedTable } from './plan.ts';
import { hasWord, textOf } from './span.ts';
import type { SqlAnalysis } from './sql-analysis.ts';
import { requireStorable } from './storable.ts';

/** A query that orders its rows is stored with their numbers, so that reads give the same order. */
export async function planWhole(sql: string, analysis: SqlAnalysis): Promise<MaterializationPlan> {
  const written = await analysis.tokens(sql);
  const statement = written.slice(0, written.findLastIndex(({ text }) => text !== ';') + 1);
  const formatted = await analysis.tokens(await analysis.format(textOf(statement)));
  const catalog = await analysis.functions();
  requireDeterministic(formatted, catalog);
  const columns = await analysis.describe(textOf(statement), {});
  requireStorable(columns);
  const groups = groupColumns(formatted, columns, catalog);
  const names = columns.map((_column, at) => stored.result(at));
  const plain = renamed(textOf(statement), names);
  const isOrdered = hasWord(formatted, 'ORDER');
  // The engine keeps the order of an ordered subquery for a function that numbers its rows.
  const numbered = plain.replace(/^SELECT \*/, `SELECT *, rowNumberInAllBlocks() AS ${stored.row}`);
  const selected = columns.map(({ name }, at) => `${stored.result(at)} AS ${quoteName(name)}`);
  const read = `SELECT ${selected.join(', ')} FROM ${storedTable}`;
  return {
    storedQuery: isOrdered ? numbered : plain,
    sortingKey: isOrdered ? [stored.row] : [],
    readQuery: isOrdered ? `${read} ORDER BY ${stored.row} ASC` : read,
    requiredVariables: [],
    predicates: [],
    aggregates: [],
    ...(groups.length === 0 ? {} : { groupColumns: groups }),
  };
}
