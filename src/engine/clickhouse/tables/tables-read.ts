/** Which of a project's tables and columns a statement reads, by the engine's analysis. */
import { columnOf, readQueryTree, type TreeNode, tableNameOf } from '../../../sql/query-tree.ts';
import type { SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { ReadTable } from '../../engine-table.ts';
import type { ProjectPlace } from '../../project-place.ts';
import type { EngineStatement } from '../../query-engine.ts';
import type { Plans } from '../query/plans.ts';

interface Reading {
  readonly plans: Plans;
  readonly analysis: SqlAnalysis;
  readonly place: ProjectPlace;
}

/** Sorted by name. A table of which no column is needed, as for `count()`, has none. */
export async function tablesRead(
  { plans, analysis, place }: Reading,
  query: EngineStatement,
): Promise<readonly ReadTable[]> {
  const { statement } = plans.find(query) ?? (await plans.make(query, 'invalid_query'));
  const nodes = readQueryTree(await analysis.tree(statement, query.params));
  return readTables(nodes ?? [], place);
}

/** The catalogue's name: with its database unless that is the first. Null for a table of a foreign database. */
function tableNameIn({ databases }: ProjectPlace, name: string): string | null {
  const database = databases.find((one) => name.startsWith(`${one}.`));
  if (database === undefined) return null;
  return database === databases[0] ? name.slice(database.length + 1) : name;
}

/** @param nodes nodes of the resolved tree. */
function readTables(nodes: readonly TreeNode[], place: ProjectPlace): readonly ReadTable[] {
  const tables = new Map<string, Set<string>>();
  const nameOfNode = new Map<number, string>();
  for (const node of nodes) {
    const table = tableNameIn(place, tableNameOf(node));
    if (node.id === null || table === null) continue;
    nameOfNode.set(node.id, table);
    tables.set(table, tables.get(table) ?? new Set());
  }
  for (const node of nodes) {
    const column = columnOf(node);
    const table = column?.source == null ? undefined : nameOfNode.get(column.source);
    if (column !== null && table !== undefined) tables.get(table)?.add(column.name);
  }
  return [...tables]
    .map(([name, columns]) => ({ name, columns: [...columns].sort() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
