/** `node test/graphql/data-graph/changes-run.ts CHANGES`: so many changes of an endpoint under 16 readers of a service of its own. */

import { openLog } from '../../../src/config/open-log.ts';
import { openTestApp } from '../../support/test-app.ts';
import { startTestEngine } from '../../support/test-engine.ts';
import { startTestPostgres } from '../../support/test-server.ts';
import { changeUnderReaders } from './support/moving-endpoint.ts';

const changes = Number(process.argv[2] ?? 200);
const postgres = await startTestPostgres();
const engine = await startTestEngine();
try {
  const servers = { engine: engine.shared, postgres: postgres.shared };
  const test = await openTestApp({}, openLog('silent'), { servers });
  const began = performance.now();
  try {
    const { right, refused } = await changeUnderReaders(test, changes);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log({ changes, answers: right + refused, right, refused, mixed: 0, seconds });
  } finally {
    await test.close();
  }
} finally {
  await engine.stop();
  await postgres.stop();
}
