/** Statements for all nodes of an engine that is reached by one address: the engine itself passes them on, which needs a Keeper. */
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import type { EngineConnection } from '../http/connection.ts';
import type { Settings } from '../http/request-message.ts';

/** The cluster of an engine whose nodes the service does not reach one by one; null for any other engine. */
export function clusterOf({ cluster, nodes }: EngineConnection): string | null {
  return cluster === undefined || nodes !== undefined ? null : cluster;
}

/** ` ON CLUSTER name`, or nothing. */
export function onCluster(connection: EngineConnection): string {
  const cluster = clusterOf(connection);
  return cluster === null ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
}

/** The rows of a table of every node. */
export function ofAllNodes(connection: EngineConnection, table: string): string {
  const cluster = clusterOf(connection);
  return cluster === null ? table : `clusterAllReplicas(${quoteText(cluster)}, ${table})`;
}

/** A node that is away runs a statement ON CLUSTER when it is back, so nobody waits for it; and users may be replicated anyway. */
const ddlSettings: Settings = {
  distributed_ddl_output_mode: 'null_status_on_timeout_only_active',
  distributed_ddl_task_timeout: '20',
  ignore_on_cluster_for_replicated_access_entities_queries: '1',
};

/** A node that is away is left out. */
const readSettings: Settings = { skip_unavailable_shards: '1' };

/** What a statement of the administrator on an engine of several nodes needs. */
export function clusterSettings(connection: EngineConnection): Settings {
  return clusterOf(connection) === null ? {} : { ...ddlSettings, ...readSettings };
}
