/** Services with metadata databases of their own that have the same Redis, and projects with the same ids. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasRedis, openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { fallbacks } from '../support/shared-pair.ts';

let redis: TestRedis;
const tests: TestApp[] = [];
const limit = 1000;
beforeAll(async () => {
  if (!hasRedis) return;
  redis = await openTestRedis();
  const settings = { redisUrl: redis.url, ratePerProject: limit, ratePerKey: 0 };
  for (let at = 0; at < 2; at += 1) tests.push(await openTestApp(settings));
});
afterAll(async () => {
  for (const test of tests) await test.close();
  if (hasRedis) await redis.kill();
});

const shared = { id: 9_000_001, readKey: '', writeKey: '' };

it.runIf(hasRedis)('they do not use up the requests of each other', async () => {
  for (const test of tests) {
    const { prisma } = test.backends.metadata;
    const data = { id: shared.id, name: 'same', createdAt: test.clock.now() };
    await prisma.project.create({ data });
    const { key } = await test.issueKey({ scopes: ['endpoint:read'], projects: [shared] });
    let sent = 0;
    let left = 0;
    await eventually('Redis has counted some', async () => {
      const before = await fallbacks(test.app);
      for (let at = 0; at < 3; at += 1) {
        const { headers } = await test.rest('GET', '/endpoints', { key, project: shared });
        left = Number(headers.get('ratelimit-remaining'));
        sent += 1;
      }
      return (await fallbacks(test.app)) === before;
    });
    // Those before Redis could be reached are not among them.
    expect(left).toBeGreaterThanOrEqual(limit - sent);
  }
});
