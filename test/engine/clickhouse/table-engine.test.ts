import { describe, expect, it } from 'vitest';
import { toTableEngine } from '../../../src/engine/clickhouse/topology/table-engine.ts';

const facts = {
  databaseEngine: 'Atomic',
  isCloud: false,
  macros: ['shard', 'replica'],
  onCluster: ' ON CLUSTER `main`',
};

describe('the engine of a stored table', () => {
  it.each([
    [
      'a cluster with a Keeper',
      {},
      "ReplicatedMergeTree('/clickhouse/querydock/{uuid}', '{shard}-{replica}')",
      ' ON CLUSTER `main`',
    ],
    [
      'one whose nodes have no shards',
      { macros: ['replica'] },
      "ReplicatedMergeTree('/clickhouse/querydock/{uuid}', '{replica}')",
      ' ON CLUSTER `main`',
    ],
    ['a Replicated database', { databaseEngine: 'Replicated' }, 'ReplicatedMergeTree', ''],
    ['ClickHouse Cloud', { isCloud: true }, 'SharedMergeTree', ''],
    ['a Shared database', { databaseEngine: 'Shared' }, 'SharedMergeTree', ''],
  ])('of %s has its rows on every node', (_which, more, engine, onCluster) => {
    expect(toTableEngine({ ...facts, ...more })).toEqual({ engine, onCluster });
  });
});
