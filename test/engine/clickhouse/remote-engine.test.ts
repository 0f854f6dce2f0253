import { describe } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import { engineContract } from '../engine-contract.ts';
import { config, log, secret, startLocalEngine } from '../support/local-engine.ts';

/** A server that an operator has made users on; only its address and its administrator are known. */
describe('a remote engine', () => {
  engineContract(async () => {
    const server = await startLocalEngine();
    const { url, admin } = server.engine.connection;
    const connection = remoteConnection(
      url.replace('://', `://${admin.user}:${admin.password}@`),
      secret,
    );
    const engine = openClickHouseEngine({ connection, config, log });
    return {
      engine,
      connection,
      close: async () => {
        await engine.close();
        await server.close();
      },
    };
  });
});
