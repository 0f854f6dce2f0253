/** Whether row policies give the project's reader other rows than its writer, which fills the stored tables. */
import { readQueryTree, tableNameOf } from '../../../sql/query-tree.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { SqlAnalysis } from '../../../sql/sql-analysis.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { EngineError, isSettingRefused } from '../errors/engine-error.ts';
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
    const filters = (as: typeof asWriter) =>
      rowFilters(table, (sql) => as(session, projectId, { sql, settings: rowSettings })).catch(
        unreadable,
      );
    const reader = await filters(asReader);
    const writer = await filters(asWriter);
    if (reader !== null && writer !== null && reader !== writer) return name;
  }
  return null;
}

/** Reading the table fails by itself then. */
function unreadable(error: unknown): null {
  if (!(error instanceof EngineError)) throw error;
  return null;
}

/**
 * The conditions of the plan of a read, whichever step evaluates them. The statement itself has none.
 *
 * @param source a table, or a subquery in brackets.
 */
export async function rowFilters(
  source: string,
  send: (sql: string) => Promise<EngineResponse>,
): Promise<string> {
  const plan = await send(explainRead(source, ', pretty = 0')).catch((error: unknown) => {
    // Earlier engines have no other form.
    if (!isSettingRefused(error)) throw error;
    return send(explainRead(source));
  });
  const found = toTexts(readRows(plan)).flatMap(
    (line) => /filter column:\s*(.*)$/i.exec(line)?.[1] ?? [],
  );
  return found.sort().join('\n');
}

/** In the pretty form all subqueries behind IN look alike; the other one names them by their content and their user. */
function explainRead(source: string, form = ''): string {
  return `EXPLAIN actions = 1${form} SELECT 1 FROM ${source}`;
}
