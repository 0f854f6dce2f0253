import { describe } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { engineContract } from '../engine-contract.ts';
import { config, log, startLocalEngine } from '../support/local-engine.ts';

describe('the local engine', () => {
  engineContract(async () => {
    const local = await startLocalEngine();
    const { connection } = local.engine;
    const engine = openClickHouseEngine({ connection, config, log, local: local.engine });
    return {
      engine,
      connection,
      close: async () => {
        await engine.close();
        await local.close();
      },
    };
  });
});
