/** Budgets of every path and of a whole project, between two processes that share one Redis. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasRedis } from '../../support/redis.ts';
import type { TestProject } from '../../support/test-app.ts';
import {
  computed,
  kept,
  openSharedPair,
  type RunTold,
  type SharedPair,
  save,
} from '../support/shared-pair.ts';

let pair: SharedPair;
/** Each test has projects of its own, and takes others when it begins anew. */
const maxProjects = 40;

beforeAll(async () => {
  if (!hasRedis) return;
  const settings = {
    rateInlinePerKey: 3,
    rateMaterializedPerKey: 3,
    rateCachedPerKey: 0,
    rateInlinePerProject: 5,
    rateMaterializedPerProject: 5,
    rateCachedPerProject: 30,
    rateManagementPerKey: 0,
    rateManagementPerProject: 0,
  };
  pair = await openSharedPair(settings, maxProjects);
});
afterAll(async () => {
  if (!hasRedis) return;
  for (const { id } of projects) await pair.test.backends.engine.deprovision(id);
  await pair.close();
});

const projects: TestProject[] = [];

/** A project whose budgets are whole, with an endpoint that is computed and one that is stored. */
async function ownProject(): Promise<TestProject> {
  const { test } = pair;
  const { id } = await test.app.core.projects.createProject(`shared ${projects.length}`);
  await test.app.core.engine.provision(id);
  const bare = { id, readKey: '', writeKey: '' };
  const keys = await test.issueKey({ scopes: ['endpoint:write'], projects: [bare] });
  const project = { id, readKey: await pair.ownKey(bare), writeKey: keys.key };
  projects.push(project);
  await save(
    test,
    { name: 'n', query: 'SELECT {n:UInt32} AS n', cache_age_seconds: 86_400 },
    project,
  );
  await save(test, { name: 'stored', query: 'SELECT 1 AS n', is_materialized: true }, project);
  await test.app.materialization.runOnce();
  return project;
}

const paths = {
  inline: () => ({ name: 'n', body: computed() }),
  materialized: () => ({ name: 'stored', body: { refresh: 'force' } }),
} as const;

/** Runs by the one process and the other in turn. */
async function alternate(
  path: keyof typeof paths,
  times: number,
  key: string,
): Promise<readonly RunTold[]> {
  const all: RunTold[] = [];
  for (let at = 0; at < times; at += 1) {
    const app = at % 2 === 0 ? pair.test.app : pair.second;
    all.push(await pair.ask({ app, key, ...paths[path]() }));
  }
  return all;
}

const statuses = (told: readonly RunTold[]) => told.map(({ status }) => status);

function expectRefused(told: RunTold | undefined, whose: string): void {
  expect(told?.status).toBe(429);
  expect(JSON.parse(told?.text ?? '')).toMatchObject({
    type: 'throttled_error',
    code: 'throttled',
    detail: expect.stringContaining(whose),
  });
  const seconds = Number(told?.retryAfter);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
}

describe.runIf(hasRedis)('two processes with one Redis', () => {
  it.each(['inline', 'materialized'] as const)('give a key one budget of %s runs', async (path) => {
    const told = await pair.whileShared(async () => {
      const { readKey } = await ownProject();
      return alternate(path, 5, readKey);
    });
    expect(statuses(told)).toEqual([200, 200, 200, 429, 429]);
    for (const refused of told.slice(3)) expectRefused(refused, 'This API key');
  });

  it.each(['inline', 'materialized'] as const)(
    'give all keys of a project one budget of %s runs, and another project its own',
    async (path) => {
      const [first, second, elsewhere] = await pair.whileShared(async () => {
        const project = await ownProject();
        const bystander = await ownProject();
        return [
          await alternate(path, 3, project.readKey),
          await alternate(path, 4, project.writeKey),
          await alternate(path, 2, bystander.readKey),
        ] as const;
      });
      expect(statuses(first)).toEqual([200, 200, 200]);
      // The last has its key's budget used up as well, which is looked at first.
      expect(statuses(second)).toEqual([200, 200, 429, 429]);
      expectRefused(second[2], 'This project');
      expect(statuses(elsewhere)).toEqual([200, 200]);
    },
  );

  it('give a project one budget of cached runs, which they share', async () => {
    const { test, second } = pair;
    const taken = await pair.whileShared(async () => {
      const { readKey, writeKey } = await ownProject();
      const ask = (app = test.app, key = readKey) => pair.ask({ app, key, name: 'n', body: kept });
      // Of each process the first is computed, and no answer from the cache.
      expect(statuses([await ask(), await ask(second)])).toEqual([200, 200]);
      for (let at = 0; at < 30; at += 1) expect((await ask()).status).toBe(200);
      expectRefused(await ask(test.app, writeKey), 'This project');
      let more = 0;
      await eventually('the other knows', async () => {
        const told = await ask(second, writeKey);
        if (told.status === 200) more += 1;
        else expectRefused(told, 'This project');
        return told.status === 429;
      });
      return more;
    });
    expect(taken).toBeLessThan(30);
  });
});
