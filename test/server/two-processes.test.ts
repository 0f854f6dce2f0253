import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let second: App;

beforeAll(async () => {
  test = await openTestApp();
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
  });
  await test.rest('POST', '/endpoints', { body: { name: 'shared', query: 'SELECT 1 AS n' } });
});
afterAll(async () => {
  await second.stop();
  await test.close();
});

async function askSecond(
  path: string,
  key = test.project.readKey,
): Promise<{ status: number; body: unknown }> {
  const url = `http://querydock.test/api/projects/${test.project.id}${path}`;
  const response = await second.fetch(
    new Request(url, { headers: { authorization: `Bearer ${key}` } }),
  );
  return { status: response.status, body: await response.json() };
}

/** The second process's answer to a document of the project's data graph. */
async function askGraph(query: string): Promise<string> {
  const request = new Request(`http://querydock.test/api/projects/${test.project.id}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${test.project.readKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
  });
  return (await second.fetch(request)).text();
}

/** The clock stands still, so no look-up ages out: what is seen was told by the change feed. */
describe('a second process on the same metadata database', () => {
  it('refuses a key that the first one revoked', async () => {
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
    });
    expect((await askSecond('/endpoints/shared/run', key)).status).toBe(200);
    await test.graphql(
      'mutation ($id: ID!) { revokeApiKey(id: $id) }',
      { id },
      { key: test.adminKey },
    );
    await eventually(
      'the key is refused',
      async () => (await askSecond('/endpoints/shared/run', key)).status === 401,
    );
    expect((await askSecond('/endpoints/shared/run')).status).toBe(200);
  });

  it('runs the new version of an endpoint that the first one changed', async () => {
    expect((await askSecond('/endpoints/shared/run')).body).toMatchObject({ results: [[1]] });
    await test.rest('PATCH', '/endpoints/shared', { body: { query: 'SELECT 2 AS n' } });
    await eventually('version 2 runs', async () => {
      const { body } = await askSecond('/endpoints/shared/run');
      return JSON.stringify((body as { results: unknown }).results) === '[[2]]';
    });
  });

  it('knows no endpoint that the first one deleted', async () => {
    await test.rest('POST', '/endpoints', { body: { name: 'brief', query: 'SELECT 1' } });
    await eventually(
      'it is there',
      async () => (await askSecond('/endpoints/brief/run')).status === 200,
    );
    await test.rest('DELETE', '/endpoints/brief');
    await eventually(
      'it is gone',
      async () => (await askSecond('/endpoints/brief/run')).status === 404,
    );
  });

  it('has the typed field of an endpoint that the first one changed, and shows it at once', async () => {
    const shown = '{ __type(name: "GrowingRow") { fields { name } } }';
    const listed = '{ __schema { queryType { fields { name } } } }';
    await test.rest('POST', '/endpoints', { body: { name: 'growing', query: 'SELECT 1 AS a' } });
    const known = '{ growing { rows { a } } }';
    await eventually('it is there', async () => (await askGraph(known)).includes('{"a":1}'));
    for (let time = 0; time < 3; time += 1) {
      expect(await askGraph(known)).toBe('{"data":{"growing":{"rows":[{"a":1}]}}}');
      expect(await askGraph(listed)).toContain('"growing"');
    }
    await test.rest('PATCH', '/endpoints/growing', { body: { query: 'SELECT 2 AS b' } });
    expect(await askGraph(listed)).toContain('"growing_v1"');
    await eventually('its row has b', async () => (await askGraph(shown)).includes('"b"'));
    expect(await askGraph(known)).toContain('Cannot query field');
    expect(await askGraph('{ growing { rows { b } } growing_v1 { rows { a } } }')).toBe(
      '{"data":{"growing":{"rows":[{"b":2}]},"growing_v1":{"rows":[{"a":1}]}}}',
    );
    await test.rest('DELETE', '/endpoints/growing');
    expect(await askGraph(listed)).not.toContain('"growing');
  });

  it('reads and cancels a run of the first one', async () => {
    await test.rest('POST', '/endpoints', {
      body: {
        name: 'slow',
        query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)',
      },
    });
    const run = test.rest('GET', '/endpoints/slow/run?client_query_id=far-away');
    const ask = async (query: string) => {
      const response = await second.fetch(
        new Request('http://querydock.test/graphql', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${test.project.writeKey}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ query }),
        }),
      );
      return (await response.json()) as {
        data?: { queryStatus?: { complete: boolean; queryProgress: { rowsRead: number } } | null };
      };
    };
    const status =
      '{ queryStatus(projectId: "@current", id: "far-away") { complete queryProgress { rowsRead } } }';
    await eventually(
      'its progress is seen',
      async () => ((await ask(status)).data?.queryStatus?.queryProgress.rowsRead ?? 0) > 0,
    );
    await ask('mutation { cancelQuery(projectId: "@current", id: "far-away") { id } }');
    expect((await run).body).toMatchObject({ code: 'query_cancelled' });
  });
});
