import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { loadTable } from '../../src/engine/clickhouse/load/load-table.ts';
import { withRequestScope } from '../../src/lib/request-scope.ts';
import { eventually } from '../support/eventually.ts';
import { type CallOptions, openTestApp, type TestApp } from '../support/test-app.ts';

interface Progress {
  readonly rowsRead: number;
  readonly estimatedRowsTotal: number;
  readonly bytesRead: number;
  readonly timeElapsed: number;
}

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  for (const [name, rows] of [
    ['first', 1_000_000_000_000],
    ['second', 3_000_000_000_000],
  ]) {
    const query = `SELECT sum(cityHash64(number)) AS s FROM numbers(${rows})`;
    await test.rest('POST', '/endpoints', { body: { name, query } });
  }
});
afterAll(() => test.close());

async function progressOf(requestId: string, options: CallOptions = {}) {
  const document = `query ($project: ID!, $id: ID!) {
    requestProgress(projectId: $project, requestId: $id) { rowsRead estimatedRowsTotal bytesRead timeElapsed } }`;
  const variables = { project: String(test.project.id), id: requestId };
  const { body } = await test.graphql(document, variables, options);
  return { found: body.data?.requestProgress as Progress | null, errors: body.errors };
}

describe('the progress of a request', () => {
  it('is the sum of what the engine reads for its queries, and nobody else’s', async () => {
    const { signal, abort } = abortable();
    const headers = { 'x-request-id': 'both' };
    const document = `{
      a: runEndpoint(projectId: "@current", name: "first") { results }
      b: runEndpoint(projectId: "@current", name: "second") { results }
    }`;
    const request = test.graphql(document, {}, { headers, signal }).catch(() => null);
    await eventually('both are running', async () => {
      const { found } = await progressOf('both');
      return found?.estimatedRowsTotal === 4_000_000_000_000 && found.rowsRead > 0;
    });
    const { found } = await progressOf('both');
    expect(found?.bytesRead).toBe(8 * Number(found?.rowsRead));
    expect(found?.timeElapsed).toBeGreaterThan(0);
    expect((await progressOf('another')).found).toBeNull();
    const { project, other } = test;
    const { key } = await test.issueKey({ scopes: ['endpoint:read'], projects: [project, other] });
    expect((await progressOf('both', { key })).found).not.toBeNull();
    const ofOther = `{ requestProgress(projectId: "${other.id}", requestId: "both") { rowsRead } }`;
    const { body } = await test.graphql(ofOther, {}, { key });
    expect(body.data).toEqual({ requestProgress: null });
    abort();
    await request;
    await eventually('none is running', async () => (await progressOf('both')).found === null);
  });

  it('has the rows of a load so far', async () => {
    const source = new PassThrough();
    const load = withRequestScope({ requestId: 'rows' }, () =>
      loadTable({
        connection: test.backends.engineConnection,
        log: openLog('silent'),
        projectId: test.project.id,
        table: 'loaded',
        format: 'CSVWithNames',
        source,
        columns: [{ name: 'n', type: 'Int64' }],
        mode: 'create',
      }),
    );
    source.write(`n\n${'1\n'.repeat(2_000_000)}`);
    await eventually('rows are read', async () => {
      const { found } = await progressOf('rows');
      return found !== null && found.rowsRead > 0;
    });
    source.end('2\n');
    expect(await load).toEqual({ rows: 2_000_001 });
    await eventually('none is running', async () => (await progressOf('rows')).found === null);
  });

  it('is for keys of the project that may run endpoints or load rows', async () => {
    const denied = await progressOf('both', { key: test.other.readKey });
    expect(denied.errors?.[0]?.extensions.code).toBe('permission_denied');
    for (const scope of ['endpoint:read', 'data:write']) {
      const { key } = await test.issueKey({ scopes: [scope], projects: [test.project] });
      expect(await progressOf('both', { key })).toEqual({ found: null, errors: undefined });
    }
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
