import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphiqlExamples } from '../../src/cli/demo/graphiql-examples.ts';
import {
  clickAt,
  collectErrors,
  expectText,
  hasBrowser,
  launchBrowser,
} from '../support/browser.ts';
import { findProgram, isThere } from '../support/needs.ts';
import {
  type Caller,
  callGraphQL,
  callRest,
  type EndpointBody,
  type ListBody,
  type RunBody,
} from './support/calls.ts';
import {
  areGone,
  descendantsOf,
  querydock,
  querydockJson,
  readDemo,
  type Server,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';
import { typedRows } from './support/typed-rows.ts';

const canBrowse = hasBrowser();
let folder: TempFolder;
let env: { readonly DATA_DIR: string };
let server: Server;
let caller: Caller;

async function startDemo(): Promise<void> {
  server = await startServer('demo', env);
  const demo = await readDemo(env.DATA_DIR);
  caller = { url: demo.url, projectId: demo.project_id, key: demo.api_key };
}

const list = () => callRest<ListBody<EndpointBody>>(caller, { path: '' });

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: path.join(folder.dir, 'data') };
  await startDemo();
});

afterAll(async () => {
  await server.end('SIGINT');
  await folder.remove();
});

describe('a first start of the demo', () => {
  it('writes down where it is, for this user alone', async () => {
    expect(await readDemo(env.DATA_DIR)).toEqual({
      url: server.url,
      graphql_url: `${server.url}/graphql`,
      project_id: 1,
      api_key: expect.stringMatching(/^qdk_/),
    });
    for (const file of ['demo.json', 'server.json', 'engine-secret']) {
      expect(statSync(path.join(env.DATA_DIR, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('has all flights and airports', async () => {
    const { tables } = await querydockJson<{ tables: readonly Record<string, unknown>[] }>(
      ['data', 'tables', '--project', 'flights'],
      env,
    );
    expect(tables).toMatchObject([
      { name: 'airports', rows: 3376 },
      {
        name: 'flights',
        rows: 3_000_000,
        columns: [
          { name: 'date', type: "DateTime('UTC')" },
          { name: 'delay', type: 'Int16' },
          { name: 'distance', type: 'UInt16' },
          { name: 'origin', type: 'LowCardinality(String)' },
          { name: 'destination', type: 'LowCardinality(String)' },
        ],
      },
    ]);
  });

  it('keeps every value of the file', async () => {
    const query =
      'SELECT sum(delay), min(delay), sum(distance), min(date), max(date), uniqExact(origin) FROM flights';
    await callRest(caller, { method: 'POST', path: '', body: { name: 'sums', query } });
    const { body } = await callRest<RunBody>(caller, { path: '/sums/run' });
    // The same sums over the Parquet file itself, with its own wide types.
    expect(body.results).toEqual([
      [20_003_603, -1116, 2_194_861_208, '2001-01-01T00:01:00Z', '2001-07-01T00:00:00Z', 229],
    ]);
    await callRest(caller, { method: 'DELETE', path: '/sums' });
  });

  /** What has no default, and what a materialized version asks for whatever its defaults. */
  const needed: Readonly<Record<string, string>> = {
    airport: '?variables[code]=sfo',
    flights_per_day: '?variables[date_from]=2001-05-01&variables[date_to]=2001-05-31',
  };

  it('has endpoints that each give rows', async () => {
    const { body } = await list();
    expect(body.count).toBeGreaterThanOrEqual(6);
    for (const { name, description } of body.results) {
      const run = await callRest<RunBody>(caller, { path: `/${name}/run${needed[name] ?? ''}` });
      expect(run.status, name).toBe(200);
      expect(run.body.results.length, name).toBeGreaterThan(0);
      expect(description, name).not.toBe('');
    }
  });

  it('serves a GET, a POST and GraphQL alike, and the second from the cache', async () => {
    const variables = { origin: 'JFK', late_minutes: 45 };
    const search = `variables=${encodeURIComponent(JSON.stringify(variables))}`;
    const get = await callRest<RunBody>(caller, { path: `/airport_delays/run?${search}` });
    const post = await callRest<RunBody>(caller, {
      method: 'POST',
      path: '/airport_delays/run',
      body: { variables },
    });
    const graphql = await callGraphQL<{ runEndpoint: { results: unknown; isCached: boolean } }>(
      caller,
      'query ($v: JSON) { runEndpoint(projectId: "@current", name: "airport_delays", input: { variables: $v }) { results isCached } }',
      { v: variables },
    );
    expect(get.body.results).toHaveLength(181);
    expect(get.body.is_cached).toBe(false);
    expect(post.body).toMatchObject({ results: get.body.results, is_cached: true });
    expect(graphql.data?.runEndpoint).toEqual({ results: get.body.results, isCached: true });
  });

  const { service, project } = graphiqlExamples;
  const projectPath = '/api/projects/@current';
  const examples = [
    ...service.map((example, at) => ['', at + 1, example] as const),
    ...project.map((example, at) => [projectPath, at + 1, example] as const),
  ];

  it.each(examples)(
    'has at %s/graphql GraphiQL tab %i, which runs as it is',
    async (path, _number, { query, variables }) => {
      const url = `${caller.url}${path}`;
      const response = await callGraphQL({ ...caller, url }, query, JSON.parse(variables ?? '{}'));
      expect(response.errors).toBeUndefined();
      expect(response.data).toBeTruthy();
    },
  );

  it('has the same rows in the data graph as by REST, for every endpoint', async () => {
    const { body } = await list();
    expect(body.results.length).toBeGreaterThan(6);
    for (const { name, graphql_name: field } of body.results) {
      const isAirport = name === 'airport';
      const rest = await callRest<{ readonly results: readonly unknown[] }>(caller, {
        path: `/${name}/run?rows=objects${isAirport ? '&variables[code]=SFO' : ''}`,
      });
      expect(rest.body.results.length).toBeGreaterThan(0);
      const rows = await typedRows(caller, field, isAirport ? '(code: "SFO")' : '');
      expect([name, rows]).toEqual([name, rest.body.results]);
    }
  });

  it('answers the queries of the page about the data graph', async () => {
    const page = readFileSync(path.resolve('docs/graphql-data.md'), 'utf8');
    const queries = [...page.matchAll(/^```graphql\n(# \d+\.[\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    );
    expect(queries).toHaveLength(10);
    for (const query of queries) {
      const response = await callGraphQL(
        { ...caller, url: `${caller.url}${projectPath}` },
        query ?? '',
      );
      expect([query, response.errors]).toEqual([query, undefined]);
    }
  });

  it.skipIf(!canBrowse)('has GraphiQL tabs that one click opens and another one runs', async () => {
    await callRest(caller, { method: 'DELETE', path: '/arrivals_by_state' });
    await using browser = await launchBrowser();
    const page = await browser.newPage();
    const errors = collectErrors(page);
    await page.goto(`${server.url}/graphql`);
    const tabs = page.locator('.graphiql-tab');
    await expectText(page.locator('.graphiql-tab-active'), 'AirportDelays');
    expect(await tabs.count()).toBe(service.length);
    expect(await page.locator('.graphiql-editor-tools button.active').textContent()).toBe(
      'Variables',
    );
    for (const at of [1, 4, 2, 5, 3, 0]) {
      await clickAt(page, tabs.nth(at));
      const chosen = tabs.and(page.locator('.graphiql-tab-active'));
      expect(await chosen.textContent()).toBe(await tabs.nth(at).textContent());
      const answered = page.waitForResponse((response) => response.url().endsWith('/graphql'));
      await clickAt(page, page.locator('.graphiql-execute-button'));
      const body = (await (await answered).json()) as Record<string, unknown>;
      expect(body).toMatchObject({ data: expect.anything() });
      expect(body).not.toHaveProperty('errors');
      if (at === 0) expect(JSON.stringify(body)).toMatch(/"results":\[\["2001-01-01",339,/);
    }
    await page.goto(`${server.url}${projectPath}/graphql`);
    await expectText(page.locator('.graphiql-tab-active'), 'AirportDelays');
    expect(await tabs.count()).toBe(project.length);
    const typed = page.waitForResponse(
      (response) =>
        response.url().endsWith(`${projectPath}/graphql`) &&
        response.request().postData()?.includes('"AirportDelays"') === true,
    );
    await clickAt(page, page.locator('.graphiql-execute-button'));
    expect(await (await typed).json()).toMatchObject({
      data: { airportDelays: { rows: expect.arrayContaining([expect.anything()]) } },
    });
    expect(errors).toEqual([]);
  });

  it.skipIf(!canBrowse)('has REST docs whose examples run as they are', async () => {
    await using browser = await launchBrowser();
    const page = await browser.newPage();
    await page.goto(`${server.url}/api/docs`);
    await page.locator('#project .opblock').first().waitFor();
    const listed = await page.locator('#swagger-ui .opblock-summary').allTextContents();
    expect(listed.filter((text) => text.includes('/environments/'))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(await page.locator('#swagger-ui .info').textContent()).toContain(
      'lists each operation once: under /api/projects',
    );
    const operations = [
      ['#swagger-ui', 'List endpoints', 200],
      ['#swagger-ui', 'Create an endpoint', 201],
      ['#swagger-ui', 'Retrieve an endpoint', 200],
      ['#swagger-ui', 'Update an endpoint', 200],
      ['#swagger-ui', 'Delete an endpoint', 204],
      ['#swagger-ui', 'Run an endpoint (GET)', 200],
      ['#swagger-ui', 'Run an endpoint (POST)', 200],
      ['#swagger-ui', 'Retrieve a table', 200],
      ['#project', 'airport_delays/run', 200],
      ['#project', 'airport/run', 200],
    ] as const;
    for (const [part, text, status] of operations) {
      const block = page.locator(`${part} .opblock`).filter({ hasText: text }).first();
      await clickAt(page, block.locator('.opblock-summary-control'));
      const answered = page.waitForResponse((response) =>
        /\/(?:endpoints|tables)\b/.test(response.url()),
      );
      await clickAt(page, block.locator('button.execute'));
      expect([text, (await answered).status()]).toEqual([text, status]);
      await clickAt(page, block.locator('.opblock-summary-control'));
    }
  });

  it('has no line in a tab that the buttons beside the editor cut off', () => {
    const lines = [...service, ...project].flatMap(({ query }) => query.split('\n'));
    expect(lines.filter((line) => line.length > 48)).toEqual([]);
  });

  it.skipIf(!isThere('curl', findProgram('curl') !== null))(
    'prints a curl line that works when pasted',
    () => {
      const line = /^ +(curl .*)$/m.exec(server.stdout())?.[1] ?? '';
      const response = execFileSync('/bin/sh', ['-c', `${line} --silent`], { encoding: 'utf8' });
      expect((JSON.parse(response) as RunBody).results).toHaveLength(5);
    },
  );

  it('refuses a second start on its folder in one line', async () => {
    const second = await querydock(['start'], { ...env, PORT: '0' });
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(/^querydock: The data folder .* is in use by another.*\n$/);
    expect((await list()).status).toBe(200);
  });

  it('names the port that another program has', async () => {
    const port = new URL(server.url).port;
    const other = await querydock(['start'], { DATA_DIR: path.join(folder.dir, 'b'), PORT: port });
    expect(other.code).toBe(1);
    expect(other.stderr).toBe(
      `querydock: Port ${port} is in use. Stop the process that uses it, or set PORT to another port; 0 chooses a free one.\n`,
    );
  });
});

describe('a later start', () => {
  it('comes after a Ctrl-C that leaves no process behind', async () => {
    const children = descendantsOf(server.pid);
    expect(children.length).toBeGreaterThan(2);
    expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null });
    await areGone(children);
    expect(() => statSync(path.join(env.DATA_DIR, 'server.json'))).toThrow(/ENOENT/);
  });

  it('keeps key, endpoints and what was done to them', async () => {
    const { key } = caller;
    await startDemo();
    expect(caller.key).toBe(key);
    const before = (await list()).body.results.map(({ name }) => name);
    expect(before).toContain('arrivals_by_state');
    await callRest(caller, { method: 'DELETE', path: '/longest_flights' });
    await server.end('SIGTERM');
    await startDemo();
    const after = (await list()).body.results.map(({ name }) => name);
    expect(after).toEqual(before.filter((name) => name !== 'longest_flights'));
  });

  it('makes a new key when demo.json is lost', async () => {
    const lost = caller;
    await server.end('SIGINT');
    rmSync(path.join(env.DATA_DIR, 'demo.json'));
    await startDemo();
    expect(caller.key).not.toBe(lost.key);
    expect(caller.projectId).toBe(lost.projectId);
    expect((await list()).status).toBe(200);
  });
});
