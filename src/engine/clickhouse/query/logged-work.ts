/** Reads the work of executions from `system.query_log`, but neither their texts nor their users. */
import { formatParam } from '../../../sql/param-value.ts';
import type { ExecutionWork, LoggedExecution, LoggedWork } from '../../logged-work.ts';
import { isDenied, isUnknownTable } from '../errors/engine-error.ts';
import { onEveryNode } from '../http/each-node.ts';
import { type AdminSession, asAdmin, readRows } from '../http/session.ts';
import { clusterOf, ofAllNodes } from '../topology/on-cluster.ts';

/** The right needed to read it, in GRANT syntax. Query texts are in other columns. */
export const queryLogGrant =
  'SELECT(event_date, event_time, type, is_initial_query, initial_query_id, ProfileEvents) ON system.query_log';

/** Batch size: the engine accepts fields of up to 128 KiB. */
const maxIds = 2500;
/** A log read that takes longer is retried later. */
const timeoutMs = 5000;
/** Longer than the service keeps asking for an execution after its end. */
const withinSeconds = 900;
/** A sum without a node that did not respond could miss part of a query, so there is none. */
const ofEveryNode = { skip_unavailable_shards: '0' };
/**
 * Length of an execution id. An execution may have several queries whose ids begin with it; each has an entry, and so
 * has the work of other nodes for it.
 */
const idLength = 36;

/** Never rejects. */
export async function loggedWork(
  session: AdminSession,
  executions: readonly LoggedExecution[],
): Promise<LoggedWork> {
  const works = new Map<string, ExecutionWork>();
  try {
    for (let at = 0; at < executions.length; at += maxIds) {
      const ids = executions.slice(at, at + maxIds).map(({ id }) => id);
      for (const [id, work] of await readLog(session, ids)) works.set(id, work);
    }
    return { works, problems: new Map() };
  } catch (error) {
    const problem = problemOf(error);
    return { works, problems: new Map(executions.map(({ projectId }) => [projectId, problem])) };
  }
}

/**
 * Only executions whose own entry exists; without it, they have not ended or their node has not written the entry yet.
 * What other nodes have read is part of that entry, their processor time is not.
 */
async function readLog(
  session: AdminSession,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ExecutionWork>> {
  const { connection } = session;
  const sql = `SELECT substring(initial_query_id, 1, ${idLength}) AS id,
    sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']),
    sumIf(ProfileEvents['SelectedRows'], is_initial_query), sumIf(ProfileEvents['SelectedBytes'], is_initial_query),
    max(is_initial_query)
  FROM ${ofAllNodes(connection, 'system.query_log')}
  WHERE type != 'QueryStart' AND event_date >= toDate(now() - ${withinSeconds}) AND event_time >= now() - ${withinSeconds}
    AND id IN ({ids:Array(String)})
  GROUP BY id`;
  const params = { ids: formatParam('Array(String)', ids, 'ids') };
  const ownSettings = clusterOf(connection) === null ? {} : ofEveryNode;
  const rowsByNode = await onEveryNode(session, async () =>
    readRows(
      await asAdmin(session, { sql, params, ownSettings, signal: AbortSignal.timeout(timeoutMs) }),
    ),
  );
  const works = new Map<string, ExecutionWork>();
  const ended = new Set<string>();
  for (const [key, ...sums] of rowsByNode.flat()) {
    const id = String(key);
    const [micros = 0, rows = 0, bytes = 0, isEnded] = sums.map(Number);
    const { processorMicros, rowsRead, bytesRead } = works.get(id) ?? noWork;
    works.set(id, {
      processorMicros: processorMicros + micros,
      rowsRead: rowsRead + rows,
      bytesRead: bytesRead + bytes,
    });
    if (isEnded === 1) ended.add(id);
  }
  return new Map([...works].filter(([id]) => ended.has(id)));
}

const noWork: ExecutionWork = { processorMicros: 0, rowsRead: 0, bytesRead: 0 };

function problemOf(error: unknown): string {
  if (isUnknownTable(error)) return 'The engine has no system.query_log.';
  if (isDenied(error))
    return `The engine user of the service cannot read system.query_log: grant it ${queryLogGrant}.`;
  return 'The engine did not respond to the query of its system.query_log.';
}
