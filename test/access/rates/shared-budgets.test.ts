/** Budgets of keys and of whole projects, between two processes that share one Redis. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedis } from '../../support/redis.ts';
import type { TestProject } from '../../support/test-app.ts';
import {
  cachedRun,
  computed,
  openSharedPair,
  type ReportedRun,
  type SharedPair,
  save,
} from '../support/shared-pair.ts';

let pair: SharedPair;
/** Each test has projects of its own, and takes others when it begins anew. */
const maxProjects = 40;

let projects: TestProject[] = [];

/** Requests that it takes to save the endpoints of a project. */
const saves = 2;

function withPair(settings: Partial<Config>): void {
  beforeAll(async () => {
    projects = [];
    pair = await openSharedPair(settings, maxProjects);
  });
  afterAll(async () => {
    for (const { id } of projects) await pair.test.backends.engine.deprovision(id);
    await pair.close();
  });
}

/** A project whose keys have their whole budget, with an endpoint that is computed and one that is stored. */
async function ownProject(): Promise<TestProject> {
  const { test } = pair;
  const { id } = await test.app.core.projects.createProject(`shared ${projects.length}`);
  await test.app.core.engine.provision(id);
  const bare = { id, readKey: '', writeKey: '' };
  const scopes = ['endpoint:write'];
  const { key } = await test.issueKey({ scopes, projects: [bare] });
  const saver = { ...bare, writeKey: key };
  const { key: writeKey } = await test.issueKey({ scopes, projects: [bare] });
  const project = { id, readKey: await pair.ownKey(bare), writeKey };
  projects.push(project);
  await save(
    test,
    { name: 'n', query: 'SELECT {n:UInt32} AS n', cache_age_seconds: 86_400 },
    saver,
  );
  await save(test, { name: 'stored', query: 'SELECT 1 AS n', is_materialized: true }, saver);
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
): Promise<readonly ReportedRun[]> {
  const all: ReportedRun[] = [];
  for (let at = 0; at < times; at += 1) {
    const app = at % 2 === 0 ? pair.test.app : pair.second;
    all.push(await pair.ask({ app, key, ...paths[path]() }));
  }
  return all;
}

const statuses = (told: readonly ReportedRun[]) => told.map(({ status }) => status);

function expectRefused(told: ReportedRun | undefined, whose: string): void {
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
  withPair({ ratePerKey: 3, ratePerProject: saves + 5 });

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
});

describe.runIf(hasRedis)('two processes that answer from their caches', () => {
  withPair({ ratePerKey: 0, ratePerProject: saves + 2 + 30 });

  it('give a project one budget, of which they tell each other', async () => {
    const { test, second } = pair;
    const taken = await pair.whileShared(async () => {
      const { readKey, writeKey } = await ownProject();
      const ask = (app = test.app, key = readKey) =>
        pair.ask({ app, key, name: 'n', body: cachedRun });
      // The first of each process is computed; the last of them learns of both.
      expect(statuses([await ask(second), await ask()])).toEqual([200, 200]);
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
