/** Statistics of running queries, and stopping them. */
import type { Log } from '../../../lib/log.ts';
import { formatParam } from '../../../sql/param-value.ts';
import type { EngineStats, RequestOfProject } from '../../engine-stats.ts';
import { asEachUser, type Session } from '../http/session.ts';
import { ofAllNodes, onCluster } from '../topology/on-cluster.ts';
import type { WatchedEngine } from './overrun-watch.ts';

/**
 * Stops the queries with these ids; returns whether any was running. Does not wait for their end, since some cannot be
 * stopped.
 */
export async function killQueries(session: Session, queryIds: readonly string[]): Promise<boolean> {
  const params = { ids: formatParam('Array(String)', queryIds, 'ids') };
  const ofIds = 'WHERE query_id IN ({ids:Array(String)})';
  const on = onCluster(session.connection);
  const sql = `KILL QUERY${on} ${ofIds} ASYNC`;
  if (on === '') return (await asEachUser(session, { sql, params })).length > 0;
  // ON CLUSTER reports nodes, not queries.
  const running = `SELECT query_id FROM ${processes(session)} ${ofIds}`;
  const found = await asEachUser(session, { sql: running, params });
  if (found.length > 0) await asEachUser(session, { sql, params });
  return found.length > 0;
}

/** Running queries of every node. */
function processes({ connection }: Session): string {
  return ofAllNodes(connection, 'system.processes');
}

const LIST_TIMEOUT_MS = 2000;

/** What the overrun watch needs of the engine. */
export function watchedEngine(
  session: Session,
  { log, local }: { readonly log: Log; readonly local: WatchedEngine['local'] },
): WatchedEngine {
  return {
    local,
    listRunning: () => listRunning(session).catch(() => null),
    kill(queryIds) {
      killQueries(session, queryIds).catch((error: unknown) => {
        log.debug(
          { error: String(error), queryIds },
          'could not stop queries past their time limit',
        );
      });
    },
  };
}

/** Milliseconds that each query has run, by id. Throws when the engine does not respond in time. */
async function listRunning(session: Session): Promise<ReadonlyMap<string, number>> {
  const running = await asEachUser(session, {
    sql: `SELECT query_id, elapsed FROM ${processes(session)}`,
    timeoutMs: LIST_TIMEOUT_MS,
    repeatable: false,
  });
  return new Map(running.map(([id, elapsed]) => [String(id), Number(elapsed) * 1000]));
}

/** Stops the query at once rather than when the engine notices the closed connection. */
export function stopQuietly(
  { session, log }: { readonly session: Session; readonly log: Log },
  queryId: string,
): void {
  killQueries(session, [queryId]).catch((error: unknown) => {
    log.debug({ error: String(error), queryId }, 'could not stop an abandoned query');
  });
}

const progressColumns = 'read_rows, read_bytes, total_rows_approx, elapsed, memory_usage';

/** Null when the query is not running. */
export async function queryProgress(
  session: Session,
  queryId: string,
): Promise<EngineStats | null> {
  const [row] = await asEachUser(session, {
    sql: `SELECT ${progressColumns} FROM ${processes(session)} WHERE query_id = {id:String}`,
    params: { id: queryId },
  });
  return row === undefined ? null : toStats(row);
}

/** Sums over the running queries that a request of the project waits for; null when there are none. */
export async function requestProgress(
  session: Session,
  { projectId, requestId }: RequestOfProject,
): Promise<EngineStats | null> {
  const rows = await asEachUser(session, {
    sql: `SELECT query_id, ${progressColumns} FROM ${processes(session)} WHERE is_initial_query
      AND JSONExtractString(Settings['log_comment'], 'request_id') = {request:String}
      AND JSONExtractInt(Settings['log_comment'], 'project') = {project:Int64}`,
    params: { request: requestId, project: String(projectId) },
  });
  const running = new Map(rows.map(([id, ...row]) => [String(id), toStats(row)]));
  if (running.size === 0) return null;
  return [...running.values()].reduce((a, b) => ({
    rowsRead: a.rowsRead + b.rowsRead,
    bytesRead: a.bytesRead + b.bytesRead,
    // Without one of the estimates the total is unknown.
    rowsTotal: a.rowsTotal === 0 || b.rowsTotal === 0 ? 0 : a.rowsTotal + b.rowsTotal,
    timeElapsed: Math.max(a.timeElapsed, b.timeElapsed),
    memoryBytes: a.memoryBytes + b.memoryBytes,
  }));
}

function toStats(row: readonly unknown[]): EngineStats {
  const [rowsRead = 0, bytesRead = 0, rowsTotal = 0, timeElapsed = 0, memoryBytes = 0] =
    row.map(Number);
  return { rowsRead, bytesRead, rowsTotal, timeElapsed, memoryBytes };
}
