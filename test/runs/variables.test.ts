/** Variables of a run in both spellings: how values are bound, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, run, runQuery, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

const both = {
  kind: 'SQLQuery',
  query: `SELECT country, amount FROM sales
    WHERE amount >= {least:UInt32} AND country = {variables.country} ORDER BY amount`,
  variables: { a1: { code_name: 'country', value: 'de' }, least: { value: 3 } },
};

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'both', { query: both });
  await save(test, 'required', { query: 'SELECT {b:String} AS b, {a:Nullable(Int8)} AS a' });
});
afterAll(() => test.close());

const post = (name: string, variables: unknown) =>
  test.rest('POST', `/endpoints/${name}/run`, { body: { variables } });

async function rowsOf(query: unknown, variables: unknown): Promise<unknown> {
  const { body } = await runQuery(test, query, { variables });
  expect(body).not.toHaveProperty('code');
  return body.results;
}

describe('200', () => {
  it.each([
    [{}, [['de', 3]]],
    [
      { least: 1 },
      [
        ['de', 2],
        ['de', 3],
      ],
    ],
    [{ country: 'at', least: 0 }, [['at', 1]]],
    [{ country: 'at' }, []],
  ])('takes %j and the defaults of the others', async (variables, results) => {
    expect((await post('both', variables)).body.results).toEqual(results);
  });

  it.each([
    ['String', "'; DROP TABLE sales --"],
    ['String', '{least:UInt32} {filters}'],
    ['String', "\\' OR 1=1 --\n\t\u0001"],
    ['String', '😀 é \u2028'],
    ['LowCardinality(String)', 'x'],
    ['Nullable(String)', null],
    ['UInt8', 255],
    ['Int64', -9],
    ['Float64', 1.5],
    ['Bool', false],
    ['Date', '2026-02-28'],
    ['DateTime', '2026-02-28T12:00:00Z'],
    ['Array(Nullable(UInt8))', [1, null, 255]],
    ['Array(String)', ["a'b", 'c,d', '']],
    ['Map(String, UInt8)', { "k'": 1 }],
    ['Tuple(UInt8, String)', [1, 'x']],
  ])('binds %s %j as it is', async (type, value) => {
    expect(await rowsOf(`SELECT {v:${type}} AS v`, { v: value })).toEqual([[value]]);
  });

  it('binds whole numbers in a body to the last digit', async () => {
    await save(test, 'wide', {
      query: 'SELECT {a:UInt64} AS a, {b:Int128} AS b, [{c:Int64}] AS c',
    });
    const { text } = await test.rest('POST', '/endpoints/wide/run', {
      body: '{"variables":{"a":18446744073709551615,"b":-170141183460469231731687303715884105728,"c":"-9223372036854775808"}}',
    });
    expect(text).toContain(
      '[[18446744073709551615, "-170141183460469231731687303715884105728", [-9223372036854775808]]]',
    );
  });

  it.each([
    ['String', 'text', 'text'],
    ['String', 5, '5'],
    ['String', true, 'true'],
    ['String', null, null],
    ['Number', 5, 5],
    ['Number', '5', 5],
    ['Number', '1.5', 1.5],
    ['Number', ' 1.50 ', 1.5],
    ['Number', '-0.0', -0],
    ['Number', '0.30000000000000004', 0.30000000000000004],
    ['Number', '1e21', 1e21],
    ['Number', -2.5e-3, -0.0025],
    ['Number', '9007199254740991', 9_007_199_254_740_991],
    ['Number', null, null],
    ['Boolean', true, true],
    ['Boolean', 'false', false],
    ['Boolean', '1', true],
    ['List', ['a', 'b'], ['a', 'b']],
    ['List', [1, true], ['1', 'true']],
    ['List', 'a,b', ['a', 'b']],
    ['List', '["a,b"]', ['a,b']],
    ['List', [], []],
    ['Date', '2026-02-28', '2026-02-28'],
    ['Date', '2026-02-28T12:00:00Z', '2026-02-28T12:00:00.000Z'],
    ['Date', '1950-01-01', '1950-01-01'],
  ])('binds a kept %s %j as %j', async (type, value, bound) => {
    const query = {
      kind: 'HogQLQuery',
      query: 'SELECT {variables.v} AS v',
      variables: { v: { type } },
    };
    expect(await rowsOf(query, { v: value })).toEqual([[bound]]);
  });

  it('compares a legacy variable with a column as text, number, list and date', async () => {
    const query = {
      kind: 'HogQLQuery',
      query: `SELECT amount FROM sales WHERE country IN {variables.countries}
        AND amount > {variables.least} AND day >= {variables.since} ORDER BY amount`,
      variables: {
        countries: { type: 'List' },
        least: { type: 'Number' },
        since: { type: 'Date' },
      },
    };
    const variables = { countries: ['de', 'fr'], least: '1', since: '2026-01-02' };
    expect(await rowsOf(query, variables)).toEqual([[2], [3]]);
  });

  it('accepts a variable that is defined and not used', async () => {
    const query = {
      kind: 'SQLQuery',
      query: 'SELECT 1 AS one',
      variables: { spare: { code_name: 'spare' } },
    };
    expect(await rowsOf(query, { spare: 'x' })).toEqual([[1]]);
  });

  it('uses one value wherever a variable appears', async () => {
    expect(await rowsOf('SELECT {a:UInt8} + {a:UInt8} AS twice', { a: 4 })).toEqual([[8]]);
  });

  it('caches results of different values apart', async () => {
    expect(await run(test, 'both', { variables: { least: 2 } })).toMatchObject({
      is_cached: false,
    });
    expect(await run(test, 'both', { variables: { least: 2 } })).toMatchObject({ is_cached: true });
    expect(await run(test, 'both', { variables: { least: 1 } })).toMatchObject({
      results: [
        ['de', 2],
        ['de', 3],
      ],
    });
  });
});

describe('a required variable', () => {
  it.each([
    ['JSON', { a: 'b' }],
    ['Date32', '1950-01-01'],
    ["DateTime64(3, 'UTC')", '2026-01-01T00:00:00.500Z'],
    ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
    ['IPv4', '192.0.2.1'],
    ['IPv6', '2001:db8::1'],
    ["Enum8('a' = 1, 'it\\'s' = 2)", "it's"],
    ['Array(Date)', ['2026-01-01']],
    ["Array(Enum8('a' = 1))", ['a']],
    ['Array(Tuple(Date, Nullable(UUID)))', [['2026-01-01', null]]],
    ['Map(UInt8, Array(Date))', { 1: ['2026-01-01'] }],
    ['Tuple(a UInt8, b String)', { a: 1, b: 'x' }],
    ['Nullable(Date)', null],
    ['FixedString(3)', 'abc'],
    ['Decimal(10, 2)', '1.50'],
    ['Float32', 0.5],
    ['Int256', '5'],
    ['Bool', true],
  ])('may be of the type %s', async (type, value) => {
    expect(await rowsOf(`SELECT {v:${type}} AS v`, { v: value })).toEqual([[value]]);
  });
});

describe('400', () => {
  it('names every unknown variable and those there are', async () => {
    const { status, body } = await post('both', { contry: 'de', least: 1, amounts: [] });
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'unknown_variable',
      detail: expect.stringMatching(/amounts, contry.*least, country/),
      attr: 'variables',
    });
  });

  it('counts the unknown variables beyond the first ten, and shortens their names', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_v, at) => [`k${at}`, at]));
    const { body } = await post('both', { ...many, ['a'.repeat(5000)]: 1 });
    expect(body.detail).toMatch(/^Unknown variable\(s\): a{100}…, k0, .* and 4991 more\./);
    expect(String(body.detail).length).toBeLessThan(1000);
  });

  it.each(['constructor', '__proto__', 'toString'])('has no variable %s', async (name) => {
    const { status, body } = await test.rest('POST', '/endpoints/both/run', {
      body: `{"variables":{"${name}":1}}`,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'unknown_variable' });
  });

  it('names every missing variable', async () => {
    const { status, body } = await post('required', {});
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'missing_variable',
      detail: expect.stringMatching(/'a', 'b'/),
      attr: 'variables',
    });
  });

  it('refuses null where the type has none', async () => {
    const { status, body } = await post('required', { a: 1, b: null });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'variables.b' });
  });

  it.each([
    ['UInt8', 256],
    ['UInt8', -1],
    ['UInt8', 1.5],
    ['UInt8', 'x'],
    ['UInt8', true],
    ['UInt8', [1]],
    ['UInt8', {}],
    ['Int64', '9223372036854775808'],
    ['Float64', 'x'],
    ['Decimal(4, 2)', '123.45'],
    ['Decimal(4, 2)', '1.234'],
    ['Bool', 'yes'],
    ['Bool', 2],
    ['Date', '2026-02-30'],
    ['Date', '1969-12-31'],
    ['Date', 5],
    ['DateTime', '2026-02-28T24:00:00Z'],
    ['UUID', 'x'],
    ["Enum8('a' = 1)", 'b'],
    ['Array(UInt8)', 'a'],
    ['Array(UInt8)', [1, 'a']],
    ['Array(UInt8)', [null]],
    ['Map(String, UInt8)', [1]],
    ['Map(String, UInt8)', { a: -1 }],
    ['Tuple(UInt8, UInt8)', [1]],
    ['String', { a: 1 }],
    ['String', 'a\u0000b'],
    ['String', '\ud800'],
  ])('refuses for %s the value %j', async (type, value) => {
    const { status, body } = await runQuery(test, `SELECT {v:${type}} AS v`, {
      variables: { v: value },
    });
    expect(body).toMatchObject({
      type: 'validation_error',
      code: 'invalid_input',
      attr: expect.stringMatching(/^variables(\.v)?$/),
    });
    expect(status).toBe(400);
  });

  it.each([
    ['Number', 'many'],
    ['Number', '0x10'],
    ['Number', '1e400'],
    ['Number', '12345678901234567.89'],
    ['Number', '0.1000000000000000055'],
    ['Number', true],
    ['Number', ''],
    ['Number', {}],
    ['Boolean', 'maybe'],
    ['List', {}],
    ['List', [{}]],
    ['List', [null]],
    ['Date', 'yesterday'],
    ['Date', '2026-13-01'],
    ['Date', 5],
    ['String', { a: 1 }],
    ['String', ['a']],
  ])('refuses for a kept %s the value %j', async (type, value) => {
    const query = {
      kind: 'HogQLQuery',
      query: 'SELECT {variables.v} AS v',
      variables: { v: { type } },
    };
    const { status, body } = await runQuery(test, query, { variables: { v: value } });
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'variables.v' });
    expect(status).toBe(400);
  });

  it('refuses a JSON number that would lose digits, wherever it stands', async () => {
    await save(test, 'exact', { query: 'SELECT {v:Decimal(38, 18)} AS v' });
    const number = '1.000000000000000001';
    const says = expect.stringContaining(`The number ${number} has more digits than`);
    const body = `{"variables": {"v": ${number}}}`;
    const rest = await test.rest('POST', '/endpoints/exact/run', { body });
    expect(rest.body).toMatchObject({ code: 'invalid_input', attr: null, detail: says });
    const get = await test.rest('GET', `/endpoints/exact/run?variables={"v":${number}}`);
    expect(get.body).toMatchObject({ code: 'invalid_input', attr: 'variables', detail: says });
    const run = (input: string) =>
      `{ runEndpoint(projectId: "@current", name: "exact", input: {variables: ${input}}) { results } }`;
    expect((await test.graphql(run(`{v: ${number}}`))).body).toMatchObject({
      errors: [{ message: says }],
    });
    const given = `{"query": "{ __typename }", "variables": {"v": ${number}}}`;
    expect((await test.rest('POST', '/graphql', { body: given })).body).toMatchObject({
      errors: [{ message: says, extensions: { code: 'invalid_input' } }],
    });
    const asText = await test.graphql(run(`{v: "${number}"}`));
    expect(asText.body).toMatchObject({ data: { runEndpoint: { results: [[number]] } } });
  });

  it('refuses values that are larger than can be sent', async () => {
    await save(test, 'large', { query: 'SELECT length({v:String}) AS n' });
    expect((await post('large', { v: 'x'.repeat(100_000) })).body.results).toEqual([[100_000]]);
    const { status, body } = await post('large', { v: 'x'.repeat(600_000) });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'variables' });
  });
});

describe('a variable in a query string', () => {
  const types = ['Array(String)', 'Map(String, String)', 'Tuple(String)', 'JSON'];

  it.each(types)('of type %s is checked after its escapes are decoded', async (type) => {
    const { body: saved } = await test.rest('POST', '/endpoints', {
      body: {
        name: `escaped_${types.indexOf(type)}`,
        query: `SELECT toString({v:${type}}) AS v`,
      },
    });
    const ask = (escaped: string) => {
      const json = /^(Map|JSON)/.test(type) ? `{"a":"${escaped}"}` : `["${escaped}"]`;
      const value = encodeURIComponent(json);
      return test.rest('GET', `/endpoints/${String(saved.name)}/run?variables[v]=${value}`);
    };
    expect((await ask('\\u00e9')).status).toBe(200);
    for (const escaped of ['\\ud800', '\\u0000'])
      expect(await ask(escaped), escaped).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', attr: 'variables.v' },
      });
  });

  it('of the legacy type List is checked in the same way, by POST too', async () => {
    const variables = { l: { code_name: 'l', type: 'List', value: '[]' } };
    const query = { kind: 'SQLQuery', query: 'SELECT {variables.l} AS l', variables };
    const { body } = await runQuery(test, query, { variables: { l: '["\\ud800"]' } });
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'variables.l' });
  });
});
