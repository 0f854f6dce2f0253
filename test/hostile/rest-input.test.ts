/** Generated wrong input through REST: each gets a clear refusal and changes nothing. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bystanders, ofCountry, openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp, TestResponse } from '../support/test-app.ts';
import {
  endpointMembers,
  hostileMember,
  runMembers,
  settings,
  unknownMember,
} from './support/refused-members.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales', { query: ofCountry });
  await save(test, 'plain');
});
afterAll(() => test.close());

function expectRefusal({ status, body }: TestResponse): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(body).toMatchObject({
    type: expect.stringMatching(/^[a-z_]+$/),
    code: expect.stringMatching(/^(?!error$)[a-z_]+$/),
    detail: expect.stringMatching(/\S/),
  });
  expect(body.attr === null || typeof body.attr === 'string').toBe(true);
  expect(String(body.detail).length).toBeLessThan(1500);
}

async function expectNothingBy(ask: () => Promise<TestResponse>): Promise<void> {
  const before = await bystanders(test);
  expectRefusal(await ask());
  expect(await bystanders(test)).toEqual(before);
}

const valid = { name: 'new', query: 'SELECT 1 AS one' };

const bodies = [
  ['create', 'POST', '/endpoints', valid, hostileMember(endpointMembers)],
  [
    'update',
    'PATCH',
    '/endpoints/sales',
    {},
    hostileMember({ ...endpointMembers, deleted: 'flag' }),
  ],
  ['run', 'POST', '/endpoints/plain/run', {}, hostileMember(runMembers)],
  [
    'last execution times',
    'POST',
    '/endpoints/last_execution_times',
    { names: [] },
    hostileMember({ names: 'names' }),
  ],
] as const;

describe.each(bodies)('the body of %s', (_row, method, path, base, members) => {
  it('is refused with a member that it cannot take', async () => {
    const property = fc.asyncProperty(members, ({ member, value }) =>
      expectNothingBy(() => test.rest(method, path, { body: { ...base, [member]: value } })),
    );
    await fc.assert(property, { ...settings, numRuns: 120 });
  });

  it('is refused with a member that it does not have', async () => {
    const property = fc.asyncProperty(unknownMember, ({ member, value }) =>
      expectNothingBy(() => test.rest(method, path, { body: { ...base, [member]: value } })),
    );
    await fc.assert(property, { ...settings, numRuns: 15 });
  });

  it('is refused when it is no JSON object', async () => {
    const notObject = fc.oneof(
      fc.string({ minLength: 1, maxLength: 20 }).map((text) => `x${text}`),
      fc.array(fc.jsonValue()).map((value) => JSON.stringify(value)),
      fc.string().map((value) => JSON.stringify(value)),
      fc.integer().map(String),
      fc.constantFrom('null', 'true', '{', '{"a":1}}', '\u0000', '{"a":\ud800}'),
    );
    const property = fc.asyncProperty(notObject, (body) =>
      expectNothingBy(() => test.rest(method, path, { body })),
    );
    await fc.assert(property, { ...settings, numRuns: 25 });
  });
});

const named = [
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/materialization_status'],
  ['GET', '/openapi.json'],
  ['GET', '/run'],
  ['POST', '/run'],
  ['GET', '/versions'],
] as const;

describe('the name in a path', () => {
  it('is not found on any row when nobody has it', async () => {
    const name = fc
      .oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
        fc.constantFrom('\u0000', "'; --", '%', '%00', '\\', 'x'.repeat(4000), '\n'),
      )
      .filter((text) => text !== '.' && text !== '..' && !['sales', 'plain'].includes(text));
    const property = fc.asyncProperty(name, fc.constantFrom(...named), (text, [method, suffix]) =>
      expectNothingBy(() =>
        test.rest(
          method,
          `/endpoints/${encodeURIComponent(text)}${suffix}`,
          method === 'PATCH' || method === 'POST' ? { body: {} } : {},
        ),
      ),
    );
    await fc.assert(property, { ...settings, numRuns: 80 });
  });
});

const parameters = [
  ['/endpoints', ['limit', 'offset', 'is_active', 'is_materialized', 'created_by']],
  ['/endpoints/sales', ['version']],
  ['/endpoints/sales/materialization_status', ['version']],
  ['/endpoints/sales/openapi.json', ['version']],
  [
    '/endpoints/plain/run',
    ['version', 'limit', 'offset', 'refresh', 'debug', 'integers', 'variables'],
  ],
  ['/endpoints/sales/versions', ['limit', 'offset']],
] as const;
const parameter = fc
  .constantFrom(...parameters)
  .chain(([path, names]) => fc.tuple(fc.constant(path), fc.constantFrom(...names)));

describe('a query parameter', () => {
  it('is refused when its text is none of its kind', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).map((value) => `x${value}`),
      fc.constantFrom('', ' ', '1.5', '-', '1e3', '9'.repeat(40), '\u0000', '[', '0x10', 'null'),
    );
    const property = fc.asyncProperty(parameter, text, ([path, name], value) =>
      expectNothingBy(() => test.rest('GET', `${path}?${new URLSearchParams({ [name]: value })}`)),
    );
    await fc.assert(property, { ...settings, numRuns: 80 });
  });

  it('is refused when the row does not have it', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...parameters),
      fc.string({ unit: 'binary', maxLength: 20 }),
      ([path], name) =>
        expectNothingBy(() =>
          test.rest('GET', `${path}?${new URLSearchParams({ [`x_${name}`]: '1' })}`),
        ),
    );
    await fc.assert(property, { ...settings, numRuns: 40 });
  });
});

describe('the project in a path', () => {
  it('is never found when it is no number', async () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => `x${text}`);
    const property = fc.asyncProperty(id, (project) =>
      expectNothingBy(() =>
        test.rest('GET', '/endpoints', { project: encodeURIComponent(project) }),
      ),
    );
    await fc.assert(property, { ...settings, numRuns: 20 });
  });
});

describe('the value of a variable', () => {
  it('that is a text comes back as it was', async () => {
    await save(test, 'echo', {
      query: 'SELECT {v:String} AS a, {v:String} = unhex({h:String}) AS same',
    });
    const property = fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 50 }).filter((text) => !text.includes('\u0000')),
      async (v) => {
        const h = Buffer.from(v).toString('hex');
        const { body } = await test.rest('POST', '/endpoints/echo/run', {
          body: { variables: { v, h } },
        });
        expect(body.results).toEqual([[v, 1]]);
      },
    );
    await fc.assert(property, { ...settings, numRuns: 60 });
  });
});
