/** Compares results inside the engine: no row is sent out except as the example of a difference. */
import type {
  Column,
  ComparedResults,
  EngineParams,
  EngineStatement,
  NamedStatement,
  QueryEngine,
  RowDifference,
  RowDigest,
} from '../../query-engine.ts';
import { isSettingRefused } from '../errors/engine-error.ts';
import { isMemoryLimit, translateError } from '../errors/translate-error.ts';
import type { EngineResponse } from '../http/http-client.ts';
import type { Settings } from '../http/request-message.ts';
import {
  asReader,
  messageContext,
  querySettings,
  readerRows,
  readRows,
  rowSettings,
  type Session,
  toTexts,
} from '../http/session.ts';
import { sparingSettings } from '../provision/sparing-settings.ts';
import { contentSettings } from '../query/output-settings.ts';
import type { Plans } from '../query/plans.ts';
import type { BoundPlan, TimeBinder } from '../times/bind-times.ts';
import {
  coarseDifferenceSql,
  type DifferenceRequest,
  differenceSql,
  digestSql,
  ROWS_AT_ONCE,
  scalesSql,
} from './difference-sql.ts';
import { readResultShape } from './result-shape.ts';
import { asTexts, digestOfTexts, haveDistinctTexts } from './text-digest.ts';

export function openRowComparer(
  session: Session,
  plans: Plans,
  times: TimeBinder,
): Pick<QueryEngine, 'digest' | 'shape' | 'difference'> {
  async function check(query: EngineStatement): Promise<BoundPlan> {
    const cached = plans.find(query);
    if (cached !== undefined) await plans.requireValues(cached, query);
    return times.bind(cached ?? (await plans.make(query, 'query_failed')), query);
  }
  /** With the values of the text that tells the positions. */
  async function checkPart({ part, expected }: ComparedResults) {
    if (part === null || !('positions' in part)) return { part, params: {} };
    const { plan, params } = await check({ ...expected, sql: part.positions });
    return { part: { positions: plan.statement }, params };
  }
  return {
    async digest(query, signal) {
      const { plan, params } = await check(query);
      const { searchesNull, columns } = plan;
      if (query.isSmall === true && haveDistinctTexts(columns)) {
        const sql = plan.statement;
        const request = { ...query, sql, params, searchesNull, ...asTexts };
        return digestOfTexts(await send(session, request, signal), columns, query.inOrder);
      }
      const sql = digestSql(plan.statement, query.inOrder);
      return toDigest(
        await send(session, { ...query, sql, params, searchesNull }, signal),
        columns,
      );
    },
    async shape(query) {
      const { plan, params } = await check(query);
      const sql = `EXPLAIN QUERY TREE passes = 1\n${plan.statement}`;
      const rows = await readerRows(session, { ...query, sql, params }, { fault: 'query_failed' });
      return readResultShape(toTexts(rows));
    },
    async difference(compared, signal) {
      const { expected, actual } = compared;
      const [first, second] = [await check(expected), await check(actual)];
      const { part, params: positioned } = await checkPart(compared);
      const request: DifferenceRequest = {
        ...compared,
        part,
        sides: [first.plan.statement, second.plan.statement],
        columns: first.plan.columns,
        scales: null,
      };
      const params = { ...positioned, ...second.params, ...first.params };
      const searchesNull = first.plan.searchesNull || second.plan.searchesNull;
      const magnitudes = [first.plan.statement];
      for (const one of compared.magnitudes ?? []) {
        magnitudes.push((await check(one)).plan.statement);
      }
      return findDifference(session, {
        compared,
        request,
        magnitudes,
        params,
        searchesNull,
        signal,
      });
    },
  };
}

function toDigest(response: EngineResponse, columns: readonly Column[]): RowDigest {
  const [rows, sum, xor, sequence] = readRows(response)[0] ?? [];
  const { rowsRead } = response.stats;
  return {
    rows: Number(rows),
    hash: `${String(sum)}/${String(xor)}`,
    sequence: String(sequence),
    columns,
    rowsRead,
  };
}

interface Search {
  readonly compared: ComparedResults;
  readonly request: DifferenceRequest;
  /** SQL statements. */
  readonly magnitudes: readonly string[];
  readonly params: EngineParams;
  readonly searchesNull: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Numbers that differ are compared again relative to the largest of their columns: they may be rounding errors around zero. */
async function findDifference(session: Session, search: Search): Promise<RowDifference | null> {
  const { compared, request, params, searchesNull, signal } = search;
  const { expected, width } = compared;
  const firstRow = async (sql: string) =>
    readRows(await send(session, { ...expected, sql, params, searchesNull }, signal))[0];
  if (isCoarse(compared)) {
    const [differing] = (await firstRow(coarseDifferenceSql(request))) ?? [];
    return Number(differing) === 0 ? null : { surplus: 0, rows: [[], []] };
  }
  const found = toDifference(await firstRow(differenceSql(request)), width);
  if (found === null || !hasSums(compared) || found.surplus !== 0) return found;
  const scales = Array.from({ length: width }, () => 0);
  for (const statement of search.magnitudes) {
    const largest = (await firstRow(scalesSql(statement, request.columns, width))) ?? [];
    largest.forEach((value, at) => {
      scales[at] = Math.max(scales[at] ?? 0, Number(value));
    });
  }
  const scaled = { ...request, scales };
  return toDifference(await firstRow(differenceSql(scaled)), width);
}

function hasSums({ precisions, width }: ComparedResults): boolean {
  return precisions.slice(0, width).includes('sum');
}

function isCoarse(compared: ComparedResults): boolean {
  const { keys, part, rows } = compared;
  return hasSums(compared) && keys === null && part === null && rows > ROWS_AT_ONCE;
}

function toDifference(row: readonly unknown[] | undefined, width: number): RowDifference | null {
  if (row === undefined) return null;
  const [surplus, ...values] = row;
  return { surplus: Number(surplus), rows: [values.slice(0, width), values.slice(width)] };
}

interface ComparingStatement extends NamedStatement {
  readonly searchesNull: boolean;
  readonly format?: keyof typeof comparedAs;
  readonly maxBytes?: number;
}

/**
 * A query may be materialized because it takes more time or memory than a run may: uses the reader's longest time limit,
 * and executes what exceeds the memory limit again in less memory.
 */
async function send(
  session: Session,
  query: ComparingStatement,
  signal: AbortSignal | undefined,
): Promise<EngineResponse> {
  const { projectId } = query;
  try {
    return await sendOnce(session, query, {}, signal).catch(async (error: unknown) => {
      if (!isMemoryLimit(error) || session.fixedProjects.has(projectId)) throw error;
      try {
        return await sendOnce(session, query, sparingSettings(session.config), signal);
      } catch (again) {
        // Users that an earlier version or an operator created do not accept these settings.
        throw isSettingRefused(again) ? error : again;
      }
    });
  } catch (error) {
    throw translateError(error, { ...messageContext(session, projectId), fault: 'query_failed' });
  }
}

const rows = { ...contentSettings, ...rowSettings };
const comparedAs = { rows, texts: { ...rows, default_format: 'TabSeparated' } } as const;

function sendOnce(
  session: Session,
  query: ComparingStatement,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<EngineResponse> {
  const { projectId, sql, params, searchesNull, queryId, format = 'rows', maxBytes } = query;
  const { queryTimeoutSeconds, streamTimeoutSeconds } = session.config;
  const longest = Math.max(queryTimeoutSeconds, streamTimeoutSeconds);
  const isFixed = session.fixedProjects.has(projectId);
  const own = { max_execution_time: String(longest), ...settings };
  return asReader(session, projectId, {
    sql,
    params,
    searchesNull,
    settings: comparedAs[format],
    ownSettings: querySettings(session, query, own),
    queryId,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    limitSeconds: isFixed ? queryTimeoutSeconds : longest,
    signal,
  });
}
