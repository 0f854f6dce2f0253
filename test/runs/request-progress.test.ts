import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('is for keys of the project that may run endpoints', async () => {
    const denied = await progressOf('both', { key: test.other.readKey });
    expect(denied.errors?.[0]?.extensions.code).toBe('permission_denied');
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
