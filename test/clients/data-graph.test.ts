/** The clients of examples/data-graph: generated for a project's graph, compiled under strict and run against the service. */
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  compileGraphClients,
  generateClientPreset,
  generateRelay,
  generateTada,
} from './support/generate-graph-types.ts';
import { clients, fileOf, programOf } from './support/graph-programs.ts';
import { openGraphService } from './support/graph-service.ts';
import { openProgramsFolder, type ProgramsFolder } from './support/programs-folder.ts';

const run = promisify(execFile);
const examples = 'examples/data-graph';
/** The page is in docs/graphql-data.md. */
const others = ['tsconfig.json', 'live-page.tsx'];
let test: TestApp;
let folder: ProgramsFolder;
let problems: string;
let results: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  test = await openGraphService();
  folder = openProgramsFolder();
  cpSync(examples, folder.dir, { recursive: true });
  const graph = `/api/projects/${test.project.id}/graphql`;
  folder.write(
    'connection.ts',
    `export const url = '${test.app.publicUrl()}${graph}';
    export const headers = { authorization: 'Bearer ${test.project.readKey}' };`,
  );
  const { text } = await test.rest('GET', '/graphql/schema.graphql');
  folder.write('schema.graphql', text);
  for (const client of clients) folder.write(fileOf(client), programOf(client));
  await generateClientPreset(folder.dir);
  await generateTada(folder.dir);
  await generateRelay(folder.dir);
  problems = await compileGraphClients(folder.dir);
  results = problems === '' ? await runAll() : {};
});
afterAll(async () => {
  folder.remove();
  await test.close();
});

/** Every client in one process; a program that fails has its message as its result. */
async function runAll(): Promise<Readonly<Record<string, unknown>>> {
  const programs = clients.map((client) => [client, fileOf(client).replace('.ts', '.js')]);
  bindRelayDocuments();
  folder.write(
    'run.js',
    `const { fetch } = globalThis;
    let requests = 0;
    globalThis.fetch = (...given) => { requests += 1; return fetch(...given); };
    const results = {};
    for (const [client, file] of ${JSON.stringify(programs)}) {
      requests = 0;
      try {
        const { result, usage } = await import('./js/' + file);
        results[client] = { ...result, usage, requests };
      }
      catch (error) { results[client] = error.stack; }
    }
    console.log('\\n' + JSON.stringify(results));`,
  );
  const { stdout } = await run(process.execPath, [path.join(folder.dir, 'run.js')], {
    cwd: folder.dir,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof results;
}

/** What babel-plugin-relay does: a document becomes the artifact that the compiler made of it. */
function bindRelayDocuments(): void {
  const js = path.join(folder.dir, 'js');
  for (const file of readdirSync(js).filter((name) => name.startsWith('relay'))) {
    const text = readFileSync(path.join(js, file), 'utf8');
    const bound = text.replace(
      /graphql `\s*query (\w+)[^`]*`/g,
      "(await import('./__generated__/$1.graphql.js')).default",
    );
    writeFileSync(path.join(js, file), bound);
  }
}

describe('clients of a data graph', () => {
  it('compile under strict, and are held to the types of rows and arguments', () => {
    expect(problems).toBe('');
  });

  it.each(clients)(
    '%s gets typed rows, from its own cache when they are asked for again',
    (client) => {
      const product = (country: string) => ({
        id: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
        name: `best of ${country}`,
        price: '1.50',
        units: '170141183460469231731687303715884105727',
        place: { city: 'Graz', at: { lat: 47.07, lon: null } },
        parts: [
          { amount: 1, code: 'a' },
          { amount: 2, code: 'b' },
        ],
        extra: { k: 1 },
        codes: ['a', 'b'],
        sorted: 'desc',
        soldAt: '2001-01-01T00:00:00.500Z',
        note: null,
      });
      const day = (at: number, avgDelay: number | null, late: number) => ({
        day: `2001-01-0${at + 1}`,
        flights: at * 10,
        late,
        avgDelay,
      });
      const late = client === 'apollo' ? 30 : 15;
      expect(results[client]).toMatchObject({
        delays: [day(0, null, late), day(1, 1.5, late), day(2, 2.5, late)],
        asked: [[product('at')], [product('de')], [product('at')]],
        requests: client === 'graphql-request' ? 5 : 3,
      });
    },
  );

  it('graphql-request reads the usage of the project by the built-in field, typed', () => {
    expect(results['graphql-request']).toMatchObject({
      usage: [{ at: null, endpoint: 'airport_delays', runs: expect.any(Number) }],
    });
  });

  it('have a page whose code is theirs', () => {
    const page = readFileSync('docs/clients/data-graph.md', 'utf8');
    const blocks = [...page.matchAll(/^`(examples\/[^`]+)`:\n\n```\w+\n(.*?)```$/gms)];
    for (const [, file = '', code] of blocks) expect(readFileSync(file, 'utf8')).toBe(code);
    const shown = blocks.map(([, file = '']) => path.basename(file));
    const files = readdirSync(examples).filter((file) => !others.includes(file));
    expect(shown.toSorted()).toEqual(files.toSorted());
  });
});
