/** Every command with no server running, then beside one. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { callGraphQL, callRest, type EndpointBody, type RunBody } from './support/calls.ts';
import {
  querydock,
  querydockJson,
  root,
  type Server,
  start,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

interface Key {
  readonly id: string;
  readonly key: string;
}

interface AuditLog {
  readonly auditLog: {
    readonly edges: readonly {
      readonly node: {
        readonly action: string;
        readonly door: string;
        readonly keyId: string | null;
        readonly after: Readonly<Record<string, unknown>> | null;
      };
    }[];
  };
}

interface UsageBody {
  readonly total: { readonly runs: number };
  readonly results: readonly unknown[];
}

interface Tables {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

let folder: TempFolder;
let files: string;
let env: { readonly DATA_DIR: string };

const json = <Answer>(...args: readonly string[]) => querydockJson<Answer>(args, env);
const load = (...args: readonly string[]) =>
  json<{ readonly rows: number }>('data', 'load', ...args);

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: path.join(folder.dir, 'data') };
  files = path.join(folder.dir, 'files');
  mkdirSync(files);
  const write = (name: string, text: string) => writeFileSync(path.join(files, name), text);
  write('day-1.csv', 'id,price,note\n1,2,a\n2,3,\n');
  write('day-2.csv', 'id,price,note\n3,4.5,"b, c"\n');
  write('more.ndjson', '{"id":4,"price":null,"note":"d"}\n');
});

afterAll(() => folder.remove());

describe('with no server', () => {
  it('makes projects, whose ids and databases it prints', async () => {
    expect(await json('project', 'create', 'first')).toEqual({
      id: 1,
      name: 'first',
      database: 'project_1',
    });
    // As long as there is one project, every command is for that.
    expect(await json('data', 'tables')).toEqual({ tables: [] });
    expect(await json('project', 'limits')).toMatchObject({ id: 1 });
    const { id } = await json<Key>('key', 'create', '--label', 'of the only one');
    const { keys } = await json<{ readonly keys: readonly object[] }>('key', 'list');
    expect(keys).toMatchObject([{ id, project_ids: [1], scopes: ['endpoint:read'] }]);
    await json('key', 'revoke', id);
    expect(await json('project', 'create', ' two words ')).toEqual({
      id: 2,
      name: 'two words',
      database: 'project_2',
    });
    const { projects } = await json<{ projects: readonly unknown[] }>('project', 'list');
    expect(projects).toMatchObject([
      { id: 1, name: 'first', database: 'project_1' },
      { id: 2, name: 'two words', database: 'project_2' },
    ]);
  });

  it('issues keys, lists them without secrets and revokes them', async () => {
    const words =
      'key create --project first --project 2 --scope endpoint:read,endpoint:write --label nightly --expires 30d --email ada@querydock.test';
    const issued = await json<Key>(...words.split(' '));
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^qdk_[\w-]{43}$/),
    });
    const list = await querydock(['key', 'list', '--project', '2', '--json'], env);
    expect(list.stdout).not.toContain(issued.key);
    expect(JSON.parse(list.stdout)).toEqual({
      keys: [
        {
          id: issued.id,
          label: 'nightly',
          prefix: issued.key.slice(0, 8),
          owner: 'ada@querydock.test',
          project_ids: [1, 2],
          scopes: ['endpoint:read', 'endpoint:write'],
          created_at: expect.any(String),
          expires_at: expect.any(String),
          last_used_at: null,
          revoked_at: null,
          is_active: true,
        },
      ],
    });
    expect(await json('key', 'revoke', issued.id)).toEqual({ id: issued.id, revoked: true });
    const again = await querydock(['key', 'revoke', issued.id], env);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toBe(`querydock: The key ${issued.id} is already revoked.\n`);
  });

  it('ends quietly when the reader of its output has gone', async () => {
    const list = `"${process.execPath}" "${path.join(root, 'src', 'main.ts')}" key list`;
    const gone = start(['bash', '-c', `set -o pipefail; ${list} | true`], env);
    expect(await gone.exited).toEqual({ code: 0, signal: null });
    expect(gone.stderr()).toBe('');
  });

  it.runIf(existsSync('/dev/full'))('fails when its output cannot be written', async () => {
    const list = `"${process.execPath}" "${path.join(root, 'src', 'main.ts')}" key list`;
    const failed = start(['bash', '-c', `${list} > /dev/full`], env);
    expect(await failed.exited).toEqual({ code: 1, signal: null });
    expect(failed.stderr()).toMatch(/^querydock: The output could not be written: ENOSPC/);
  });

  it.runIf(existsSync('/dev/full'))('serves while its log cannot be written', async () => {
    const args = [process.execPath, path.join(root, 'src', 'main.ts')];
    const own = { ...env, LOG_LEVEL: 'info' };
    const logging = ['bash', '-c', 'exec "$0" "$@" 2> /dev/full', ...args];
    const serving = await startServer('start', own, logging);
    const statuses = await Promise.all(
      ['/api/nope', '/api/nope', '/readyz'].map(
        async (at) => (await fetch(serving.url + at)).status,
      ),
    );
    expect(statuses).toEqual([404, 404, 200]);
    expect(await serving.end('SIGINT')).toMatchObject({ code: 0 });
  });

  it('loads files of a pattern into one table, and prints how many rows', async () => {
    const pattern = path.join(files, 'day-*.csv');
    const done = await load(pattern, '--project', 'first', '--table', 'sales', '--order-by', 'id');
    expect(done).toEqual({
      table: 'sales',
      rows: 3,
      seconds: expect.any(Number),
      rows_per_second: expect.any(Number),
      columns: [
        { name: 'id', type: 'Int64' },
        { name: 'price', type: 'Float64' },
        { name: 'note', type: 'String' },
      ],
    });
    const { tables } = await json<Tables>('data', 'tables', '--project', '1');
    expect(tables).toMatchObject([{ name: 'sales', rows: 3, bytes: expect.any(Number) }]);
    expect((await json<Tables>('data', 'tables', '--project', '2')).tables).toEqual([]);
    expect(await json('tables', '--project', '1')).toEqual({ tables });
    expect(await json('tables', 'sales', '--project', '1')).toEqual({ table: tables[0] });
    const shown = await querydock(['tables', 'sales', '--project', '1'], env);
    expect(shown.stdout).toMatch(/^sales: 3 rows, .*\nCOLUMN +TYPE +COMMENT\nid +Int64\n/);
    const misspelt = await querydock(['tables', 'sale', '--project', '1'], env);
    expect(misspelt).toMatchObject({ code: 1, stdout: '' });
    expect(misspelt.stderr).toContain('has no table sale. Did you mean sales?');
  });
});

describe('beside a running server', () => {
  let server: Server;
  let key: Key;

  const run = () =>
    callRest<RunBody>(
      { url: server.url, projectId: 3, key: key.key },
      { path: '/total/run?refresh=force' },
    );

  beforeAll(async () => {
    server = await startServer('start', env);
  });
  afterAll(() => server.end('SIGINT'));

  it('makes a project that the server uses at once', async () => {
    expect(await json('project', 'create', 'third')).toEqual({
      id: 3,
      name: 'third',
      database: 'project_3',
    });
    const scope = ['--scope', 'endpoint:write', '--label', 'x', '--expires', '2999-12-31'];
    key = await json<Key>('key', 'create', '--project', 'third', ...scope);
    await load(path.join(files, 'day-1.csv'), '--project', 'third', '--table', 'sales');
    const created = await callRest<EndpointBody>(
      { url: server.url, projectId: 3, key: key.key },
      {
        method: 'POST',
        path: '',
        body: { name: 'total', query: 'SELECT count() AS n, sum(price) AS total FROM sales' },
      },
    );
    expect(created.status).toBe(201);
    expect((await run()).body.results).toEqual([[2, 5]]);
  });

  it('prints what runs took, and what that suggests', async () => {
    const ask = <Answer>(...args: readonly string[]) =>
      json<Answer>('usage', '--project', 'third', ...args);
    const told = () => ask<UsageBody>('total', '--by', 'path,outcome');
    await eventually(
      'the server has written what it counted',
      async () => (await told()).total.runs > 0,
    );
    const { total, results } = await told();
    expect(total).toMatchObject({ runs: 1, errors: 0, rows: 1, executions: 1 });
    expect(results).toMatchObject([{ path: 'inline', outcome: 'ok', runs: 1, at: null }]);
    const { stdout } = await querydock(['usage', '--project', 'third'], env);
    expect(stdout).toMatch(/^ENDPOINT +RUNS +ERRORS .*\ntotal +1 +0 .*\nin all +1 +0 /);
    expect(await ask('--advice')).toEqual({ results: [] });
    const { stderr } = await querydock(['usage', 'totals', '--project', 'third'], env);
    expect(stderr).toContain('Did you mean');
  });

  it('prints the schema of its data graph, and writes it to a file', async () => {
    const ask = (...args: readonly string[]) =>
      querydock(['schema', '--project', 'third', ...args], env);
    const { stdout } = await ask();
    expect(stdout).toMatch(/^type Query \{\n {2}total\(/m);
    expect(buildSchema(stdout).getType('TotalRow')).toBeDefined();
    const asJson = await ask('--fields', 'total', '--json');
    const one = JSON.parse(asJson.stdout) as { readonly fields: unknown; readonly schema: string };
    expect(one.fields).toEqual(['total']);
    const types = (text: string) => Object.keys(buildSchema(text).getTypeMap());
    // GraphQL's own Float is there where it is used.
    const own = /^_Usage|^Float$/;
    expect(
      types(stdout)
        .filter((name) => !own.test(name))
        .sort(),
    ).toEqual(types(one.schema).sort());
    expect(types(stdout)).toContain('_UsageRow');
    const file = path.join(files, 'schema.graphql');
    const written = await ask('--output', file);
    expect(written.stdout).toMatch(/^Wrote .*schema\.graphql: 2 fields, [\d.]+ KiB\.\n$/);
    expect(readFileSync(file, 'utf8')).toBe(stdout);
    expect(await ask('--fields', 'totl')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^querydock: .*no field "totl"\. Did you mean "total"\?/),
    });
    const nowhere = await ask('--output', path.join(files, 'missing', 'x'));
    expect(nowhere.stderr).toMatch(/^querydock: The file .* could not be written \(ENOENT\)\.\n$/);
    const empty = await querydock(['schema', '--project', 'first'], env);
    expect(buildSchema(empty.stdout).getQueryType()?.getFields()).toHaveProperty('_usage');
  });

  it('replaces and appends whole', async () => {
    const target = ['--project', 'third', '--table', 'sales'];
    const both = [path.join(files, 'day-1.csv'), path.join(files, 'day-2.csv')];
    // The saved sum becomes a Float64.
    expect(await load(...both, ...target, '--replace', '--force')).toMatchObject({ rows: 3 });
    expect((await run()).body.results).toEqual([[3, 9.5]]);
    // Whole numbers go where the table has fractions.
    expect(await load(path.join(files, 'day-1.csv'), ...target, '--append')).toMatchObject({
      rows: 2,
    });
    expect((await run()).body.results).toEqual([[5, 14.5]]);
    const misfit = await querydock(
      ['data', 'load', path.join(files, 'more.ndjson'), ...target, '--append'],
      env,
    );
    expect(misfit.code).toBe(1);
    expect(misfit.stderr).toMatch(/^querydock: The rows cannot be appended to sales: its column p/);
    expect((await run()).body.results).toEqual([[5, 14.5]]);
    const taken = await querydock(['data', 'load', path.join(files, 'day-1.csv'), ...target], env);
    expect(taken.stderr).toMatch(/^querydock: The table sales already exists. Use --append .*\n$/);
  });

  it('revokes a key that the server then refuses', async () => {
    expect((await run()).status).toBe(200);
    await json('key', 'revoke', key.id);
    await eventually('the key is refused', async () => (await run()).status === 401);
  });

  it('has each of these writes in the audit log, as done from the command line', async () => {
    const admin = await json<Key>('key', 'create', '--scope', 'admin');
    const document =
      '{ auditLog(first: 1000) { edges { node { action door keyId after endpointName } } } }';
    const { data } = await callGraphQL<AuditLog>({ url: server.url, key: admin.key }, document);
    const told = (data?.auditLog.edges ?? []).map(({ node }) => node).reverse();
    const here = told.filter(({ door }) => door === 'command line');
    const others = told.filter(({ door }) => door !== 'command line');
    // In the background, after a load has replaced a table by one with other columns.
    const isDescribed = ({ door, action }: (typeof told)[number]) =>
      door === 'service' && action === 'endpoint.describe';
    expect(others.filter((entry) => !isDescribed(entry)).map((entry) => entry.action)).toEqual([
      'endpoint.create',
    ]);
    expect(here.every(({ keyId }) => keyId === null)).toBe(true);
    const counted = Object.groupBy(here, ({ action }) => action);
    expect(counted['project.create']).toHaveLength(3);
    expect(counted['user.create']).toMatchObject([
      { after: { email: 'admin@querydock.local' } },
      { after: { email: 'ada@querydock.test' } },
    ]);
    expect(counted['key.create']?.at(-1)).toMatchObject({ after: { id: admin.id } });
    expect(counted['key.revoke']?.at(-1)).toMatchObject({ after: { id: key.id } });
    // The load that was refused for its columns got as far as beginning.
    expect(counted['data.loaded']?.at(-1)?.after).toMatchObject({ table: 'sales', rows: 2 });
    const begun = counted['data.load']?.length ?? 0;
    expect(begun).toBeGreaterThanOrEqual(counted['data.loaded']?.length ?? 0);
    expect(JSON.stringify(told)).not.toContain(admin.key.slice(8));
  });

  it.each([
    [['project', 'create', 'first'], 'A project named "first" already exists.'],
    [['project', 'create', '12'], 'a number is read as an id'],
    [['data', 'tables'], 'Give a project by its id or name. There are 1 (first), 2 ('],
    [['key', 'create', '--scope', 'endpoint:read'], 'Give a project by its id or name.'],
    [['project', 'limits'], 'Give a project by its id or name. There are 1 (first), 2 ('],
    [['data', 'tables', '--project', 'none'], 'There is no project none. There are 1 (first), 2 ('],
    [
      ['key', 'create', '--project', '1', '--scope', 'all'],
      '"all" is not a scope. The scopes are end',
    ],
    [
      ['key', 'create', '--project', '1', '--expires', 'soon'],
      '"soon" is not an expiry. --expires ta',
    ],
    [['key', 'revoke', 'x'], 'There is no key x. querydock key list shows the ids.'],
  ])('tells of a mistake in %j in one line', async (args, words) => {
    const { code, stdout, stderr } = await querydock(args, env);
    expect(stderr).toMatch(/^querydock: [^\n]+\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('shows people tables of text', async () => {
    const projects = await querydock(['project', 'list'], env);
    expect(projects.stdout).toMatch(/^ID +NAME +DATABASE +CREATED\n1 +first +project_1 /);
    const keys = await querydock(['key', 'list'], env);
    expect(keys.stdout).toMatch(/nightly +qdk_.{4}… +ada@querydock.test +1, 2 .* revoked\n/);
    expect(keys.stdout).not.toContain(key.key);
  });
});

describe('a usage error', () => {
  it.each([
    [['frob'], "unknown command 'frob'"],
    [['data', 'load', 'x.csv', '--project', '1'], "required option '--table <name>' not specified"],
    [['data', 'load', 'x.csv', '--project', '1', '--table', 't'], 'There is no file x.csv.'],
    [['data', 'load', 'src', '--project', '1', '--table', 't'], 'src is a folder. Give its files'],
    [
      ['data', 'load', '/dev/null', '--project', '1', '--table', 't'],
      '/dev/null is neither a file nor a pipe.',
    ],
    [
      ['data', 'load', 'LICENSE', '--project', '1', '--table', 't'],
      'Set --format to one of csv, tsv, nd',
    ],
    [['data', 'load', 'x', '--project', '1', '--table', '1t'], 'The name of a table must be a'],
    [['key', 'create', '--project', '1', '--email', 'x'], '"x" is not an email address.'],
  ])('in %j gets one line and a status', async (args, words) => {
    const { code, stdout, stderr } = await querydock(args, env);
    expect(stderr).toMatch(/^querydock: [^\n]+\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('in a setting names the setting', async () => {
    const { code, stderr } = await querydock(['start'], { ...env, PORT: 'many' });
    expect(stderr).toBe(
      'querydock: PORT=many is not an integer from 0 to 65535. Accepted: port. Default: 4000.\n',
    );
    expect(code).toBe(1);
  });
});

describe('help', () => {
  it.each([
    [[], 'Commands:'],
    [['data', 'load'], '--append'],
  ])('of %j', async (command, words) => {
    const { code, stdout, stderr } = await querydock([...command, '--help'], env);
    expect(stdout).toContain(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('has the version of the package', async () => {
    const { version } = (await import(path.join(root, 'package.json'), {
      with: { type: 'json' },
    })) as { readonly version: string };
    expect((await querydock(['--version'], env)).stdout).toBe(`${version}\n`);
  });
});
