/** With which engine a stored table is made, so that each node of the engine has all of its rows. */
import { asAdmin, readRows, type Session } from '../http/session.ts';
import { clusterOf, onCluster } from './on-cluster.ts';

export interface TableEngine {
  /** As ENGINE names it. */
  readonly engine: string;
  /** What CREATE, RENAME and DROP of a table say; empty where the database passes them on itself. */
  readonly onCluster: string;
}

const ownEngine: TableEngine = { engine: 'MergeTree', onCluster: '' };

/** Asks the engine nothing where it has one node, or where the service fills each one. */
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
  /** What statements say that each node has to run. */
  readonly onCluster: string;
}

/**
 * A table in a Keeper has a path of its own, the same for the nodes of all shards, each of which is a replica under its own name.
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
