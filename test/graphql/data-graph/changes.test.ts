/** The graph of a project while its endpoints change: each answer is of one state of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../../support/held-engine.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import {
  type AskGraph,
  attrsOf,
  change,
  codesOf,
  fieldOf,
  messagesOf,
  openGraph,
  save,
} from './support/graph.ts';
import { changeUnderReaders } from './support/moving-endpoint.ts';

let engine: HeldEngine;
let test: TestApp;
let ask: AskGraph;

beforeAll(async () => {
  engine = await openHeldEngine();
  test = await openTestApp({ clickhouseUrl: engine.clickhouseUrl });
  ask = openGraph(test);
});
afterAll(async () => {
  await test.close();
  await engine.close();
});

const cached = { cache_age_seconds: 60 };

it('an endpoint that changes under 16 readers: no answer mixes two forms, and none fails that would not have failed before', async () => {
  const seen = await changeUnderReaders(test, 40);
  expect(seen.right).toBeGreaterThan(40);
  expect(seen.refused).toBeGreaterThan(40);
});

it('a known text means what its names mean now, also where its run would go on as before', async () => {
  const query = '{ renaming { rows { avgDelay } } }';
  const rows = async () => fieldOf(await ask(query), 'renaming').rows;
  await save(test, { name: 'renaming', query: 'SELECT 1 AS avg_delay', ...cached });
  for (let round = 0; round < 3; round += 1) expect(await rows()).toEqual([{ avgDelay: 1 }]);
  // The column that has the name already keeps it, the other one becomes avgDelay_2.
  await change(test, 'renaming', { query: 'SELECT 1 AS avg_delay, 2 AS avgDelay' });
  for (let round = 0; round < 3; round += 1) expect(await rows()).toEqual([{ avgDelay: 2 }]);
});

describe('a run under way', () => {
  it('ends in the form in which it began', async () => {
    await save(test, { name: 'slow', query: "SELECT 1 AS value, 'held back' AS note" });
    engine.hold('held back');
    const running = ask('{ slow(run: {refresh: force}) { rows { value } run { version } } }');
    await eventually('the run waits', () => engine.held() > 0);
    engine.release();
    await change(test, 'slow', { query: "SELECT 'two' AS other, 'held back' AS note" });
    const response = await running;
    expect(response.text).toBe('{"data":{"slow":{"rows":[{"value":1}],"run":{"version":1}}}}');
    expect(codesOf(await ask('{ slow { rows { value } } }'))).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
  });

  it('is cancelled when its caller goes away', async () => {
    await save(test, { name: 'left', query: "SELECT 1 AS one, 'left alone' AS note" });
    const caller = new AbortController();
    engine.hold('left alone');
    const running = ask('{ left { rows { one } } }', {}, { signal: caller.signal });
    await eventually('the run waits', () => engine.held() > 0);
    caller.abort();
    await Promise.allSettled([running]);
    await eventually('the run ends', () => test.app.core.flights.size() === 0);
    engine.release();
    expect(fieldOf(await ask('{ left { rows { one } } }'), 'left').rows).toEqual([{ one: 1 }]);
  });
});

describe('a field', () => {
  const query = '{ coming { rows { n } } }';
  const isThere = async () => !('errors' in (await ask(query)).body);

  it('comes with its endpoint, goes while it is inactive and when it is deleted', async () => {
    expect(await isThere()).toBe(false);
    await save(test, { name: 'coming', query: 'SELECT 1 AS n', ...cached });
    for (let round = 0; round < 3; round += 1) expect(await isThere()).toBe(true);
    await change(test, 'coming', { is_active: false });
    expect(messagesOf(await ask(query))).toEqual(['Cannot query field "coming" on type "Query".']);
    await change(test, 'coming', { is_active: true });
    expect(await isThere()).toBe(true);
    await test.rest('DELETE', '/endpoints/coming');
    expect(await isThere()).toBe(false);
    await save(test, { name: 'Coming', query: 'SELECT 2 AS n', ...cached });
    expect(fieldOf(await ask(query), 'coming').rows).toEqual([{ n: 2 }]);
  });

  it('whose current version is inactive is suggested neither for itself nor for another name', async () => {
    await save(test, { name: 'orchards', query: 'SELECT 1 AS n', ...cached });
    await save(test, { name: 'orcharts', query: 'SELECT 1 AS n', ...cached });
    const refused = async (field: string) => messagesOf(await ask(`{ ${field} { rows { n } } }`));
    const unknown = (field: string) => `Cannot query field "${field}" on type "Query".`;
    await change(test, 'orchards', { version: 1, is_active: false });
    expect(await refused('orchards')).toEqual([`${unknown('orchards')} Did you mean "orcharts"?`]);
    await change(test, 'orcharts', { version: 1, is_active: false });
    expect(await refused('orchards')).toEqual([unknown('orchards')]);
    expect(await refused('orchardz')).toEqual([unknown('orchardz')]);
    await change(test, 'orchards', { version: 1, is_active: true });
    expect(await refused('orchardz')).toEqual([`${unknown('orchardz')} Did you mean "orchards"?`]);
  });

  it('follows the name that its author gives it, and the name may go to another endpoint', async () => {
    await save(test, { name: 'first', query: "SELECT 'first' AS of", ...cached });
    await save(test, { name: 'second', query: "SELECT 'second' AS of", ...cached });
    const of = async (field: string) => {
      const response = await ask(`{ ${field} { rows { of } } }`);
      return 'errors' in response.body ? null : fieldOf(response, field).rows[0]?.of;
    };
    for (let round = 0; round < 3; round += 1) expect(await of('first')).toBe('first');
    await change(test, 'first', { graphql_name: 'renamed' });
    expect([await of('first'), await of('renamed')]).toEqual([null, 'first']);
    await change(test, 'second', { graphql_name: 'first' });
    expect([await of('first'), await of('second')]).toEqual(['second', null]);
  });
});

describe('an older version', () => {
  it('of another form has a field of its own while it is active', async () => {
    await save(test, { name: 'grown', query: 'SELECT 1 AS a, 2 AS b', ...cached });
    await change(test, 'grown', { query: 'SELECT 3 AS a, 4 AS b' });
    await change(test, 'grown', { query: "SELECT 'x' AS a, 5 AS c" });
    const read = (field: string, columns: string) =>
      ask(`{ ${field} { rows { ${columns} } run { version } } }`);
    expect(fieldOf(await read('grown', 'a c'), 'grown')).toEqual({
      rows: [{ a: 'x', c: 5 }],
      run: { version: 3 },
    });
    expect(fieldOf(await read('grown_v1', 'a b'), 'grown_v1')).toEqual({
      rows: [{ a: 1, b: 2 }],
      run: { version: 1 },
    });
    expect(fieldOf(await read('grown_v2', 'b'), 'grown_v2')).toEqual({
      rows: [{ b: 4 }],
      run: { version: 2 },
    });
    for (const none of ['grown_v3', 'grown_v4', 'grown_v0', 'grown_v01'])
      expect(messagesOf(await read(none, 'a'))).toEqual([
        `Cannot query field "${none}" on type "Query".`,
      ]);
    const fragment = '{ grown_v2 { ...F } } fragment F on Grown_v2Run { rows { __typename } }';
    expect(fieldOf(await ask(fragment), 'grown_v2').rows).toEqual([{ __typename: 'Grown_v2Row' }]);
    const listed = await ask('{ __schema { queryType { fields { name } } } }');
    const names = fieldOf<{ queryType: { fields: { name: string }[] } }>(listed, '__schema');
    expect(
      names.queryType.fields.map(({ name }) => name).filter((name) => name.startsWith('grown')),
    ).toEqual(['grown', 'grown_v1', 'grown_v2']);
    await change(test, 'grown?version=1', { is_active: false });
    expect(codesOf(await read('grown_v1', 'a'))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  it('runs by its number if its columns are those selected', async () => {
    await save(test, { name: 'pinned', query: 'SELECT 1 AS a, 2 AS b, 3 AS c', ...cached });
    await change(test, 'pinned', { query: "SELECT 'x' AS c, 20 AS b, 10 AS a" });
    const read = (columns: string) =>
      ask(`{ pinned(run: {version: 1}) { rows { ${columns} } run { version } } }`);
    for (let round = 0; round < 3; round += 1)
      expect((await read('b a')).text).toBe(
        '{"data":{"pinned":{"rows":[{"b":2,"a":1}],"run":{"version":1}}}}',
      );
    for (let round = 0; round < 3; round += 1) {
      const refused = await read('a c');
      expect([codesOf(refused), attrsOf(refused)]).toEqual([['shape_changed'], ['rows.c']]);
      expect(refused.body.data).toEqual({ pinned: null });
    }
    await change(test, 'pinned?version=1', { is_active: false });
    expect(codesOf(await read('a'))).toEqual(['inactive_version']);
  });
});

describe('a table that changes below a query', () => {
  const sdlOf = async (field: string) =>
    (await test.rest('GET', `/graphql/schema.graphql?fields=${field}`)).text;

  it('leaves what still fits as it is, refuses the rest, and is then described anew', async () => {
    await test.sql(
      'CREATE TABLE below (n UInt32, s Nullable(String), l UInt8) ENGINE = MergeTree ORDER BY n',
    );
    await test.sql("INSERT INTO below VALUES (1, 'x', 2)");
    await save(test, { name: 'below', query: 'SELECT * FROM below', cache_age_seconds: 0 });
    const read = (columns: string) => ask(`{ below { rows { ${columns} } } }`);
    expect(fieldOf(await read('n s l'), 'below').rows).toEqual([{ n: 1, s: 'x', l: 2 }]);
    expect(await sdlOf('below')).not.toContain('first: String!');
    await test.sql("ALTER TABLE below ADD COLUMN first String DEFAULT 'f' FIRST");
    await test.sql("ALTER TABLE below MODIFY COLUMN s String DEFAULT ''");
    await test.sql('ALTER TABLE below MODIFY COLUMN l String');
    const both = await ask('{ below { rows { s n } } refused: below { rows { n l } } }');
    expect(both.body.data).toEqual({ below: { rows: [{ s: 'x', n: 1 }] }, refused: null });
    expect(codesOf(both)).toEqual(['shape_changed']);
    expect(messagesOf(both)[0]).toContain('l is now String, not UInt8');
    await eventually('the new columns are there', async () =>
      (await sdlOf('below')).includes('first: String!'),
    );
    expect(fieldOf(await read('n s l first'), 'below').rows).toEqual([
      { n: 1, s: 'x', l: '2', first: 'f' },
    ]);
    const { body } = await test.rest('GET', '/endpoints/below');
    expect(body).toMatchObject({
      current_version: 1,
      columns: [
        { name: 'first', type: 'String' },
        { name: 'n', type: 'UInt32' },
        { name: 's', type: 'String' },
        { name: 'l', type: 'String' },
      ],
    });
    const { body: log } = await test.graphql(
      '{ auditLog(projectId: "@current", first: 1, filter: {endpoint: "below"}) { edges { node { action door version after } } } }',
    );
    expect(log.data).toMatchObject({
      auditLog: {
        edges: [{ node: { action: 'endpoint.describe', door: 'service', version: 1 } }],
      },
    });
  });

  it('shows its new types without a run when it is replaced through the service', async () => {
    const { key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] });
    const put = (body: string) =>
      test.app.fetch(
        new Request(
          `http://querydock.test/api/projects/${test.project.id}/tables/swapped/rows?force=true`,
          {
            method: 'PUT',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
            body,
          },
        ),
      );
    expect((await put('k,v\n1,2\n')).status).toBe(200);
    await save(test, { name: 'swapped', query: 'SELECT v FROM swapped', ...cached });
    await change(test, 'swapped', { query: 'SELECT v AS w FROM swapped' });
    expect(fieldOf(await ask('{ swapped { rows { w } } }'), 'swapped').rows).toEqual([{ w: 2 }]);
    expect((await put('k,v\n1,two\n')).status).toBe(200);
    await eventually('both versions have the new type', async () => {
      const sdl = await sdlOf('swapped,swapped_v1');
      return sdl.includes('w: String!') && sdl.includes('v: String!');
    });
    expect(fieldOf(await ask('{ swapped { rows { w } } }'), 'swapped').rows).toEqual([
      { w: 'two' },
    ]);
    expect(fieldOf(await ask('{ swapped_v1 { rows { v } } }'), 'swapped_v1').rows).toEqual([
      { v: 'two' },
    ]);
  });

  it('never has a value of one type told as another, beside converted columns either', async () => {
    await test.sql('CREATE TABLE wide (n UInt32, big Int128) ENGINE = MergeTree ORDER BY tuple()');
    await test.sql('INSERT INTO wide VALUES (1, 2)');
    await save(test, { name: 'wide', query: 'SELECT n, big FROM wide', cache_age_seconds: 0 });
    const read = () => ask('{ wide { rows { n big } } }');
    expect(fieldOf(await read(), 'wide').rows).toEqual([{ n: 1, big: '2' }]);
    await test.sql("ALTER TABLE wide MODIFY COLUMN n String DEFAULT ''");
    expect(codesOf(await read())).toEqual(['shape_changed']);
    await eventually('it is described anew', async () => !('errors' in (await read()).body));
    expect(fieldOf(await read(), 'wide').rows).toEqual([{ n: '1', big: '2' }]);
  });

  it('is not taken for one whose column has the type of a value', async () => {
    const query = 'SELECT {variables.n} AS n';
    const variables = { n: { code_name: 'n', type: 'Number', value: 5 } };
    await save(test, { name: 'valued', query: { kind: 'HogQLQuery', query, variables } });
    const { body: before } = await test.rest('GET', '/endpoints/valued');
    for (const n of [1.5, 2.5])
      expect(codesOf(await ask(`{ valued(n: ${n}) { rows { n } } }`))).toEqual(['shape_changed']);
    await eventually('nothing is described', () => test.app.core.background.size() === 0);
    const { body: after } = await test.rest('GET', '/endpoints/valued');
    expect(after).toEqual({ ...before, last_executed_at: after.last_executed_at });
  });
});

describe('rows', () => {
  it('of a stored table are those of the query, and tell so', async () => {
    await test.sql('CREATE TABLE stored (n UInt32, g String) ENGINE = MergeTree ORDER BY n');
    await test.sql(
      "INSERT INTO stored SELECT number, if(number % 3 = 0, 'a', 'b') FROM numbers(100)",
    );
    await save(test, {
      name: 'stored',
      query: {
        kind: 'SQLQuery',
        query: 'SELECT g, count() AS n FROM stored WHERE g = {g:String} GROUP BY g',
        variables: { g: { value: 'a' } },
      },
      is_materialized: true,
    });
    const fields = 'rows { g n } servedFrom isCached run { materializedAt inlineReason }';
    const inline = fieldOf(await ask(`{ stored { ${fields} } }`), 'stored');
    expect(inline).toMatchObject({
      servedFrom: 'inline',
      run: { materializedAt: null, inlineReason: 'not_ready' },
    });
    await test.app.materialization.runOnce();
    const stored = fieldOf(await ask(`{ stored { ${fields} } }`), 'stored');
    expect(stored).toMatchObject({
      rows: [{ g: 'a', n: 34 }],
      servedFrom: 'materialized',
      run: { materializedAt: expect.any(String), inlineReason: null },
    });
    expect(stored.rows).toEqual(inline.rows);
  });

  it('may be stale for those who allow it, and tell why', async () => {
    await save(test, { name: 'aged', query: 'SELECT 1 AS n', cache_age_seconds: 60 });
    const read =
      '{ aged(run: {staleWhileRevalidateSeconds: 600}) { isCached run { isStale staleReason } } }';
    for (const isCached of [false, true, true])
      expect(fieldOf(await ask(read), 'aged')).toEqual({
        isCached,
        run: { isStale: false, staleReason: null },
      });
    test.clock.advance(120_000);
    expect(fieldOf(await ask(read), 'aged')).toEqual({
      isCached: true,
      run: { isStale: true, staleReason: 'revalidating' },
    });
  });
});
