/** Chooses the engine of a stored table, so that each node has all of its rows. */
import { asAdmin, readRows, type Session } from '../http/session.ts';
import { clusterOf, onCluster } from './on-cluster.ts';

export interface TableEngine {
  /** As written in ENGINE. */
  readonly engine: string;
  /** The ON CLUSTER clause of CREATE, RENAME and DROP; empty where the database replicates them itself. */
  readonly onCluster: string;
}

const ownEngine: TableEngine = { engine: 'MergeTree', onCluster: '' };

/** Sends no query for a single node, or where the service fills each node itself. */
export async function findTableEngine(session: Session, database: string): Promise<TableEngine> {
  const { connection } = session;
  if (clusterOf(connection) === null) return ownEngine;
  const response = await asAdmin(session, {
    sql: `SELECT (SELECT any(engine) FROM system.databases WHERE name = {database:String}),
      (SELECT count() FROM system.settings WHERE name = 'cloud_mode' AND value = '1'),
      (SELECT groupArray(macro) FROM system.macros)`,
    params: { database },
  });
  const [databaseEngine, cloud, macros] = readRows(response)[0] ?? [];
  const known = Array.isArray(macros) ? macros.map(String) : [];
  return toTableEngine({
    databaseEngine: String(databaseEngine),
    isCloud: Number(cloud) > 0,
    macros: known,
    onCluster: onCluster(connection),
  });
}

export interface EngineFacts {
  readonly databaseEngine: string;
  readonly isCloud: boolean;
  readonly macros: readonly string[];
  /** The ON CLUSTER clause of statements that each node has to run. */
  readonly onCluster: string;
}

/**
 * A replicated table has its own Keeper path, shared by the nodes of all shards; each node is a replica under its own
 * name.
 */
export function toTableEngine(facts: EngineFacts): TableEngine {
  const { databaseEngine, isCloud, macros } = facts;
  if (isCloud || databaseEngine === 'Shared') return { engine: 'SharedMergeTree', onCluster: '' };
  if (databaseEngine === 'Replicated') return { engine: 'ReplicatedMergeTree', onCluster: '' };
  const replica = macros.includes('shard') ? '{shard}-{replica}' : '{replica}';
  return {
    engine: `ReplicatedMergeTree('/clickhouse/querydock/{uuid}', '${replica}')`,
    onCluster: facts.onCluster,
  };
}
