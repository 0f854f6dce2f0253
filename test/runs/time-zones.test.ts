/** A variable that names a time zone takes the names that the engine has, and nothing that it would open instead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

const noon = "toDateTime('2026-01-01 12:00:00', 'UTC')";

beforeAll(async () => {
  test = await openSalesApp();
  const query = `SELECT toString(${noon}, {zone:String}) AS at`;
  await save(test, 'at', { query });
  await save(test, 'kept', {
    query: {
      kind: 'SQLQuery',
      query: `SELECT toString(${noon}, {variables.zone}) AS at`,
      variables: { a: { code_name: 'zone', value: 'Asia/Tokyo' } },
    },
  });
});
afterAll(() => test.close());

const run = (name: string, variables: unknown) =>
  test.rest('POST', `/endpoints/${name}/run`, { body: { variables } });

describe('200', () => {
  it.each([
    ['UTC', '2026-01-01 12:00:00'],
    ['Asia/Kolkata', '2026-01-01 17:30:00'],
    ['America/New_York', '2026-01-01 07:00:00'],
  ])('%s', async (zone, at) => {
    expect((await run('at', { zone })).body.results).toEqual([[at]]);
    expect((await run('kept', { zone })).body.results).toEqual([[at]]);
  });

  it('applies the default', async () => {
    expect((await run('kept', {})).body.results).toEqual([['2026-01-01 21:00:00']]);
  });
});

const none = ['', 'utc', 'file:/etc/hostname', '../../../etc/hostname', '/proc/self/fd/0', 'Mars'];

describe('400', () => {
  it.each(none)('%j, run for the first time and again', async (zone) => {
    const fresh = `fresh_${none.indexOf(zone)}`;
    await save(test, fresh, { query: `SELECT toString(now(), {zone:String}) AS x${fresh}` });
    for (const name of [fresh, 'at', 'kept']) {
      const { status, body } = await run(name, { zone });
      expect({ status, ...body }).toMatchObject({
        status: 400,
        code: 'invalid_input',
        attr: 'variables.zone',
      });
      expect(body.detail).toContain("give a name such as 'Europe/Berlin' or 'UTC'");
    }
  });

  it.each(['csv', 'ndjson', 'arrow', 'parquet'])('in %s as well', async (format) => {
    const path = `/endpoints/at/run?variables[zone]=file:/etc/hostname&format=${format}`;
    const { status, body } = await test.rest('GET', path);
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  it('a default that is none, when the endpoint is made', async () => {
    const query = {
      kind: 'SQLQuery',
      query: 'SELECT toString(now(), {zone:String})',
      variables: { zone: { value: 'file:/etc/hostname' } },
    };
    const { status, body } = await test.rest('POST', '/endpoints', {
      body: { name: 'bad_default', query },
    });
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_input' });
    expect((await test.rest('GET', '/endpoints/bad_default')).status).toBe(404);
  });

  it('by GraphQL alike', async () => {
    const { body } = await test.graphql(
      '{ runEndpoint(projectId: "@current", name: "at", input: { variables: { zone: "Mars" } }) { results } }',
    );
    expect(body.errors?.[0]).toMatchObject({
      extensions: { code: 'invalid_input', attr: 'variables.zone' },
    });
  });
});
