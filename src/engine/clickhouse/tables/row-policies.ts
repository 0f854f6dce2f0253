/** Whether row policies give the project's reader other rows than its writer, which fills the stored tables. */
import { readQueryTree, tableNameOf } from '../../../sql/query-tree.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { EngineError } from '../errors/engine-error.ts';
import type { EngineResponse } from '../http/http-client.ts';
import {
  asReader,
  asWriter,
  readRows,
  rowSettings,
  type Session,
  toTexts,
} from '../http/session.ts';
import type { Plans } from '../query/plans.ts';

interface Reading {
  readonly session: Session;
  readonly plans: Plans;
  readonly analysis: SqlAnalysis;
}

/** The first such table that the statement reads, with its database; null if there is none. */
export async function hiddenTable(
  { session, plans, analysis }: Reading,
  query: EngineStatement,
): Promise<string | null> {
  const { projectId } = query;
  const { databases } = session.place(projectId);
  const { statement } = plans.find(query) ?? (await plans.make(query, 'invalid_query'));
  const nodes = readQueryTree(await analysis.tree(statement, query.params)) ?? [];
  for (const name of new Set(nodes.map(tableNameOf))) {
    const database = databases.find((one) => name.startsWith(`${one}.`));
    if (database === undefined) continue;
    const table = `${quoteName(database)}.${quoteName(name.slice(database.length + 1))}`;
    const explained = { sql: explainRead(table), settings: rowSettings };
    const reader = await asReader(session, projectId, explained).catch(unreadable);
    const writer = await asWriter(session, projectId, explained).catch(unreadable);
    if (reader === null || writer === null) continue;
    if (rowFilters(reader) !== rowFilters(writer)) return name;
  }
  return null;
}

/** Reading the table fails by itself then. */
function unreadable(error: unknown): null {
  if (!(error instanceof EngineError)) throw error;
  return null;
}

/** @param source a table, or a subquery in brackets. */
export function explainRead(source: string): string {
  return `EXPLAIN actions = 1 SELECT 1 FROM ${source}`;
}

/** The conditions of the plan of `explainRead`, whichever step evaluates them. The statement itself has none. */
export function rowFilters(plan: EngineResponse): string {
  const found = toTexts(readRows(plan)).flatMap(
    (line) => /filter column:\s*(.*)$/i.exec(line)?.[1] ?? [],
  );
  return found.sort().join('\n');
}
