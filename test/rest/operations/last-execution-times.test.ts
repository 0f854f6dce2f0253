import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallOptions, TestApp, TestResponse } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { openSalesApp, run, save, saveInBoth } from '../support/sales.ts';

const noon = '2026-03-01T12:00:00.000Z';
let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await saveInBoth(test, 'sales');
  await save(test, 'never');
  for (const name of ['by_rest', 'by_graphql', 'by_reader', 'by_hit', 'failing', 'old']) {
    await save(test, name, name === 'failing' ? { query: failing } : {});
  }
});
afterAll(() => test.close());
beforeEach(() => test.clock.set(noon));

const failing = "SELECT throwIf(country = 'at') FROM sales";
const path = '/endpoints/last_execution_times';

function ask(names: unknown, options: CallOptions = {}): Promise<TestResponse> {
  return test.rest('POST', path, { body: { names }, ...options });
}

async function timesOf(...names: readonly string[]): Promise<unknown> {
  const { body } = await ask(names);
  return (body.query_status as { readonly results: unknown }).results;
}

describe('200', () => {
  it('returns exactly the documented members', async () => {
    await run(test, 'sales');
    const { status, body } = await ask(['sales']);
    expect(status).toBe(200);
    expect(body).toEqual({
      query_status: {
        complete: true,
        dashboard_id: null,
        end_time: null,
        error: false,
        error_message: null,
        expiration_time: null,
        id: '',
        insight_id: null,
        labels: null,
        pickup_time: null,
        query_async: true,
        query_progress: {
          active_cpu_time: 0,
          bytes_read: 0,
          estimated_rows_total: 0,
          rows_read: 0,
          time_elapsed: 0,
        },
        results: [['sales', noon]],
        start_time: null,
        task_id: null,
        team_id: test.project.id,
      },
    });
  });

  it('keeps to the project: the other one’s endpoint of the same name never ran', async () => {
    await run(test, 'sales');
    const { body } = await ask(['sales'], { project: test.other });
    expect(body).toMatchObject({ query_status: { results: [], team_id: test.other.id } });
  });

  it('leaves out names that are unknown or never ran', async () => {
    await run(test, 'sales');
    expect(await timesOf('unknown', 'never', 'sales')).toEqual([['sales', noon]]);
  });

  it('returns null for an empty list', async () => {
    expect(await timesOf()).toBeNull();
  });

  it('returns an empty array when none of the names ran', async () => {
    expect(await timesOf('never')).toEqual([]);
  });

  it('names each endpoint once, in the order of the names', async () => {
    await run(test, 'sales');
    await run(test, 'by_rest');
    expect(await timesOf('sales', 'by_rest', 'sales')).toEqual([
      ['sales', noon],
      ['by_rest', noon],
    ]);
  });

  it('returns the newest run', async () => {
    await run(test, 'by_rest');
    test.clock.set('2026-03-01T12:30:00.000Z');
    await run(test, 'by_rest', { refresh: 'force' });
    expect(await timesOf('by_rest')).toEqual([['by_rest', '2026-03-01T12:30:00.000Z']]);
  });

  it('counts runs by any key', async () => {
    await test.rest('POST', '/endpoints/by_reader/run', { key: test.project.readKey });
    expect(await timesOf('by_reader')).toEqual([['by_reader', noon]]);
  });

  it('counts runs through GraphQL', async () => {
    const document =
      'query Run($id: ID!) { runEndpoint(projectId: $id, name: "by_graphql") { name } }';
    await test.graphql(document, { id: test.project.id });
    expect(await timesOf('by_graphql')).toEqual([['by_graphql', noon]]);
  });

  it('counts a run that was served from the cache', async () => {
    await run(test, 'by_hit');
    test.clock.set('2026-03-01T12:01:00.000Z');
    expect(await run(test, 'by_hit')).toMatchObject({ is_cached: true });
    expect(await timesOf('by_hit')).toEqual([['by_hit', '2026-03-01T12:01:00.000Z']]);
  });

  it('forgets what ran more than six months ago', async () => {
    await run(test, 'old');
    test.clock.set('2026-09-01T12:00:00.000Z');
    expect(await timesOf('old')).toEqual([['old', noon]]);
    test.clock.set('2026-09-01T12:00:00.001Z');
    expect(await timesOf('old')).toEqual([]);
  });

  it('counts six months back to the last day of a shorter month', async () => {
    await save(test, 'winter');
    test.clock.set('2026-02-28T12:00:00.000Z');
    await run(test, 'winter');
    test.clock.set('2026-08-31T12:00:00.000Z');
    expect(await timesOf('winter')).toEqual([['winter', '2026-02-28T12:00:00.000Z']]);
  });

  it('accepts 1000 names', async () => {
    await run(test, 'sales');
    const names = Array.from({ length: 999 }, (_, at) => `name_${at}`);
    expect(await timesOf(...names, 'sales')).toEqual([['sales', noon]]);
  });

  it('accepts the reserved name and returns nothing for it', async () => {
    expect(await timesOf('last_execution_times')).toEqual([]);
  });
});

describe('400', () => {
  it.each([
    ['text', 'sales'],
    ['an object', { 0: 'sales' }],
    ['null', null],
    ['a number', 5],
    ['a list of numbers', [5]],
    ['a list with null', ['sales', null]],
    ['a list in a list', [['sales']]],
    ['an empty name', ['']],
    ['a name with a blank', ['sales', 'a b']],
    ['a name that begins with a digit', ['1a']],
    ['a name of 129 characters', ['a'.repeat(129)]],
    ['a name with a NUL', ['a\u0000']],
    ['1001 names', Array.from({ length: 1001 }, (_, at) => `name_${at}`)],
  ])('refuses %s as names', async (_what, names) => {
    const { status, body } = await ask(names);
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: expect.any(String),
      attr: 'names',
    });
  });

  it.each([
    [{}, 'names'],
    [{ names: ['sales'], name: 'sales' }, 'name'],
    [['sales'], null],
  ])('refuses the body %j', async (body, attr) => {
    const response = await test.rest('POST', path, { body });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_input', attr });
  });

  it('refuses a query parameter', async () => {
    const response = await test.rest('POST', `${path}?names=sales`, { body: { names: ['sales'] } });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_input', attr: 'names' });
  });
});

describeAccess(() => test, {
  method: 'POST',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path, body: { names: ['sales'] } }),
});
