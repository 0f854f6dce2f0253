/** What "Copy as" gives, run as it stands: each has to give the rows of the version, the values and the order that were seen. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawJson, toJson } from '../../src/console/api/exact-json.ts';
import { type CopiedRun, copyFormats } from '../../src/console/run/copy-as.ts';
import { toVariableValue } from '../../src/console/run/variable-values.ts';
import { findProgram, isThere } from '../support/needs.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const call = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const hostile = `it's "quoted" \\ $HOME \`id\` \${1} </script> é`;
const typed = '{"a": 9007199254740993}';
const exactly = [{ ids: "{'a':9007199254740993}", data: '{"a":9007199254740993}' }];
const expected = [
  { n: 2, word: hostile },
  { n: 1, word: hostile },
];

describe('a run that is copied as', () => {
  let test: TestApp;
  let run: CopiedRun;
  /** Of variables whose digits a double would lose. */
  let exact: CopiedRun;
  let folder: string;

  beforeAll(async () => {
    test = await openTestApp({ port: 0, publicUrl: '' });
    const { port } = await test.app.start();
    folder = await mkdtemp(path.join(os.tmpdir(), 'querydock-copied-'));
    const save = (method: string, at: string, query: string, name = 'words') =>
      test.rest(method, at, { body: { ...(method === 'POST' ? { name } : {}), query } });
    const first = 'SELECT toUInt8(number) AS n, {word:String} AS word FROM numbers(3)';
    expect((await save('POST', '/endpoints', first)).status).toBe(201);
    const second = 'SELECT {word:String} AS other';
    expect((await save('PATCH', '/endpoints/words', second)).status).toBe(200);
    const digits =
      'SELECT toString({ids:Map(String, UInt64)}) AS ids, toString({data:JSON}) AS data';
    expect((await save('POST', '/endpoints', digits, 'digits')).status).toBe(201);
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
    const variables = {
      ids: toVariableValue('Map(String, UInt64)', typed),
      data: toVariableValue('JSON', typed),
    };
    const columns = [
      { name: 'ids', type: 'String' },
      { name: 'data', type: 'String' },
    ];
    exact = { ...run, name: 'digits', version: null, variables, orderBy: [], columns };
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await test?.close();
  });

  const textOf = (format: string, copied = run) => copyFormats[format]?.(copied) ?? '';
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

  async function rowsOfCurl(copied?: CopiedRun): Promise<unknown> {
    const answer = await outputOf('sh', '-c', textOf('curl', copied));
    return (answer as { readonly results: unknown }).results;
  }

  async function rowsOfTypeScript(copied?: CopiedRun): Promise<unknown> {
    const text = `${textOf('TypeScript', copied)}console.log(JSON.stringify(results));\n`;
    return outputOf(process.execPath, await written('copied.mts', text));
  }

  async function rowsOfPython(copied?: CopiedRun): Promise<unknown> {
    const file = await written('copied.py', `${textOf('Python', copied)}print(json.dumps(rows))\n`);
    return outputOf(findProgram('python3') ?? '', file);
  }

  it('curl, by a shell', async () => {
    expect(await rowsOfCurl()).toEqual(expected);
    expect(await rowsOfCurl(exact)).toEqual(exactly);
  });

  it('TypeScript, by Node', async () => {
    expect(await rowsOfTypeScript()).toEqual(expected);
    expect(await rowsOfTypeScript(exact)).toEqual(exactly);
  });

  it.skipIf(!isThere('Python', findProgram('python3') !== null))('Python', async () => {
    expect(await rowsOfPython()).toEqual(expected);
    expect(await rowsOfPython(exact)).toEqual(exactly);
  });

  it('GraphQL, with its variables', async () => {
    for (const [copied, rows] of [
      [run, expected],
      [exact, exactly],
    ] as const) {
      const text = textOf('GraphQL', copied);
      const variables = new RawJson(/# Variables:\n# (.*)\n$/.exec(text)?.[1] ?? '{}');
      const body = toJson({ query: text, variables });
      const answer = await fetch(`${run.origin}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${test.project.readKey}`,
        },
        body,
      });
      expect(await answer.json()).toMatchObject({ data: { runEndpoint: { results: rows } } });
    }
  });

  it('a React hook, whose name is one of the language', () => {
    const named = (name: string) => textOf('React hook', { ...run, name });
    expect(named('top-')).toContain('function useTop(');
    expect(named('a--b_c-')).toContain('function useABC(');
  });

  it.each(['run', 'exact'])(
    'a React hook, whose types are right and whose request is the run: %s',
    async (which) => {
      const isExact = which === 'exact';
      const text = textOf('React hook', isExact ? exact : run);
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
      const more = `const { queryFn } = ${isExact ? 'useDigits' : 'useWords'}(process.env.QUERYDOCK_KEY, { absent: undefined });
console.log(JSON.stringify(await queryFn({ signal: new AbortController().signal })));\n`;
      const script = await written('hook.mjs', code + more);
      expect(await outputOf(process.execPath, script)).toEqual(isExact ? exactly : expected);
    },
  );
});
