import type { EngineConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import { openEngineClient } from '../../../src/engine/clickhouse/http/http-client.ts';

/** Runs one statement as the engine's administrator. Returns its output. */
export function adminRunner(connection: EngineConnection): (sql: string) => Promise<string> {
  return async (sql) => {
    const client = openEngineClient({ url: connection.url });
    try {
      const { body } = await client.send({ login: connection.admin, sql, timeoutMs: 20_000 });
      return body.toString();
    } finally {
      client.close();
    }
  };
}
