/** Which of a project's tables and columns a statement reads, by the engine's analysis of it. */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { ReadTable } from '../../engine-table.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { projectDatabase } from '../provision/project-users.ts';
import type { Plans } from '../query/plans.ts';

/** In the order of their names. A table of which no column is needed, as by `count()`, has none. */
export async function tablesRead(
  { plans, analysis }: { readonly plans: Plans; readonly analysis: SqlAnalysis },
  query: EngineStatement,
): Promise<readonly ReadTable[]> {
  const { statement } = plans.find(query) ?? (await plans.make(query, 'invalid_query'));
  const nodes = readQueryTree(await analysis.tree(statement, query.params));
  return readTables(nodes ?? [], projectDatabase(query.projectId));
}

const TABLE = /(?:^|, )table_name: (.*?)(?:, table_expression_modifiers: .*)?$/s;
const COLUMN = /^column_name: (.*), result_type: .*, source_id: (\d+)$/s;

/** @param nodes of the resolved tree. */
function readTables(nodes: readonly TreeNode[], database: string): readonly ReadTable[] {
  const own = `${database}.`;
  const tables = new Map<string, Set<string>>();
  const nameOfNode = new Map<number, string>();
  for (const { kind, id, attributes } of nodes) {
    const name = kind === 'TABLE' ? (TABLE.exec(attributes)?.[1] ?? '') : '';
    if (id === null || !name.startsWith(own)) continue;
    const table = name.slice(own.length);
    nameOfNode.set(id, table);
    tables.set(table, tables.get(table) ?? new Set());
  }
  for (const { kind, attributes } of nodes) {
    const [, column, source] = (kind === 'COLUMN' ? COLUMN.exec(attributes) : null) ?? [];
    const table = nameOfNode.get(Number(source));
    if (column !== undefined && table !== undefined) tables.get(table)?.add(column);
  }
  return [...tables]
    .map(([name, columns]) => ({ name, columns: [...columns].sort() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
