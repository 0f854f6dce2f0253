/** Clients that others' generators make from our documents, compiled under strict and run against a started service. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import {
  type ClientsFolder,
  type GeneratorName,
  generators,
  openClientsFolder,
} from './support/generate.ts';
import { programOf, usageProgram } from './support/programs.ts';

const run = promisify(execFile);
const names = Object.keys(generators) as GeneratorName[];
const documents = ['endpoint', 'project'] as const;
/** The one that reads the usage, too. */
const usageClient = 'openapiTypescript-project';
const clients = names.flatMap((name) => documents.map((document) => `${name}-${document}`));

let test: TestApp;
let folder: ClientsFolder;
let problems: readonly string[];
let results: Readonly<Record<string, unknown>>;

const byOrigin = {
  name: 'by_origin',
  query: {
    kind: 'SQLQuery',
    query: `SELECT {origin:String} AS origin, {day:Date} AS day, toUInt64(number) AS flights,
      {late:Bool} AS late, if(number = 0, NULL, concat(arrayStringConcat({ids:Array(UInt8)}, '+'), '|',
        arrayStringConcat({tags:Array(String)}, '+'))) AS note
      FROM numbers({many:UInt8}) ORDER BY flights`,
    variables: {
      many: { value: 1 },
      late: { value: false },
      ids: { value: [] },
      tags: { value: [] },
    },
  },
};

beforeAll(async () => {
  test = await openTestApp({ port: 0, publicUrl: '' });
  await test.app.start();
  folder = openClientsFolder();
  await test.rest('POST', '/endpoints', { body: byOrigin });
  await test.rest('POST', '/endpoints', {
    body: { name: 'pairs', query: 'SELECT 1 AS n, 2 AS n' },
  });
  await generateAll();
  problems = folder.compile(clients.map((client) => `${client}.ts`));
  results = problems.length > 0 ? {} : await runAll();
}, 120_000);
afterAll(async () => {
  folder.remove();
  await test.close();
});

async function generateAll(): Promise<void> {
  const { body: endpoint } = await test.rest('GET', '/endpoints/by_origin/openapi.json');
  const { body: project } = await test.rest('GET', '/openapi.json');
  const baseUrl = test.app.publicUrl();
  const runPath = `/api/projects/${test.project.id}/endpoints/by_origin/run`;
  const usagePath = `/api/projects/${test.project.id}/endpoints/_usage/run`;
  for (const name of names) {
    for (const [of, document] of [
      ['endpoint', endpoint],
      ['project', project],
    ] as const) {
      await folder.generate(name, of, document);
      const client = `${name}-${of}`;
      const program = programOf(name, { folder: client, baseUrl, runPath });
      const more = client === usageClient ? usageProgram(usagePath) : '';
      folder.write(`${client}.ts`, program + more);
    }
  }
}

/** Every client in a process of one; a program that fails has its message as its result. */
async function runAll(): Promise<Readonly<Record<string, unknown>>> {
  const programs = JSON.stringify(clients);
  folder.write(
    'run.js',
    `const results = {};
    for (const client of ${programs}) {
      const { fetch } = globalThis;
      try {
        const { result, usage } = await import('./js/' + client + '.js');
        results[client] = { ...result, usage };
      }
      catch (error) { results[client] = String(error); }
      globalThis.fetch = fetch;
    }
    console.log('\\n' + JSON.stringify(results));`,
  );
  const { stdout } = await run(process.execPath, [path.join(folder.dir, 'run.js')], {
    env: { ...process.env, API_KEY: test.project.readKey },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>;
}

const row = { origin: 'ABQ', day: '2001-01-02', late: true };
const first = { ...row, flights: 0, note: null };
const second = { ...row, flights: 1, note: '7+8|a+b' };

describe('generated clients', () => {
  it('compile under strict, with rows whose members are typed', () => {
    expect(problems).toEqual([]);
  });

  it.each(clients)('%s runs an endpoint by GET with its variables', (client) => {
    expect(results[client]).toMatchObject({ got: [second, first] });
  });

  it.each(clients)('%s runs an endpoint by POST', (client) => {
    expect(results[client]).toMatchObject({ posted: [second, first] });
  });

  it('that of a project reads its usage by the built-in endpoint', () => {
    const line = { at: null, endpoint: 'by_origin', runs: expect.any(Number), errors: 0 };
    expect(results[usageClient]).toMatchObject({
      usage: expect.arrayContaining([expect.objectContaining(line)]),
    });
  });
});
