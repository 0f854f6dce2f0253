/** Compares results where they are: no row leaves the engine but the example of a difference. */
import { LRUCache } from 'lru-cache';
import type { EngineStatement, NamedStatement, QueryEngine } from '../query-engine.ts';
import { type CheckedStatement, checkStatement } from './check-statement.ts';
import { differenceSql, digestSql } from './difference-sql.ts';
import type { EngineResponse } from './http-client.ts';
import {
  executionSeconds,
  queryTimeoutMs,
  readRows,
  type Session,
  shareSettings,
  wholeAnswer,
} from './session.ts';
import { translateError } from './translate-error.ts';

/** The part of the engine that is here. */
type RowComparer = Pick<QueryEngine, 'digest' | 'difference'>;

const MAX_CHECKED = 200;
const MAX_CHECKED_BYTES = 16_777_216;
/** A table may be replaced by one with other columns. */
const CHECKED_TTL_MS = 60_000;

export function openRowComparer(session: Session): RowComparer {
  const known = new LRUCache<string, CheckedStatement>({
    max: MAX_CHECKED,
    ttl: CHECKED_TTL_MS,
    maxSize: MAX_CHECKED_BYTES,
    sizeCalculation: ({ statement }, key) => 2 * (key.length + statement.length) + 1000,
  });
  async function check(query: EngineStatement): Promise<CheckedStatement> {
    const key = `${query.projectId}\n${query.sql}`;
    const checked = known.get(key) ?? (await checkStatement(session, query, 'query_failed'));
    known.set(key, checked);
    return checked;
  }
  return {
    async digest(query, signal) {
      const { statement, columns } = await check(query);
      const { body, stats } = await ask(session, { ...query, sql: digestSql(statement) }, signal);
      const [rows, ...hashes] = readRows({ body, stats })[0] ?? [];
      return { rows: Number(rows), hash: hashes.join('/'), columns, rowsRead: stats.rowsRead };
    },
    async difference([one, other], rows, signal) {
      const [first, second] = [await check(one), await check(other)];
      const { columns } = first;
      const sql = differenceSql([first.statement, second.statement], columns, rows);
      const params = { ...other.params, ...one.params };
      const response = await ask(session, { ...one, sql, params }, signal);
      const found = readRows(response)[0];
      if (found === undefined) return null;
      const [surplus, ...values] = found;
      return {
        surplus: Number(surplus),
        rows: [values.slice(0, columns.length), values.slice(columns.length)],
      };
    },
  };
}

const settings = { ...wholeAnswer, default_format: 'JSONCompactEachRow' };

async function ask(
  session: Session,
  query: NamedStatement,
  signal: AbortSignal | undefined,
): Promise<EngineResponse> {
  try {
    return await session.client.send({
      login: session.connection.credentials(query.projectId, 'reader'),
      sql: query.sql,
      params: query.params,
      settings,
      ownSettings: shareSettings(session, query.projectId, query.share),
      queryId: query.queryId,
      timeoutMs: queryTimeoutMs(session.config),
      execution: { projectId: query.projectId, limitSeconds: executionSeconds(session.config) },
      signal,
      repeatable: true,
    });
  } catch (error) {
    throw translateError(error, { fault: 'query_failed', projectId: query.projectId });
  }
}
