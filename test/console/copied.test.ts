/** What "Copy as" gives, run as it stands: each has to give the rows of the version, the values and the order that were seen. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CopiedRun, copyFormats } from '../../src/console/run/copy-as.ts';
import { findProgram, isThere } from '../support/needs.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const call = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const hostile = `it's "quoted" \\ $HOME \`id\` \${1} </script> é`;
const expected = [
  { n: 2, word: hostile },
  { n: 1, word: hostile },
];

describe('a run that is copied as', () => {
  let test: TestApp;
  let run: CopiedRun;
  let folder: string;

  beforeAll(async () => {
    test = await openTestApp({ port: 0, publicUrl: '' });
    const { port } = await test.app.start();
    folder = await mkdtemp(path.join(os.tmpdir(), 'querydock-copied-'));
    const save = (method: string, at: string, query: string) =>
      test.rest(method, at, { body: { ...(method === 'POST' ? { name: 'words' } : {}), query } });
    const first = 'SELECT toUInt8(number) AS n, {word:String} AS word FROM numbers(3)';
    expect((await save('POST', '/endpoints', first)).status).toBe(201);
    const second = 'SELECT {word:String} AS other';
    expect((await save('PATCH', '/endpoints/words', second)).status).toBe(200);
    run = {
      origin: `http://127.0.0.1:${port}`,
      projectId: String(test.project.id),
      name: 'words',
      version: 1,
      limit: 2,
      variables: { word: hostile },
      orderBy: ['-n'],
      columns: [
        { name: 'n', type: 'UInt8' },
        { name: 'word', type: 'LowCardinality(Nullable(String))' },
      ],
    };
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await test?.close();
  });

  const textOf = (format: string) => copyFormats[format]?.(run) ?? '';
  const environment = () => ({ ...process.env, QUERYDOCK_KEY: test.project.readKey });

  async function written(name: string, text: string): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  }

  async function outputOf(program: string, ...given: readonly string[]): Promise<unknown> {
    const { stdout } = await call(program, [...given], { env: environment() });
    return JSON.parse(stdout);
  }

  it('curl, by a shell', async () => {
    const answer = (await outputOf('sh', '-c', textOf('curl'))) as { readonly results: unknown };
    expect(answer.results).toEqual(expected);
  });

  it('TypeScript, by Node', async () => {
    const text = `${textOf('TypeScript')}console.log(JSON.stringify(results));\n`;
    const file = await written('copied.mts', text);
    expect(await outputOf(process.execPath, file)).toEqual(expected);
  });

  it.skipIf(!isThere('Python', findProgram('python3') !== null))('Python', async () => {
    const file = await written('copied.py', `${textOf('Python')}print(json.dumps(rows))\n`);
    expect(await outputOf(findProgram('python3') ?? '', file)).toEqual(expected);
  });

  it('GraphQL, with its variables', async () => {
    const text = textOf('GraphQL');
    const variables = JSON.parse(/# Variables:\n# (.*)\n$/.exec(text)?.[1] ?? '{}') as unknown;
    const { body } = await test.graphql(text, variables);
    expect(body).toMatchObject({ data: { runEndpoint: { results: expected } } });
  });

  it('a React hook, whose types are right and whose request is the run', async () => {
    const text = textOf('React hook');
    const tsc = path.join(root, 'node_modules/typescript7/bin/tsc');
    const file = path.join(root, 'test', `copied-hook-${process.pid}.ts`);
    await writeFile(file, text);
    try {
      const options =
        '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target esnext';
      await call(process.execPath, [tsc, ...options.split(' '), '--lib', 'esnext,dom', file]);
    } finally {
      await rm(file);
    }
    // The library does nothing with the function but call it.
    const called = text.replace(/^import .*\n/, 'const useQuery = (options: any) => options;\n');
    const { code } = await transform(called, { loader: 'ts', format: 'esm' });
    const more = `const { queryFn } = useWords(process.env.QUERYDOCK_KEY);
console.log(JSON.stringify(await queryFn({ signal: new AbortController().signal })));\n`;
    const script = await written('hook.mjs', code + more);
    expect(await outputOf(process.execPath, script)).toEqual(expected);
  });
});
