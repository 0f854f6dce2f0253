/** Which of a project's tables and columns a statement reads, by the engine's analysis. */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
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

const TABLE = /(?:^|, )table_name: (.*?)(?:, table_expression_modifiers: .*)?$/s;
const COLUMN = /^column_name: (.*), result_type: .*, source_id: (\d+)$/s;

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
  for (const { kind, id, attributes } of nodes) {
    const name = kind === 'TABLE' ? (TABLE.exec(attributes)?.[1] ?? '') : '';
    const table = tableNameIn(place, name);
    if (id === null || table === null) continue;
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
