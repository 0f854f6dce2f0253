/** The selected rows of a query as one JSON array. */
import { resultMarginBytes } from '../../../model/query-limits.ts';
import type { RowForm } from '../../../model/result-format.ts';
import { parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { EngineQuery, EngineResult } from '../../query-engine.ts';
import type { RowSelection } from '../../row-selection.ts';
import { asReader, lowerOf, querySettings, type Session } from '../http/session.ts';
import { castTo, withJsonTypes } from '../query/convert-type.ts';
import { selectedSettings } from '../query/output-settings.ts';
import { toSelectedRows } from '../query/result-rows.ts';
import { pageEndOf } from './page-end.ts';
import { type Selected, selectedColumns } from './run-selection.ts';

export interface SelectingQuery extends EngineQuery {
  readonly selection: RowSelection;
}

export async function sendSelection(
  session: Session,
  query: SelectingQuery,
  { selected, signal }: { readonly selected: Selected; readonly signal: AbortSignal | undefined },
): Promise<EngineResult> {
  const { projectId, queryId, limit, limits, selection } = query;
  const { body, stats } = await asReader(session, projectId, {
    sql: textOf(selected, selection.form),
    params: { ...query.params, ...selected.clauses.params },
    searchesNull: selected.plan.searchesNull,
    settings: selectedSettings[selection.form][query.integers],
    ownSettings: {
      ...querySettings(session, query, selected.plan.blockSettings),
      // One more row than requested shows whether there are more.
      limit: String(limit + 1),
      offset: String(query.offset),
    },
    queryId,
    limitSeconds: lowerOf(session.config.queryTimeoutSeconds, limits?.executionSeconds),
    maxBytes: lowerOf(session.config.maxResultBytes, limits?.resultBytes) + resultMarginBytes,
    signal,
  });
  const { edge, ...rows } = toSelectedRows(body, limit);
  const pageEnd = selection.order === null || edge === null ? undefined : pageEndOf(selected, edge);
  return { ...rows, columns: selectedColumns(selected), stats, pageEnd };
}

/** Arrays need no names, and two columns of the same name could not both have it. */
function textOf({ plan, selection, clauses }: Selected, form: RowForm): string {
  const values = selection.positions.map((position) => {
    const { name, type } = plan.columns[position] ?? { name: '', type: '' };
    const value = castTo(clauses.names[position] ?? '', withJsonTypes(parseClickHouseType(type)));
    return form === 'arrays' ? value : `${value} AS ${quoteName(name)}`;
  });
  return `SELECT ${values.join(', ')} ${clauses.clauses}`;
}
