import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.sql('CREATE TABLE flights (day Date, delay Int32) ENGINE = MergeTree ORDER BY day');
  const query = 'SELECT {state:String} AS state, {at_least:UInt8} AS at_least';
  await test.rest('POST', '/endpoints', { body: { name: 'airport_delays', query } });
  await test.rest('POST', '/endpoints', {
    body: { name: 'secret_sales', query: 'SELECT 1' },
    project: test.other,
  });
  await test.rest('POST', '/endpoints', { body: { name: 'retired_one', query: 'SELECT 1' } });
  await test.rest('PATCH', '/endpoints/retired_one', { body: { is_active: false } });
});
afterAll(() => test.close());

const read = () => ({ key: test.project.readKey });

describe('a misspelt endpoint', () => {
  const detail = 'The project has no endpoint with this name. Did you mean "airport_delays"?';

  it.each([
    ['GET', '/endpoints/airprot_delays/run'],
    ['POST', '/endpoints/airport_delay/run'],
    ['GET', '/endpoints/airport_delay'],
    ['PATCH', '/endpoints/airport_delay'],
    ['DELETE', '/endpoints/airport_delay'],
    ['GET', '/endpoints/airport_delay/versions'],
    ['GET', '/endpoints/airport_delay/materialization_status'],
    ['GET', '/endpoints/airport_delay/openapi.json'],
  ])('is told the nearest name: %s %s', async (method, path) => {
    const body = method === 'PATCH' ? { description: 'x' } : undefined;
    const { status, body: error } = await test.rest(method, path, { body });
    expect([status, error.code, error.attr, error.detail]).toEqual([
      404,
      'not_found',
      'name',
      detail,
    ]);
  });

  it('is told it by GraphQL', async () => {
    for (const field of ['runEndpoint', 'endpoint', 'materializationStatus']) {
      const { body } = await test.graphql(
        `{ ${field}(projectId: "@current", name: "airport_delay") { __typename } }`,
      );
      expect(body.errors?.[0]?.message).toBe(detail);
    }
  });

  it('is told no name of another project, of an inactive endpoint or without a key', async () => {
    for (const name of ['secret_sale', 'retired_on', 'far_away']) {
      const { body } = await test.rest('GET', `/endpoints/${name}/run`, read());
      expect(body.detail).toBe('The project has no endpoint with this name.');
    }
    const path = '/endpoints/airport_delay/run';
    expect((await test.rest('GET', path, { key: null })).text).not.toContain('airport_delays');
    const foreign = { key: test.other.readKey };
    expect((await test.rest('GET', path, foreign)).text).not.toContain('airport_delays');
  });
});

describe('a misspelt input', () => {
  const run = '/endpoints/airport_delays/run';

  it('is told the nearest parameter of a run', async () => {
    const { body } = await test.rest('GET', `${run}?limt=3`);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'limt' });
    expect(body.detail).toMatch(
      /^Unknown query parameter "limt"\. Did you mean "limit"\? Accepted: /,
    );
  });

  it('is told the nearest member of a body', async () => {
    const created = await test.rest('POST', '/endpoints', {
      body: { nmae: 'x', query: 'SELECT 1' },
    });
    expect(created.body.detail).toMatch(/^Unknown body member "nmae"\. Did you mean "name"\?/);
    const ran = await test.rest('POST', run, { body: { refersh: 'force' } });
    expect(ran.body.detail).toMatch(/Did you mean "refresh"\?/);
    const query = { kind: 'SQLQuery', qeury: 'SELECT 1' };
    const named = await test.rest('POST', '/endpoints', { body: { name: 'x', query } });
    expect(named.body.detail).toMatch(/Did you mean "query"\?/);
  });

  it('is told the nearest variable', async () => {
    const { body } = await test.rest('GET', `${run}?variables[stat]=CA`);
    expect(body.code).toBe('unknown_variable');
    expect(body.detail).toBe(
      'Unknown variable(s): stat. Did you mean "state"? Accepted: state, at_least.',
    );
  });

  it('is told how to give a variable', async () => {
    const get = await test.rest('GET', `${run}?state=CA`, read());
    expect(get.body).toMatchObject({
      code: 'invalid_input',
      attr: 'state',
      detail: 'state is a variable of this endpoint: pass it as variables[state]=….',
    });
    const post = await test.rest('POST', run, { body: { state: 'CA' }, ...read() });
    expect(post.body.detail).toBe(
      'state is a variable of this endpoint: pass it as "variables": {"state": …}.',
    );
    for (const name of ['variables[state][]', 'variables[state][0]']) {
      const list = await test.rest('GET', `${run}?${encodeURIComponent(name)}=CA`, read());
      expect(list.body).toMatchObject({
        attr: name,
        detail:
          'The values of a list are separated by commas, or the parameter is repeated: pass it as variables[state]=….',
      });
    }
    const foreign = await test.rest('GET', `${run}?state=CA`, { key: test.other.readKey });
    expect(foreign.text).not.toContain('variables[state]');
  });
});

describe('a refused value of a variable', () => {
  it('is told what a time in a URL, a null and a list need', async () => {
    const variables = { since: { isNull: true }, tags: { value: [] } };
    const query = 'SELECT {since:Nullable(DateTime)} AS since, {tags:Array(String)} AS tags';
    const created = await test.rest('POST', '/endpoints', {
      body: { name: 'told', query: { kind: 'SQLQuery', query, variables } },
    });
    expect(created.status).toBe(201);
    const run = '/endpoints/told/run';
    const told = async (given: string) =>
      (await test.rest('GET', `${run}?variables[since]=${given}`)).body;
    expect((await told('2024-06-01T00:00:00+02:00')).detail).toBe(
      'variables.since must be a time in ISO 8601 in whole seconds, as in 2001-01-01T00:00:00Z, from 1970 to 2106-02-07T06:28:15Z, with + written as %2B in a URL, or null.',
    );
    expect((await told('')).detail).toMatch(/06:28:15Z, or null\.$/);
    expect((await told('null')).results).toEqual([[null, []]]);
    expect((await told('2024-06-01T00:00:00%2B02:00')).results).toEqual([
      ['2024-05-31T22:00:00Z', []],
    ]);
    const list = await test.rest('POST', run, { body: { variables: { tags: ['a', null] } } });
    expect(list.body.detail).toBe(
      'variables.tags must not have null within it: String cannot be null.',
    );
  });
});

describe('a misspelt name in a query', () => {
  async function refusal(query: unknown): Promise<unknown> {
    const { status, body } = await test.rest('POST', '/endpoints', { body: { name: 'q', query } });
    expect([status, body.code, body.attr]).toEqual([400, 'invalid_query', 'query']);
    return body.detail;
  }

  it.each([
    [
      'SELECT day FROM flihgts',
      'Unknown table expression identifier \'flihgts\' at line 1, column 17. Did you mean "flights"?',
    ],
    [
      'SELECT day,\n  dela\nFROM flights',
      'Unknown expression identifier `dela` at line 2, column 3. Did you mean delay?',
    ],
    [
      'SELECT f.dlay FROM flights AS f',
      "Identifier 'f.dlay' at line 1, column 10 cannot be resolved from table with name f. Did you mean f.day?",
    ],
    [
      'SELECT\n  cuont() FROM flights',
      'Function with name `cuont` at line 2, column 3 does not exist. Did you mean conv or count?',
    ],
    [
      'WITH few AS (SELECT day AS a, delay FROM flights)\nSELECT a FROM few WHERE day > 1',
      'Unknown expression or function identifier `day` at line 2, column 25.',
    ],
    [
      'WITH few AS (SELECT day AS d, delay FROM flights),\n  more AS (SELECT d, day FROM few)\nSELECT d FROM more WHERE day > 1',
      'Unknown expression identifier `day` at line 2, column 22.',
    ],
    [
      'SELECT day, delay AS x FROM flights\nUNION ALL\nSELECT day, x FROM (SELECT delay, x FROM (SELECT 1 AS x, day, delay FROM flights))',
      'Unknown expression identifier `day` at line 3, column 8.',
    ],
    [
      'SELECT day FROM (SELECT * EXCEPT (state) FROM (SELECT 1 AS state, day, delay FROM flights) WHERE delay > 1)\nWHERE state = 2',
      'Unknown expression or function identifier `state` at line 2, column 7.',
    ],
    [
      'WITH few AS (SELECT day, delay FROM flights)\nSELECT a.day FROM few AS a JOIN few AS b ON a.day = b.day, flights AS c\nORDER BY delay',
      'Several of the joined tables have a column `delay` at line 3, column 10: write the name or alias of its table before it.',
    ],
    [
      "SELECT {dela:String}, 'dela', dela FROM flights",
      'Unknown expression identifier `dela` at line 1, column 31. Did you mean delay?',
    ],
  ])('is told with its place: %s', async (query, detail) => {
    expect(await refusal(query)).toBe(detail);
  });

  it('is told with its place in the text as the author wrote it', async () => {
    const query = 'SELECT {variables.a_long_name} AS a, {filters} AS f, dela, 1 +* 2\nFROM flights';
    const variables = { a_long_name: { value: 'x' } };
    const definition = (text: string) => ({ kind: 'SQLQuery', query: text, variables });
    const column = query.indexOf('dela') + 1;
    expect(await refusal(definition(query.replace('1 +* 2', '1')))).toContain(
      `\`dela\` at line 1, column ${column}.`,
    );
    expect(await refusal(definition(query))).toContain(
      `Syntax error at line 1, column ${query.indexOf('* 2') + 3}`,
    );
  });
});
