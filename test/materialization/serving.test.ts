import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { plansByText } from './support/hand-plans.ts';
import {
  ask,
  byCountry,
  materialized,
  ofCountry,
  openMaterializedApp,
  patch,
  run,
  save,
  servedTables,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
let name = '';
let count = 0;
const de = { variables: { country: 'de' } };
const hour = 3_600_000;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: plansByText });
});
afterAll(() => test.close());

/** An endpoint by country whose table is an hour from being stale. */
beforeEach(async () => {
  await sync(test);
  name = `s${++count}`;
  await materialized(test, name, { query: ofCountry, sync_frequency: '1hour' });
});

const force = (more: object = {}) => run(test, name, { ...de, refresh: 'force', ...more });

describe('a usable table', () => {
  it('has the rows, columns and types of the inline run, and is reported as materialized', async () => {
    const inline = await run(test, name, { ...de, refresh: 'direct' });
    const at = test.clock.now().toISOString();
    test.clock.advance(5000);
    const stored = await run(test, name, { ...de, debug: true });
    expect(stored).toMatchObject({
      results: inline.results,
      columns: inline.columns,
      types: inline.types,
      endpoint_materialized: true,
      endpoint_materialized_at: at,
      served_from: 'materialized',
      inline_reason: null,
      query: expect.stringContaining('_materialized_'),
    });
    expect(inline).toMatchObject({
      endpoint_materialized: false,
      endpoint_materialized_at: null,
      served_from: 'inline',
      inline_reason: 'direct',
    });
  });

  it('returns the same by GraphQL, and with limit and offset', async () => {
    const { body } = await test.graphql(
      'query ($name: String!) { run: runEndpoint(projectId: "@current", name: $name, input: {variables: {country: "de"}, limit: 1, offset: 1}) { results endpointMaterialized endpointMaterializedAt servedFrom inlineReason hasMore } }',
      { name },
    );
    expect(body.data?.run).toMatchObject({
      results: [['2026-02-03', 3]],
      endpointMaterialized: true,
      servedFrom: 'materialized',
      inlineReason: null,
      hasMore: false,
    });
  });

  it('is read past the result cache by refresh=force; otherwise a cached read of it is returned', async () => {
    expect(await run(test, name, de)).toMatchObject({ served_from: 'materialized' });
    expect(await run(test, name, de)).toMatchObject({
      served_from: 'cache',
      endpoint_materialized: true,
      is_cached: true,
    });
    expect(await force()).toMatchObject({ served_from: 'materialized', is_cached: false });
  });

  it('does not see the source; direct does', async () => {
    await test.sql("INSERT INTO sales VALUES ('de', 100, '2026-03-01')");
    expect((await force()).results).toHaveLength(2);
    expect((await run(test, name, { ...de, refresh: 'direct' })).results).toHaveLength(3);
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 100 SETTINGS mutations_sync = 2');
  });

  it('is read anew after a swap: the cached read of the old table is not returned', async () => {
    expect((await run(test, name, de)).results).toHaveLength(2);
    await test.sql("INSERT INTO sales VALUES ('de', 100, '2026-03-01')");
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toEqual(['completed']);
    expect(await run(test, name, de)).toMatchObject({
      is_cached: false,
      served_from: 'materialized',
      results: [expect.anything(), expect.anything(), ['2026-03-01', 100]],
    });
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 100 SETTINGS mutations_sync = 2');
  });

  it('marks its execution as materialized', async () => {
    const { execution_id: id } = await force();
    const { body } = await test.graphql(
      'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { servedFrom } }',
      { id },
    );
    expect(body.data).toEqual({ queryStatus: { servedFrom: 'materialized' } });
  });
});

describe('a run is inline and reports the reason', () => {
  it('direct', async () => {
    expect(await run(test, name, { ...de, refresh: 'direct' })).toMatchObject({
      served_from: 'inline',
      inline_reason: 'direct',
    });
  });

  it('not_ready, before the first sync', async () => {
    await save(test, `${name}x`, { query: ofCountry, is_materialized: true });
    expect(await run(test, `${name}x`, de)).toMatchObject({
      served_from: 'inline',
      inline_reason: 'not_ready',
      endpoint_materialized: false,
    });
  });

  it('stale, from the age of its cadence on and not a moment earlier', async () => {
    test.clock.advance(hour - 1);
    expect(await force()).toMatchObject({ served_from: 'materialized' });
    test.clock.advance(1);
    expect(await force()).toMatchObject({ served_from: 'inline', inline_reason: 'stale' });
    expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', ready: false });
  });

  it('failed, when its syncs fail; while the last good table is fresh it is read', async () => {
    await test.sql('RENAME TABLE sales TO elsewhere');
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    expect(await sync(test)).toContain('failed');
    await test.sql('RENAME TABLE elsewhere TO sales');
    expect(await statusOf(test, name)).toMatchObject({
      status: 'Failed',
      error: expect.any(String),
      ready: true,
    });
    expect(await force()).toMatchObject({ served_from: 'materialized' });
    test.clock.advance(hour);
    expect(await force()).toMatchObject({ served_from: 'inline', inline_reason: 'failed' });
    expect(await sync(test)).toContain('completed');
    expect(await statusOf(test, name)).toMatchObject({ status: 'Completed', error: null });
    expect(await force()).toMatchObject({ served_from: 'materialized' });
  });

  it('in its ETag, too', async () => {
    const first = await test.rest('POST', `/endpoints/${name}/run`, { body: de });
    test.clock.advance(hour);
    const second = await test.rest('POST', `/endpoints/${name}/run`, { body: de });
    expect(second.headers.get('etag')).toMatch(/-stale"$/);
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });
});

describe('materializing a version changes nothing that a caller may send', () => {
  it.each([
    ['absent', {}, 'missing_variable'],
    ['null', { variables: { country: null } }, 'invalid_input'],
  ] as const)('a variable without a default stays required: %s', async (_how, body, code) => {
    const expectMissing = async (more: object = {}) => {
      const response = await test.rest('POST', `/endpoints/${name}/run`, {
        body: { ...body, ...more },
      });
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ code });
    };
    await expectMissing();
    test.clock.advance(2 * hour);
    await expectMissing();
    await expectMissing({ refresh: 'direct' });
  });

  it('one with a default stays optional, and the table is read with the default', async () => {
    const query = {
      kind: 'SQLQuery',
      query: ofCountry,
      variables: { country: { value: 'de' } },
    };
    await save(test, `${name}d`, { query });
    const before = await run(test, `${name}d`);
    expect(before.results).toHaveLength(2);
    await patch(test, `${name}d`, { is_materialized: true });
    await sync(test);
    expect(await run(test, `${name}d`)).toMatchObject({
      results: before.results,
      served_from: 'materialized',
    });
    expect(await run(test, `${name}d`, { refresh: 'direct' })).toMatchObject({
      results: before.results,
      served_from: 'inline',
    });
  });

  it('an unknown one is refused before a missing one', async () => {
    const response = await test.rest('POST', `/endpoints/${name}/run`, {
      body: { variables: { town: 'x' } },
    });
    expect(response.body).toMatchObject({ code: 'unknown_variable' });
  });
});

describe('a table that cannot be read', () => {
  async function breakTable(): Promise<void> {
    const status = await test.backends.metadata.prisma.materializationStatus.findFirstOrThrow({
      where: { version: { endpoint: { name } } },
    });
    await test.sql(`DROP TABLE ${status.tableName} SYNC`);
  }

  it('makes the run inline once, with the reason, and is counted', async () => {
    await breakTable();
    expect(await force()).toMatchObject({
      served_from: 'inline',
      inline_reason: 'failed',
      endpoint_materialized: false,
      results: [expect.anything(), expect.anything()],
    });
    const metrics = await (
      await test.app.fetch(new Request('http://querydock.test/metrics'))
    ).text();
    expect(metrics).toContain(
      `querydock_materialized_fallbacks_total{project="${test.project.id}"} `,
    );
    test.clock.advance(1000);
    await ask(test, 'sync', { name });
    await sync(test);
    expect(await force()).toMatchObject({ served_from: 'materialized' });
  });

  it('changes nothing for a query that fails either way', async () => {
    await breakTable();
    await test.sql('RENAME TABLE sales TO elsewhere');
    const response = await test.rest('POST', `/endpoints/${name}/run`, {
      body: { ...de, refresh: 'force' },
    });
    await test.sql('RENAME TABLE elsewhere TO sales');
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'query_failed' });
    expect(response.text).not.toContain('_materialized_');
  });
});

describe('what is not materialized', () => {
  it('shows nothing about paths without debug', async () => {
    await save(test, `${name}p`, { query: byCountry });
    const body = await run(test, `${name}p`);
    expect(body).not.toHaveProperty('served_from');
    expect(body).toMatchObject({ endpoint_materialized: false, endpoint_materialized_at: null });
  });

  it('has no stored tables among those of the project', async () => {
    const names = (await test.app.core.engine.tables(test.project.id)).map((table) => table.name);
    expect(names).toEqual(['sales']);
    expect((await servedTables(test)).length).toBeGreaterThan(0);
  });
});
