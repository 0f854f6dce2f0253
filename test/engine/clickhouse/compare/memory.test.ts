/** Comparisons of queries that need more memory than a run may use. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openClickHouseEngine } from '../../../../src/engine/clickhouse/clickhouse-engine.ts';
import type { QueryEngine } from '../../../../src/engine/query-engine.ts';
import { config, type LocalEngine, log, startLocalEngine } from '../../support/local-engine.ts';

let local: LocalEngine;
let engine: QueryEngine;
const projectId = 1;

beforeAll(async () => {
  const limits = {
    queryMemoryBytes: 134_217_728,
    queryTimeoutSeconds: 120,
    streamTimeoutSeconds: 120,
  };
  local = await startLocalEngine({ limits });
  const { connection } = local.engine;
  const own = { ...config, ...limits };
  engine = openClickHouseEngine({ connection, config: own, log, local: local.engine });
  await engine.provision(projectId);
});
afterAll(async () => {
  await engine?.close();
  await local?.close();
});

const named = (sql: string) => ({
  projectId,
  sql,
  params: {},
  queryId: randomUUID(),
  share: { threads: 2, priority: 1 },
});
const groups =
  'SELECT cityHash64(number) AS n, uniqExact(toString(cityHash64(number, 1))) AS c FROM numbers(1000000) GROUP BY n ORDER BY c DESC, n';

it('count their rows and hash them', async () => {
  const run = { limit: 10, offset: 0, integers: 'number' } as const;
  await expect(engine.query({ ...named(groups), ...run })).rejects.toMatchObject({
    code: 'query_memory_limit',
  });
  const first = { ...named(`${groups} LIMIT 10`), inOrder: 'all' } as const;
  const values = named(
    'SELECT cityHash64(number) AS n, toUInt64(1) AS c FROM numbers(1000000) ORDER BY n LIMIT 10',
  );
  const { rows, hash, sequence } = await engine.digest(first, undefined);
  expect(await engine.digest({ ...values, inOrder: 'all' }, undefined)).toMatchObject({
    rows,
    hash,
    sequence,
  });
  expect(rows).toBe(10);
});

it('fail if spilling to disk does not save enough', async () => {
  const sql = 'SELECT groupArray(number) AS all FROM numbers(100000000)';
  await expect(engine.digest({ ...named(sql), inOrder: null }, undefined)).rejects.toMatchObject({
    code: 'query_memory_limit',
  });
});
