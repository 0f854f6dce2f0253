/** Attacks by what a caller sends with a run: values, names of variables, types, filters. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { type Canaries, openCanaries } from './support/canaries.ts';

/** What would end the text around a value, if a value ever stood in a text. */
const injections: readonly string[] = [
  "' OR 1 = 1 --",
  "' OR '1'='1",
  "\\' OR 1 = 1 --",
  "\\\\' OR 1 = 1 --",
  "'; DROP TABLE sales; --",
  "FR') UNION ALL SELECT v FROM OTHER.secret --",
  "' UNION ALL SELECT file('FILE') --",
  "' UNION ALL SELECT * FROM url('http://127.0.0.1:PORT/', 'CSV', 'a String') --",
  "FR' SETTINGS max_memory_usage = 0 --",
  "' || (SELECT any(v) FROM OTHER.secret) || '",
  '" OR 1 = 1 --',
  '` OR 1 = 1 --',
  '’ OR 1 = 1 --',
  '” OR 1 = 1 --',
  '$$ OR 1 = 1 $$',
  '*/ OR 1 = 1 /*',
  '-- \n OR 1 = 1',
  '{country:Identifier}',
  '{variables.country}',
  '{filters}',
  "\u0000' OR 1 = 1",
  "\n' OR 1 = 1",
  "\t' OR 1 = 1",
  '\\N',
  '\\',
  "\\\\'",
  '%27 OR 1 = 1',
  '\uff07 OR 1 = 1',
  '\u02bc OR 1 = 1',
  'NULL',
  'true',
  '(SELECT 1)',
  "concat('F', 'R')",
];

/** Texts that are no values of their type. */
const badNumbers: readonly string[] = [
  '1 OR 1 = 1',
  '1; DROP TABLE sales',
  '1)) OR ((1 = 1',
  '(SELECT count() FROM OTHER.secret)',
  "1'",
  '1 --',
  '1/**/',
  '0x1F',
  '1e3',
  '-1',
  '18446744073709551616',
  '1.5',
  'NULL',
  '\\N',
  '',
  ' ',
  '１',
  'number',
];

/** Names that no variable of the endpoint has. */
const badNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'country:String',
  'country}',
  "country' OR '1'='1",
  'max_memory_usage',
  'param_country',
  'query',
  'database',
  'user',
  'password',
  'Country',
  'country ',
  '',
];

const badTypes: readonly string[] = [
  'SELECT count() FROM sales WHERE country = {x:Identifier}',
  'SELECT count() FROM sales WHERE country = {x:identifier}',
  'SELECT count() FROM sales WHERE country = {x:String) OR (1 = 1}',
  "SELECT count() FROM sales WHERE country = {x:String, file('FILE')}",
  'SELECT count() FROM sales WHERE country = {x:NoSuchType}',
  'SELECT count() FROM sales WHERE country = {x:Enum8(1)}',
  'SELECT count() FROM sales WHERE country = {x:Array(}',
  'SELECT count() FROM sales WHERE country = {x:}',
  'SELECT count() FROM sales WHERE country = {:String}',
  'SELECT count() FROM sales WHERE country = {x}',
  'SELECT count() FROM {x:String}',
  'SELECT count() FROM {variables.x}',
  'SELECT {x:String}(1)',
  'SELECT count() FROM sales ORDER BY {x:Identifier} DESC',
  'SELECT count() FROM sales WHERE {variables.x',
  'SELECT count() FROM sales WHERE {filters.country) OR (1 = 1}',
];

const badDefinitions: readonly unknown[] = [
  { code_name: 'country} OR {x:Identifier', type: 'String' },
  { code_name: 'country', type: 'Identifier' },
  { code_name: 'country', type: "String', file('FILE'), '" },
  { code_name: 'country', type: 'UInt64) OR (1 = 1' },
  { code_name: "'; DROP TABLE sales; --", type: 'String' },
  { code_name: '__proto__ x', type: 'String' },
  { code_name: '', type: 'String' },
  { code_name: 5, type: 'String' },
];

const badFilters: readonly unknown[] = [
  { properties: [{ key: 'country) OR (1 = 1', operator: 'exact', value: 'x' }] },
  { properties: [{ key: 'country` OR `1', operator: 'exact', value: 'x' }] },
  { properties: [{ key: 'OTHER.secret.v', operator: 'exact', value: 'x' }] },
  { properties: [{ key: "file('FILE')", operator: 'exact', value: 'x' }] },
  { properties: [{ key: '(SELECT any(v) FROM OTHER.secret)', operator: 'exact', value: 'x' }] },
  { properties: [{ key: 'country', operator: "= '' OR 1 = 1 --", value: 'x' }] },
  { properties: [{ key: 'country', operator: 'constructor', value: 'x' }] },
  { properties: [{ key: 'country', operator: '__proto__', value: 'x' }] },
  { date_from: "2024-01-01' OR '1'='1" },
  { date_to: 'now() OR 1 = 1' },
  { date_from: '(SELECT 1)' },
  { sql: '1 = 1' },
  'country = country',
  [{ key: 'country' }],
];

/** No row; the byte that no text may hold is refused outright. */
function nothing(value: string): Readonly<Record<string, unknown>> {
  return value.includes('\0') ? { type: 'validation_error' } : { results: [] };
}

describe('an attack by what a run is given', () => {
  let tested: TestApp;
  let canaries: Canaries;

  beforeAll(async () => {
    tested = await openTestApp();
    canaries = await openCanaries(tested);
    await save('typed', 'SELECT country FROM sales WHERE country = {country:String}');
    await save('listed', 'SELECT country FROM sales WHERE country IN {countries:Array(String)}');
    await save('counted', 'SELECT id FROM sales WHERE id = {n:UInt64}');
    await save('filtered', 'SELECT country FROM sales WHERE {filters.sold_at}');
    const definition = { code_name: 'country', type: 'String', value: 'none' };
    await save('legacy', 'SELECT country FROM sales WHERE country = {variables.country}', {
      c: definition,
    });
  });
  afterEach(async () => {
    expect(await canaries.touched()).toEqual([]);
  });
  afterAll(async () => {
    await canaries?.close();
    await tested?.close();
  });

  async function save(name: string, query: string, variables?: unknown): Promise<void> {
    const body = { name, query: { kind: 'SQLQuery', query, variables: variables ?? {} } };
    expect((await tested.rest('POST', '/endpoints', { body })).body).toMatchObject({ name });
  }

  describe.each(['typed', 'legacy'])('through a text of %s', (name) => {
    it.each(injections)('%j is a text and nothing else', async (value) => {
      const country = canaries.fill(value);
      const post = await tested.rest('POST', `/endpoints/${name}/run`, {
        body: { variables: { country } },
      });
      expect(post.body).toMatchObject(nothing(country));
      const given = new URLSearchParams({ 'variables[country]': country });
      const get = await tested.rest('GET', `/endpoints/${name}/run?${given}`);
      expect(get.body).toMatchObject(nothing(country));
    });
  });

  it.each(injections)('%j is one of a list and nothing else', async (value) => {
    const body = { variables: { countries: [canaries.fill(value), 'nobody'] } };
    const { body: response } = await tested.rest('POST', '/endpoints/listed/run', { body });
    expect(response).toMatchObject(nothing(value));
  });

  it.each(badNumbers)('%j is no number', async (value) => {
    const body = { variables: { n: canaries.fill(value) } };
    const { status, body: response } = await tested.rest('POST', '/endpoints/counted/run', {
      body,
    });
    // Another way to write a number is one; it names a row that is not there.
    if (status === 200) expect(response.results).toEqual([]);
    else expect(response).toMatchObject({ type: 'validation_error', attr: 'variables.n' });
  });

  it.each(badNames)('%j is no variable', async (name) => {
    const text = `{"variables":{"country":"FR",${JSON.stringify(name)}:"x"}}`;
    const post = await tested.rest('POST', '/endpoints/typed/run', { body: text });
    expect(post.body).toMatchObject({ code: 'unknown_variable' });
    const given = new URLSearchParams([
      ['variables[country]', 'FR'],
      [`variables[${name}]`, 'x'],
    ]);
    const get = await tested.rest('GET', `/endpoints/typed/run?${given}`);
    expect(get.status).toBe(400);
  });

  it.each(badTypes)('%s cannot be saved', async (query) => {
    const body = { name: 'attack', query: canaries.fill(query) };
    const { status, body: response } = await tested.rest('POST', '/endpoints', { body });
    expect({ status, ...response }).toMatchObject({ status: 400, type: 'validation_error' });
  });

  it.each(badDefinitions)('%j defines no variable', async (definition) => {
    const query = 'SELECT count() FROM sales WHERE country = {variables.country}';
    const body = {
      name: 'attack',
      query: { kind: 'SQLQuery', query, variables: { v: filled(definition) } },
    };
    const { status, body: response } = await tested.rest('POST', '/endpoints', { body });
    expect({ status, ...response }).toMatchObject({ status: 400, type: 'validation_error' });
  });

  it.each(badFilters)('%j filters nothing', async (filters) => {
    const body = { filters_override: filled(filters) };
    const { status, body: response } = await tested.rest('POST', '/endpoints/filtered/run', {
      body,
    });
    expect({ status, ...response }).toMatchObject({ status: 400, type: 'validation_error' });
  });

  it.each(injections)('%j as the value of a filter is a text and nothing else', async (value) => {
    const properties = [{ key: 'country', operator: 'exact', value: canaries.fill(value) }];
    const { body: response } = await tested.rest('POST', '/endpoints/filtered/run', {
      body: { filters_override: { properties } },
    });
    expect(response).toMatchObject(nothing(value));
  });

  function filled(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value, (_key, v: unknown) => (typeof v === 'string' ? canaries.fill(v) : v)),
    );
  }
});
