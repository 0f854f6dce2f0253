/** The one ClickHouse of a test run. Each test file takes projects of its own in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import { openEmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { serverFolder } from './memory-folder.ts';
import { lastProjectId } from './project-ids.ts';

/** What test files get to know: enough to reach it as one reaches a server by its URL. */
export interface TestEngine {
  /** With the administrator as user and password. */
  readonly clickhouseUrl: string;
  readonly secret: string;
  /** The first of so many projects that nobody else has. Absent: they are counted over the run. */
  readonly takeProjectIds?: (count: number) => number;
}

export async function startTestEngine(): Promise<{
  readonly shared: TestEngine;
  readonly stop: () => Promise<void>;
}> {
  const dir = await mkdtemp(path.join(await serverFolder(), 'querydock-test-engine-'));
  const secret = 'of the tests';
  const engine = await openEmbeddedEngine({
    dir,
    config: { ...readConfig({}), queryTimeoutSeconds: 20, maxConcurrentQueries: 32 },
    log: openLog('warn'),
    secret,
    highestProjectId: lastProjectId,
    writers: 'all',
  });
  const url = new URL(engine.connection.url);
  url.username = engine.connection.admin.user;
  url.password = engine.connection.admin.password;
  return {
    shared: { clickhouseUrl: url.href, secret },
    stop: async () => {
      await engine.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
