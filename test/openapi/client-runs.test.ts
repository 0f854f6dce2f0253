import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { generateTypes, openClientFolder, typeCheck } from './generate-client.ts';

const run = promisify(execFile);
let test: TestApp;

beforeAll(async () => {
  test = await openTestApp({ port: 0, publicUrl: '' });
  await test.app.start();
  await test.rest('POST', '/endpoints', {
    body: {
      name: 'by-origin',
      query: {
        kind: 'SQLQuery',
        query: 'SELECT {origin:String} AS origin, toUInt64(number) AS n FROM numbers({many:UInt8})',
        variables: { many: { value: 2, description: 'How many rows.' } },
      },
    },
  });
});
afterAll(() => test.close());

it('a client generated from an endpoint’s document compiles and runs it', async () => {
  const { body: document } = await test.rest('GET', '/endpoints/by-origin/openapi.json');
  const program = `
    import createClient from 'openapi-fetch';
    import type { paths } from './endpoint.d.ts';
    declare const process: { readonly env: Record<string, string | undefined> };
    const headers = { Authorization: \`Bearer \${process.env['API_KEY']}\` };
    const client = createClient<paths>({ baseUrl: '${test.app.publicUrl()}', headers });
    const path = '/api/projects/${test.project.id}/endpoints/by-origin/run';
    const posted = await client.POST(path, { body: { variables: { origin: 'ABQ', many: 3 }, limit: 2 } });
    const got = await client.GET(path, { params: { query: { variables: { origin: 'ABQ' } } } });
    const refused = await client.POST(path, { body: { variables: { origin: 'ABQ' }, version: 9 } });
    console.log(JSON.stringify([posted.data?.results, posted.data?.hasMore, got.data?.results, refused.error?.code]));
  `;
  const files = { 'endpoint.d.ts': await generateTypes(document), 'main.ts': program };
  expect(typeCheck(files)).toEqual([]);
  const folder = openClientFolder(files);
  try {
    const { stdout } = await run(process.execPath, [path.join(folder.dir, 'main.ts')], {
      env: { ...process.env, API_KEY: test.project.readKey },
    });
    const rows = [
      ['ABQ', 0],
      ['ABQ', 1],
    ];
    expect(JSON.parse(stdout)).toEqual([rows, true, rows, 'version_not_found']);
  } finally {
    folder.remove();
  }
});
