/** A result of a gigabyte passes through the service without being held by it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { fixedProjectIds } from '../support/project-ids.ts';
import { withClient } from '../support/test-server.ts';

/** Far from the ids of the other files, which share the engine. */
const projectId = fixedProjectIds.streamMemory;
const gigabyte = 2 ** 30;
const mebibyte = 2 ** 20;

let database: FreshDatabase;
let service: ChildProcessWithoutNullStreams;
let lines: Interface;
let address: { readonly port: number; readonly key: string };

beforeAll(async () => {
  database = await freshDatabase();
  await withClient(database.databaseUrl, (client) =>
    client.query("SELECT setval(pg_get_serial_sequence('project', 'id'), $1, false)", [projectId]),
  );
  service = spawn(process.execPath, [path.join(import.meta.dirname, 'support/stream-service.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: database.databaseUrl,
      CLICKHOUSE_URL: inject('engine').clickhouseUrl,
      CLICKHOUSE_USER_SECRET: inject('engine').secret,
    },
  });
  service.stderr.pipe(process.stderr);
  lines = createInterface({ input: service.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  address = JSON.parse(line) as typeof address;
});

afterAll(async () => {
  service.stdin.end();
  await once(service, 'exit');
  await database.drop();
});

async function peakBytes(): Promise<number> {
  service.stdin.write('\n');
  const [line] = (await once(lines, 'line')) as [string];
  return Number(line);
}

async function ask(method: string, tail: string, body?: object): Promise<IncomingMessage> {
  const request = http.request({
    port: address.port,
    method,
    path: `/api/projects/@current/endpoints${tail}`,
    headers: { authorization: `Bearer ${address.key}`, 'content-type': 'application/json' },
  });
  request.end(body === undefined ? '' : JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function bytesOf(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
  return bytes;
}

it.each([
  ['csv', 34_000_000],
  ['arrow', 35_000_000],
] as const)('as %s takes the process a fixed piece of memory', async (format, rows) => {
  const query = `SELECT number, toString(cityHash64(number)) AS hash FROM numbers(${rows})`;
  const saved = await ask('POST', '', { name: `rows_${format}`, query });
  expect(saved.statusCode).toBe(201);
  await bytesOf(saved);
  await bytesOf(await ask('GET', `/rows_${format}/run?format=${format}&limit=1000000`));
  const before = await peakBytes();
  const response = await ask('GET', `/rows_${format}/run?format=${format}`);
  const bytes = await bytesOf(response);
  const after = await peakBytes();
  expect(response.trailers).toMatchObject({ 'querydock-rows': String(rows) });
  process.stdout.write(
    `\n${format}: ${bytes} bytes; peak of the service ${Math.round(before / mebibyte)} MiB before, ${Math.round(after / mebibyte)} MiB after\n`,
  );
  expect(bytes).toBeGreaterThanOrEqual(gigabyte);
  expect(after - before).toBeLessThan(96 * mebibyte);
});
