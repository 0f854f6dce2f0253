/** Statements for all nodes of a single-address engine: the engine forwards them itself, which needs a Keeper. */
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { EngineConnection } from '../http/connection.ts';
import type { Settings } from '../http/request-message.ts';

/** The cluster of an engine whose nodes cannot be reached individually; null for any other engine. */
export function clusterOf({ cluster, nodes }: EngineConnection): string | null {
  return cluster === undefined || nodes !== undefined ? null : cluster;
}

/** ` ON CLUSTER name`, or empty. */
export function onCluster(connection: EngineConnection): string {
  const cluster = clusterOf(connection);
  return cluster === null ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
}

/** Reads a table's rows from every node. */
export function ofAllNodes(connection: EngineConnection, table: string): string {
  const cluster = clusterOf(connection);
  return cluster === null ? table : `clusterAllReplicas(${quoteText(cluster)}, ${table})`;
}

/**
 * A node that is down runs an ON CLUSTER statement when it is back, so nobody waits for it; and users may be replicated
 * already.
 */
const ddlSettings: Settings = {
  distributed_ddl_output_mode: 'null_status_on_timeout_only_active',
  distributed_ddl_task_timeout: '20',
  ignore_on_cluster_for_replicated_access_entities_queries: '1',
};

/** Skips nodes that are away. */
const readSettings: Settings = { skip_unavailable_shards: '1' };

/** Settings of an administrator's statement on a multi-node engine. */
export function clusterSettings(connection: EngineConnection): Settings {
  return clusterOf(connection) === null ? {} : { ...ddlSettings, ...readSettings };
}
