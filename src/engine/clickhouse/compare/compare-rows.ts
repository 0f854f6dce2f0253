/** Compares results where they are: no row leaves the engine but the example of a difference. */
import { LRUCache } from 'lru-cache';
import type {
  Column,
  ComparedResults,
  EngineStatement,
  NamedStatement,
  QueryEngine,
  ResultShape,
  RowDifference,
  RowDigest,
} from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { type CheckedStatement, checkStatement } from '../guard/check-statement.ts';
import { requireValues } from '../guard/rules/variable-rules.ts';
import type { EngineResponse } from '../http/http-client.ts';
import {
  asReader,
  executionSeconds,
  queryTimeoutMs,
  readRows,
  type Session,
  shareSettings,
  wholeAnswer,
} from '../http/session.ts';
import {
  coarseDifferenceSql,
  type DifferenceRequest,
  differenceSql,
  digestSql,
  ROWS_AT_ONCE,
  scalesSql,
} from './difference-sql.ts';
import { readResultShape } from './result-shape.ts';

/** The part of the engine that is here. */
type RowComparer = Pick<QueryEngine, 'digest' | 'shape' | 'difference'>;

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
    requireValues(checked.rules, query.params, await session.timeZones());
    return checked;
  }
  return {
    async digest(query, signal) {
      const { statement, columns } = await check(query);
      const sql = digestSql(statement, query.inOrder);
      return toDigest(await ask(session, { ...query, sql }, signal), columns);
    },
    async shape(query) {
      const { statement } = await check(query);
      return resultShape(session, { ...query, sql: statement });
    },
    async difference(compared, signal) {
      const { expected, actual } = compared;
      const [first, second] = [await check(expected), await check(actual)];
      const request: DifferenceRequest = {
        ...compared,
        sides: [first.statement, second.statement],
        columns: first.columns,
        scales: null,
      };
      return findDifference(session, { compared, request, signal });
    },
  };
}

function toDigest(response: EngineResponse, columns: readonly Column[]): RowDigest {
  const [rows, sum, xor, sequence] = readRows(response)[0] ?? [];
  const { rowsRead } = response.stats;
  return {
    rows: Number(rows),
    hash: `${sum}/${xor}`,
    sequence: String(sequence),
    columns,
    rowsRead,
  };
}

async function resultShape(session: Session, query: EngineStatement): Promise<ResultShape> {
  const { projectId, params } = query;
  const sql = `EXPLAIN QUERY TREE passes = 1\n${query.sql}`;
  try {
    const response = await asReader(session, projectId, { sql, params });
    return readResultShape(readRows(response).map(([line]) => String(line)));
  } catch (error) {
    throw translateError(error, { fault: 'query_failed', projectId });
  }
}

interface Search {
  readonly compared: ComparedResults;
  readonly request: DifferenceRequest;
  readonly signal: AbortSignal | undefined;
}

/** Numbers that differ are looked at again beside the largest of their columns: they may be what is left of zero. */
async function findDifference(session: Session, search: Search): Promise<RowDifference | null> {
  const { compared, request, signal } = search;
  const { expected, actual, width } = compared;
  const params = { ...actual.params, ...expected.params };
  const answer = async (sql: string) =>
    readRows(await ask(session, { ...expected, sql, params }, signal))[0];
  if (isCoarse(compared)) {
    const [differing] = (await answer(coarseDifferenceSql(request))) ?? [];
    return Number(differing) === 0 ? null : { surplus: 0, rows: [[], []] };
  }
  const found = toDifference(await answer(differenceSql(request)), width);
  if (found === null || !compared.isTolerant || found.surplus !== 0) return found;
  const scales = (await answer(scalesSql(request.sides[0], request.columns, width))) ?? [];
  return toDifference(
    await answer(differenceSql({ ...request, scales: scales.map(Number) })),
    width,
  );
}

function isCoarse({ isTolerant, keys, part, rows }: ComparedResults): boolean {
  return isTolerant && keys === null && part === null && rows > ROWS_AT_ONCE;
}

function toDifference(row: readonly unknown[] | undefined, width: number): RowDifference | null {
  if (row === undefined) return null;
  const [surplus, ...values] = row;
  return { surplus: Number(surplus), rows: [values.slice(0, width), values.slice(width)] };
}

const settings = { ...wholeAnswer, default_format: 'JSONCompactEachRow' };

async function ask(
  session: Session,
  query: NamedStatement,
  signal: AbortSignal | undefined,
): Promise<EngineResponse> {
  const { projectId } = query;
  const { config, fixedProjects } = session;
  // What is compared may be what a run is too short for; that is why it is materialized.
  const seconds = Math.max(config.queryTimeoutSeconds, config.streamTimeoutSeconds);
  const isFixed = fixedProjects.has(projectId);
  const longer = isFixed ? {} : { max_execution_time: String(seconds) };
  try {
    return await session.client.send({
      login: session.connection.credentials(projectId, 'reader'),
      sql: query.sql,
      params: query.params,
      settings,
      ownSettings: { ...shareSettings(session, projectId, query.share), ...longer },
      queryId: query.queryId,
      timeoutMs: queryTimeoutMs(isFixed ? config : { ...config, queryTimeoutSeconds: seconds }),
      execution: { projectId, limitSeconds: isFixed ? executionSeconds(config) : seconds },
      signal,
      repeatable: true,
    });
  } catch (error) {
    throw translateError(error, { fault: 'query_failed', projectId });
  }
}
