/** One shape of error over every row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorStatus } from '../../src/errors/service-error.ts';
import type { CallOptions, TestApp, TestResponse } from '../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, save, saveInBoth } from './support/sales.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await saveInBoth(test, 'sales');
  await save(test, 'other_only', {}, test.other);
});
afterAll(() => test.close());

interface Row {
  readonly id: string;
  readonly method: string;
  readonly path: (name: string) => string;
  readonly body?: unknown;
  readonly named: boolean;
  readonly versioned: boolean;
}

const at = (suffix: string) => (name: string) => `/endpoints/${name}${suffix}`;

const rows: readonly Row[] = [
  { id: 'list', method: 'GET', path: () => '/endpoints', named: false, versioned: false },
  {
    id: 'create',
    method: 'POST',
    path: () => '/endpoints',
    body: { name: 'new', query: byCountry },
    named: false,
    versioned: false,
  },
  { id: 'retrieve', method: 'GET', path: at(''), named: true, versioned: true },
  { id: 'update', method: 'PATCH', path: at(''), body: {}, named: true, versioned: false },
  { id: 'delete', method: 'DELETE', path: at(''), named: true, versioned: false },
  {
    id: 'materialization_status',
    method: 'GET',
    path: at('/materialization_status'),
    named: true,
    versioned: true,
  },
  { id: 'openapi', method: 'GET', path: at('/openapi.json'), named: true, versioned: true },
  { id: 'run_get', method: 'GET', path: at('/run'), named: true, versioned: true },
  { id: 'run_post', method: 'POST', path: at('/run'), body: {}, named: true, versioned: true },
  { id: 'versions', method: 'GET', path: at('/versions'), named: true, versioned: false },
  {
    id: 'last_execution_times',
    method: 'POST',
    path: () => '/endpoints/last_execution_times',
    body: { names: [] },
    named: false,
    versioned: false,
  },
];

interface RequestSpec {
  readonly name?: string;
  readonly query?: string;
  readonly options?: CallOptions;
}

async function ask(row: Row, { name = 'sales', query = '', options = {} }: RequestSpec) {
  const before = await bystanders(test);
  const body = row.body === undefined ? {} : { body: row.body };
  const response = await test.rest(row.method, row.path(name) + query, { ...body, ...options });
  expect(await bystanders(test)).toEqual(before);
  return response;
}

function expectError(response: TestResponse, code: keyof typeof errorStatus, attr: string | null) {
  expect(response.body).toEqual({
    type: expect.stringMatching(/^[a-z_]+$/),
    code,
    detail: expect.stringMatching(/^[A-Z].{15,}\.$|^[a-z_]+ must be .*\.$/s),
    attr,
    ...(code === 'version_not_found' ? { error: response.body.detail, current_version: 1 } : {}),
  });
  expect(Object.keys(response.body).slice(0, 4)).toEqual(['type', 'code', 'detail', 'attr']);
  expect(response.status).toBe(errorStatus[code]);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.body.detail).not.toMatch(
    /prisma|postgres|clickhouse|node_modules|127\.0\.0\.1|\bat \w+ \(/i,
  );
}

describe.each(rows)('$id', (row) => {
  it('returns not_authenticated without a key', async () => {
    expectError(await ask(row, { options: { key: null } }), 'not_authenticated', null);
  });

  it('returns authentication_failed for a wrong key', async () => {
    expectError(
      await ask(row, { options: { key: 'qdk_wrong-key' } }),
      'authentication_failed',
      null,
    );
  });

  it('returns permission_denied for a foreign project', async () => {
    const response = await ask(row, { options: { key: test.other.writeKey } });
    expectError(response, 'permission_denied', 'project_id');
  });

  it('returns permission_denied for a foreign project whatever its input is', async () => {
    const options = { key: test.other.writeKey };
    const response = await ask(row, { query: '?nonsense=1', options });
    expectError(response, 'permission_denied', 'project_id');
  });

  it('returns not_found for a project that has no number', async () => {
    expectError(await ask(row, { options: { project: 'flights' } }), 'not_found', 'project_id');
  });

  it('returns invalid_input for an unknown query parameter, naming it', async () => {
    expectError(await ask(row, { query: '?nonsense=1' }), 'invalid_input', 'nonsense');
  });

  it('shows no other error to a caller without a key', async () => {
    const response = await ask(row, {
      name: 'missing',
      query: '?nonsense=1',
      options: { key: null, project: 'x' },
    });
    expectError(response, 'not_authenticated', null);
  });
});

describe.each(rows.filter(({ named }) => named))('$id of one endpoint', (row) => {
  it('returns not_found for a missing one', async () => {
    expectError(await ask(row, { name: 'missing' }), 'not_found', 'name');
  });

  it('is returned for one of another project as for a missing one', async () => {
    const [missing, foreign] = [
      await ask(row, { name: 'missing_too' }),
      await ask(row, { name: 'other_only' }),
    ];
    expect(foreign.text.replace('other_only', '')).toBe(missing.text.replace('missing_too', ''));
  });
});

describe.each(rows.filter(({ versioned }) => versioned))('$id of a version', (row) => {
  it('returns version_not_found with error and current_version', async () => {
    expectError(await ask(row, { query: '?version=7' }), 'version_not_found', 'version');
  });

  it('returns invalid_input for a version that is no integer', async () => {
    expectError(await ask(row, { query: '?version=last' }), 'invalid_input', 'version');
  });
});

describe.each(rows.filter(({ body }) => body !== undefined))('$id with a body', (row) => {
  it('returns invalid_input for an unknown member, naming it', async () => {
    const body = { ...(row.body as object), nonsense: 1 };
    expectError(await ask(row, { options: { body } }), 'invalid_input', 'nonsense');
  });

  it('returns malformed_json for what is not JSON', async () => {
    expectError(await ask(row, { options: { body: '{' } }), 'malformed_json', null);
  });

  it('returns permission_denied for a foreign project whatever its body is', async () => {
    const texts = ['{', '[]', '{"nonsense":1}'];
    for (const type of ['application/json', 'text/plain']) {
      for (const body of texts) {
        const options = { key: test.other.writeKey, body, headers: { 'content-type': type } };
        expectError(await ask(row, { options }), 'permission_denied', 'project_id');
      }
    }
  });

  it('returns unsupported_media_type for another content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectError(
      await ask(row, { options: { body: '{}', headers } }),
      'unsupported_media_type',
      null,
    );
  });

  it('returns body_too_large above the limit', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(2_000_000) });
    expectError(await ask(row, { options: { body } }), 'body_too_large', null);
  });
});
