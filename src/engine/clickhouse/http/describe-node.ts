import type { EngineNode } from '../../../model/process-report.ts';
import { type AdminSession, asAdmin, readRows } from './session.ts';

// 6 is the session of the local engine's own process, which stays open without ever sending a query.
const sql = `SELECT version(), uptime(),
  (SELECT value FROM system.metrics WHERE metric = 'MemoryTracking'),
  (SELECT countIf(query_id != queryID() AND interface != 6) FROM system.processes)`;

/** Timeout for a node's response. */
const timeoutMs = 2000;

/** Describes each node, queried as the administrator; this query itself is not counted. Never rejects. */
export async function describeNodes(session: AdminSession): Promise<readonly EngineNode[]> {
  const { nodes } = session.client;
  if (nodes === undefined) return [await describeNode(session, session.connection.url)];
  return Promise.all(
    nodes.all.map((node) => nodes.on(node, () => describeNode(session, node.url))),
  );
}

async function describeNode(session: AdminSession, address: string): Promise<EngineNode> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const [row = []] = readRows(await asAdmin(session, { sql, signal, repeatable: false }));
    const [version, ...numbers] = row;
    const [uptimeSeconds = null, memoryBytes = null, runningQueries = null] = numbers.map(Number);
    const found = { version: String(version), uptimeSeconds, memoryBytes, runningQueries };
    return { address, isUp: true, ...found };
  } catch {
    const nothing = { version: null, uptimeSeconds: null, memoryBytes: null, runningQueries: null };
    return { address, isUp: false, ...nothing };
  }
}
