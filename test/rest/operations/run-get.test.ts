import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { openSalesApp, run, save } from '../support/sales.ts';

let test: TestApp;

const typed = `SELECT {s:String} AS s, {n:Int64} AS n, {f:Float64} AS f, {b:Bool} AS b, {d:Date} AS d,
  {t:DateTime64(3)} AS t, {u:UUID} AS u, {e:Enum8('x' = 1, 'y' = 2)} AS e, {a:Array(UInt64)} AS a,
  {m:Map(String, Int64)} AS m, {z:Nullable(Int8)} AS z`;
const kept =
  'SELECT {variables.s} AS s, {variables.n} + 1 AS n, {variables.b} AS b, {variables.l} AS l, {variables.d} AS d';

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales');
  await save(test, 'typed', { query: typed });
  await save(test, 'text', { query: 'SELECT {s:String} AS s' });
  await save(test, 'kept', {
    query: {
      kind: 'HogQLQuery',
      query: kept,
      variables: {
        s: { type: 'String' },
        n: { type: 'Number' },
        b: { type: 'Boolean' },
        l: { type: 'List' },
        d: { type: 'Date' },
      },
    },
  });
});
afterAll(() => test.close());

const get = (name: string, query: Readonly<Record<string, string>> | string = '') =>
  test.rest(
    'GET',
    `/endpoints/${name}/run?${typeof query === 'string' ? query : new URLSearchParams(query)}`,
  );

const values = {
  s: '1',
  n: '-9223372036854775808',
  f: '1.5',
  b: 'true',
  d: '2026-01-31',
  t: '2026-01-31T12:00:00.5Z',
  u: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
  e: 'y',
  a: '[18446744073709551615,2]',
  m: '{"k":9007199254740993}',
  z: '',
};
const written =
  '[["1", -9223372036854775808, 1.5, true, "2026-01-31", "2026-01-31T12:00:00.500Z", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "y", [18446744073709551615,2], {"k":9007199254740993}, null]]';

function named(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, v]) => [`variables[${name}]`, v]));
}

describe('200', () => {
  it('returns what POST returns', async () => {
    const posted = await run(test, 'sales');
    const { status, body } = await get('sales');
    expect(status).toBe(200);
    expect(body).toEqual({ ...posted, is_cached: true });
  });

  it('reads every variable of a query string by its type, to the last digit', async () => {
    const { text, body } = await get('typed', { ...named(values), 'variables[z]': 'null' });
    expect(body).not.toHaveProperty('code');
    expect(text).toContain(`{"results":${written},`);
  });

  it('reads an object, and a tuple as JSON or separated by commas, as the documents say', async () => {
    const query = 'SELECT {js:JSON} AS js, {t:Tuple(String, UInt8)} AS t';
    await save(test, 'composite', { query });
    for (const tuple of ['x,2', '["x",2]']) {
      const { body } = await get('composite', named({ js: '{"a":[1,"b"]}', t: tuple }));
      expect(body.results).toEqual([[{ a: [1, 'b'] }, ['x', 2]]]);
    }
    const refused = await get('composite', named({ js: '{"a":', t: 'x,2' }));
    expect(refused.body).toMatchObject({ code: 'invalid_input', attr: 'variables.js' });
  });

  it('reads them out of one JSON object too', async () => {
    const json = `{"s":1,"n":-9223372036854775808,"f":1.5,"b":true,"d":"2026-01-31","t":"2026-01-31T12:00:00.5Z","u":"61f0c404-5cb3-11e7-907b-a6006ad3dba0","e":"y","a":[18446744073709551615,2],"m":{"k":9007199254740993},"z":null}`;
    const { text, body } = await get('typed', { variables: json });
    expect(body).not.toHaveProperty('code');
    expect(text).toContain(`{"results":${written},`);
  });

  it('accepts both encodings in one request', async () => {
    const { s, ...others } = values;
    const { text } = await get('typed', {
      ...named({ ...others, z: 'null' }),
      variables: JSON.stringify({ s }),
    });
    expect(text).toContain(`{"results":${written},`);
  });

  it('has the same result as POST with the same values', async () => {
    const first = await run(test, 'text', { variables: { s: 'ü&=#%' } });
    const { body } = await get('text', { 'variables[s]': 'ü&=#%' });
    expect(body).toMatchObject({
      results: [['ü&=#%']],
      is_cached: true,
      execution_id: first.execution_id,
    });
  });

  it.each([
    ['null', 'null'],
    ['a number', '5'],
    ['JSON', '{"a":1}'],
    ['a list', '[1]'],
    ['nothing', ''],
    ['true', 'true'],
    ['a quote', "'"],
    ['a backslash', '\\N'],
  ])('leaves the text of a string that looks like %s', async (_what, text) => {
    expect((await get('text', { 'variables[s]': text })).body.results).toEqual([[text]]);
  });

  it('reads a list as JSON or as values between commas', async () => {
    await save(test, 'list', { query: 'SELECT {a:Array(String)} AS a' });
    const lists = [
      ['a,b c', ['a', 'b c']],
      ['["a,b","c"]', ['a,b', 'c']],
      ['', []],
      ['a', ['a']],
    ] as const;
    for (const [text, list] of lists) {
      expect((await get('list', { 'variables[a]': text })).body.results).toEqual([[list]]);
    }
  });

  it('reads a repeated variable as a list of exactly these values', async () => {
    await save(test, 'repeated', {
      query: {
        kind: 'SQLQuery',
        query:
          'SELECT {a:Array(String)} AS a, {b:Array(Nullable(UInt64))} AS b, {variables.c} AS c',
        variables: { c: { code_name: 'c', type: 'List' } },
      },
    });
    const a = 'variables[a]=x,y&variables[a]=z';
    const b = 'variables[b]=18446744073709551615&variables[b]=2';
    const c = 'variables[c]=1,2&variables[c]=3';
    const path = `/endpoints/repeated/run?${a}&${b}&${c}&integers=string`;
    const { body } = await test.rest('GET', path);
    expect(body.results).toEqual([
      [
        ['x,y', 'z'],
        ['18446744073709551615', '2'],
        ['1,2', '3'],
      ],
    ]);
  });

  it('reads values of the legacy spelling by the types of the definitions', async () => {
    const given = { s: '5', n: '9007199254740992', b: 'false', l: 'x,y', d: '2026-01-31' };
    const { text, body } = await get('kept', named(given));
    expect(body).not.toHaveProperty('code');
    expect(text).toContain('[["5", 9007199254740993, false, ["x","y"], "2026-01-31"]]');
  });

  it.each([
    ['n', 'x', 'variables.n must be a number.'],
    ['n', '', 'variables.n must be a number.'],
    ['n', '0.1234567890123456789', /^variables\.n has more digits than a double keeps\./],
    ['b', 'x', /^variables\.b must be true or false\b/],
    ['d', 'x', /^variables\.d must be /],
  ])(
    'names the variable of the legacy spelling that refuses a value: %s=%s',
    async (name, value, detail) => {
      const { status, body } = await get('kept', named({ [name]: value }));
      expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', `variables.${name}`]);
      expect(body.detail).toMatch(detail);
    },
  );

  it('names it for values of another JSON type, too', async () => {
    for (const [name, what] of [
      ['s', 'a string'],
      ['n', 'a number'],
      ['d', 'a date, as a string in ISO 8601'],
    ] as const) {
      const variables = { [name]: [1] };
      const { body } = await test.rest('POST', '/endpoints/kept/run', { body: { variables } });
      expect(body.detail).toBe(`variables.${name} must be ${what}.`);
    }
  });

  it('says that an object is accepted for a named tuple, when one is incomplete', async () => {
    await save(test, 'placed', {
      query: 'SELECT {at:Tuple(lat Float64, `the lng` Float64)} AS at',
    });
    const run = (at: unknown) =>
      test.rest('POST', '/endpoints/placed/run', { body: { variables: { at } } });
    for (const accepted of [[1.5, 2.5], { 'the lng': 2.5, lat: 1.5 }])
      expect((await run(accepted)).body).not.toHaveProperty('code');
    for (const refused of [{ lat: 1.5 }, { lat: 1.5, lng: 2.5 }, [1.5], 'x'])
      expect((await run(refused)).body).toMatchObject({
        code: 'invalid_input',
        attr: 'variables.at',
        detail: expect.stringMatching(
          /^variables\.at must be a list of 2 values, one for each element of Tuple\(lat .*\), or an object \{lat, the lng\}\.$/,
        ),
      });
  });

  it.each([
    ['limit=1', { limit: 1, hasMore: true, results: [['at', 1]] }],
    ['limit=1&offset=1', { limit: 1, offset: 1, hasMore: false, results: [['de', 5]] }],
    ['version=1', { endpoint_version: 1 }],
    ['refresh=force', { is_cached: false }],
    [
      'integers=string',
      {
        results: [
          ['at', '1'],
          ['de', '5'],
        ],
      },
    ],
    ['debug=true', { served_from: expect.any(String) }],
    ['debug=1', { served_from: expect.any(String) }],
    ['client_query_id=mine', { name: 'sales' }],
  ] as const)('takes ?%s', async (query, expected) => {
    const { status, body } = await get('sales', query);
    expect(body).toMatchObject(expected);
    expect(status).toBe(200);
  });

  it('leaves the debug members out of debug=false', async () => {
    expect((await get('sales', 'debug=false')).body).not.toHaveProperty('served_from');
  });
});

describe('400', () => {
  it.each([
    ['sales', 'limit=0', 'invalid_input', 'limit'],
    ['sales', 'limit=all', 'invalid_input', 'limit'],
    ['sales', 'limit=', 'invalid_input', 'limit'],
    ['sales', 'limit=1&limit=2', 'invalid_input', 'limit'],
    ['sales', 'offset=-1', 'invalid_input', 'offset'],
    ['sales', 'offset=9007199254740992', 'invalid_input', 'offset'],
    ['sales', 'version=latest', 'invalid_input', 'version'],
    ['sales', 'refresh=async', 'invalid_input', 'refresh'],
    ['sales', 'refresh=direct', 'invalid_input', 'refresh'],
    ['sales', 'refresh=', 'invalid_input', 'refresh'],
    ['sales', 'debug=yes', 'invalid_input', 'debug'],
    ['sales', 'integers=int', 'invalid_input', 'integers'],
    ['sales', 'client_query_id=', 'invalid_input', 'client_query_id'],
    ['sales', 'country=de', 'invalid_input', 'country'],
    ['sales', 'filters_override=%7B%7D', 'invalid_input', 'filters_override'],
    ['sales', 'query_override=%7B%7D', 'invalid_input', 'query_override'],
    ['sales', 'variables[]=de', 'unknown_variable', 'variables'],
    ['sales', 'variables[country]=de', 'unknown_variable', 'variables'],
    ['sales', 'variables.country=de', 'invalid_input', 'variables.country'],
    ['text', 'variables=s', 'invalid_input', 'variables'],
    ['text', 'variables=[1]', 'invalid_input', 'variables'],
    ['text', 'variables=', 'invalid_input', 'variables'],
    ['text', 'variables=null', 'invalid_input', 'variables'],
    ['text', 'variables[s]=a&variables[s]=b', 'invalid_input', 'variables.s'],
    ['text', 'variables[s]=a&variables=%7B%22s%22:1%7D', 'invalid_input', 'variables.s'],
    ['text', 'variables[s]=%00', 'invalid_input', 'variables.s'],
    ['text', '', 'missing_variable', 'variables'],
  ])('refuses %s?%s as %s', async (name, query, code, attr) => {
    const { status, body } = await get(name, query);
    expect(body).toEqual({
      type: 'validation_error',
      code,
      detail: expect.stringMatching(/^\S.*\.$/),
      attr,
    });
    expect(status).toBe(400);
  });

  it.each([
    ['n', 'many'],
    ['n', '9223372036854775808'],
    ['n', '1.5'],
    ['f', 'x'],
    ['b', 'maybe'],
    ['d', '2026-02-30'],
    ['d', 'today'],
    ['t', '2026-01-31T25:00:00Z'],
    ['u', '61f0c404'],
    ['e', 'z'],
    ['a', '[1,'],
    ['a', '1,x'],
    ['m', '[]'],
    ['z', '128'],
  ])('refuses %s=%s, naming the variable', async (name, text) => {
    const { status, body } = await get('typed', {
      ...named({ ...values, z: 'null', [name]: text }),
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: `variables.${name}` });
  });
});

describe('404', () => {
  it.each([
    ['missing', '', 'not_found', 'name'],
    ['sales', 'version=2', 'version_not_found', 'version'],
    ['sales', 'version=0', 'version_not_found', 'version'],
  ])('answers for %s?%s', async (name, query, code, attr) => {
    const { status, body } = await get(name, query);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code, attr });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints/sales/run' }),
});
