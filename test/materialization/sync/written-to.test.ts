/** Tables that are written to before every statement of a sync that reads rows: it neither fails nor mixes rows of two moments. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HeldEngine, openHeldEngine } from '../../support/held-engine.ts';
import type { TestApp } from '../../support/test-app.ts';
import { handPlanner, wrongPlan } from '../support/hand-plans.ts';
import {
  ask,
  type Body,
  expectNoOrphans,
  ofCountry,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';
import { proved, refused } from '../support/proving.ts';

let held: HeldEngine;
let test: TestApp;
/** Each insert adds one batch of ten rows to `events` and one row to `users`. */
let batch = 0;
let count = 0;

beforeAll(async () => {
  held = await openHeldEngine();
  test = await openMaterializedApp({}, { clickhouseUrl: held.clickhouseUrl });
});
afterAll(async () => {
  await test.close();
  await held.close();
});
beforeEach(async () => {
  held.before(null);
  await test.backends.metadata.prisma.endpoint.deleteMany();
  batch = 0;
  for (const table of ['by_batch', 'events', 'users', 'recent', 'notes', 'few']) {
    await test.sql(`DROP TABLE IF EXISTS ${table}`);
  }
  await createEvents();
  await test.sql(
    'CREATE TABLE users (batch UInt32, plan String) ENGINE = ReplacingMergeTree ORDER BY batch SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1',
  );
  await test.sql('CREATE TABLE recent (batch UInt32, n UInt32) ENGINE = Memory');
  await test.sql(
    "CREATE TABLE notes (batch UInt32, kind Enum('a' = 1), text String ALIAS concat(toString(kind), toString(batch))) ENGINE = MergeTree ORDER BY batch SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1",
  );
  await test.sql('CREATE VIEW by_batch AS SELECT batch, count() AS n FROM events GROUP BY batch');
  await test.sql(
    'CREATE TABLE few ENGINE = MergeTree ORDER BY batch AS SELECT toUInt32(number) AS batch FROM numbers(1000)',
  );
  for (let at = 0; at < 4; at += 1) await insert();
});

const createEvents = () =>
  test.sql(
    'CREATE TABLE events (batch UInt32, n UInt32, v Int32, at DateTime DEFAULT now(), PROJECTION p (SELECT batch, sum(v) GROUP BY batch)) ENGINE = MergeTree PARTITION BY batch % 3 ORDER BY (batch, n)',
  );

const inserts: readonly ((batch: number) => string)[] = [
  (n) => `INSERT INTO events (batch, n, v) SELECT ${n}, number, number FROM numbers(10)`,
  (n) => `INSERT INTO recent SELECT ${n}, number FROM numbers(10)`,
  (n) => `INSERT INTO users VALUES (${n % 5}, 'plan ${n}')`,
  (n) => `INSERT INTO notes (batch, kind) VALUES (${n}, 'a')`,
];

/** Into the tables that the query names. */
async function insert(query = 'events by_batch recent users notes'): Promise<void> {
  batch += 1;
  for (const statement of inserts) {
    const table = /INTO (\w+)/.exec(statement(batch))?.[1] ?? '';
    const isRead = query.includes(table) || (table === 'events' && query.includes('by_batch'));
    if (isRead) await test.sql(statement(batch));
  }
}

/** One sync of a new endpoint while something is written before each of its statements. */
async function syncWhile(
  write: (statement: string) => Promise<unknown>,
  body: Body,
): Promise<{ readonly name: string; readonly outcomes: readonly string[] }> {
  count += 1;
  const name = `w${count}`;
  await save(test, name, { ...body, is_materialized: true });
  const failures: unknown[] = [];
  held.before(async (statement) => {
    if (/^(?:EXPLAIN|DESCRIBE)|tokenizeQuery|formatQuery/.test(statement)) return;
    await write(statement).catch((error: unknown) => failures.push(error));
  });
  const outcomes = await sync(test).finally(() => held.before(null));
  expect(failures).toEqual([]);
  return { name, outcomes };
}

async function rowsOf(name: string, variables: Body = {}): Promise<readonly unknown[][]> {
  const response = await run(test, name, { refresh: 'force', variables });
  expect(response).toMatchObject({ served_from: 'materialized' });
  return response.results as readonly unknown[][];
}

describe('an insert before every statement', () => {
  const perBatch = 'SELECT batch, count() AS n FROM events GROUP BY batch ORDER BY batch';
  it.each([
    perBatch,
    'SELECT b.batch, b.n FROM by_batch AS b ORDER BY b.batch',
    'SELECT batch, count() AS n FROM recent GROUP BY batch ORDER BY batch',
    'WITH events AS (SELECT batch FROM events) SELECT batch, count() AS n FROM events GROUP BY batch ORDER BY batch',
    'SELECT events.batch, count() AS n FROM events, (SELECT 1 AS one) AS o WHERE batch IN (SELECT batch FROM events) GROUP BY events.batch ORDER BY 1',
    'SELECT batch, count() AS n FROM events WHERE batch IN (few) GROUP BY batch ORDER BY batch',
    'SELECT e.batch AS batch, count() AS n FROM events AS e JOIN events AS o ON e.batch = o.batch AND e.n = [o.n, 0][1], recent AS r WHERE r.batch = e.batch AND r.n = e.n GROUP BY batch ORDER BY batch',
    'SELECT batch, count() AS n FROM events WHERE batch <= (SELECT max(batch) FROM events) GROUP BY batch ORDER BY batch',
  ])('%s', async (query) => {
    const { name, outcomes } = await syncWhile(() => insert(query), { query });
    expect(await statusOf(test, name)).toMatchObject(proved);
    expect(outcomes).toEqual(['completed']);
    const rows = await rowsOf(name);
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.length).toBeLessThan(batch);
    expect(rows).toEqual(rows.map((_row, at) => [at + 1, 10]));
    await expectNoOrphans(test);
  });

  it('of a query with a variable', async () => {
    const query = 'SELECT n, v FROM events WHERE batch = {batch:UInt32} ORDER BY n';
    const { name, outcomes } = await syncWhile(() => insert(query), { query });
    expect(outcomes).toEqual(['completed']);
    expect(await statusOf(test, name)).toMatchObject(proved);
    expect(await rowsOf(name, { batch: 3 })).toHaveLength(10);
  });
});

describe('everything else that changes rows', () => {
  const changes: readonly (() => Promise<unknown>)[] = [
    insert,
    () => test.sql('OPTIMIZE TABLE events FINAL'),
    () => test.sql('ALTER TABLE events UPDATE v = v + 1 WHERE n > 3'),
    () => test.sql(`ALTER TABLE events DELETE WHERE n = 1 AND batch = ${batch}`),
    insert,
    () => test.sql(`ALTER TABLE events DROP PARTITION ${batch % 3}`),
    () => test.sql(`UPDATE notes SET kind = 'a' WHERE batch > 2`),
    () => test.sql('ALTER TABLE events MODIFY TTL at - INTERVAL 1 DAY DELETE WHERE n = 9'),
    () => test.sql('OPTIMIZE TABLE users FINAL'),
    () => test.sql('DELETE FROM users WHERE batch = 4'),
    () => test.sql('ALTER TABLE events REMOVE TTL'),
    insert,
  ];
  it.each([
    'SELECT batch, n, v FROM events ORDER BY batch, n',
    'SELECT batch, plan FROM users FINAL ORDER BY batch',
    'SELECT batch, text FROM notes WHERE batch >= {from:UInt32} ORDER BY batch',
    'SELECT n, uniqExact(events.batch) AS b FROM events JOIN users ON users.batch = events.batch % 5 WHERE n >= {from:UInt32} GROUP BY n ORDER BY n',
  ])('%s', async (query) => {
    let step = 0;
    const { name, outcomes } = await syncWhile(
      async () => {
        step += 1;
        await changes[step % changes.length]?.();
      },
      { query },
    );
    expect(await statusOf(test, name)).toMatchObject(proved);
    expect(outcomes).toEqual(['completed']);
    expect(step).toBeGreaterThan(changes.length);
    const variables = query.includes('{') ? { from: 0 } : {};
    const again = await syncAgain(name);
    expect(again).toEqual(['completed']);
    const stored = await rowsOf(name, variables);
    await test.rest('PATCH', `/endpoints/${name}`, { body: { is_materialized: false } });
    const inline = await run(test, name, { refresh: 'force', variables });
    expect(stored.length).toBeGreaterThan(0);
    expect(inline.results).toEqual(stored);
    await expectNoOrphans(test);
  });
});

async function syncAgain(name: string): Promise<readonly string[]> {
  test.clock.advance(1000);
  await ask(test, 'sync', { name });
  return sync(test);
}

describe('a source that cannot be held still', () => {
  /** A table of this engine has a meaning of its own in a JOIN, so it is not copied. */
  const query =
    'SELECT e.batch, k.name FROM events AS e ANY LEFT JOIN kinds AS k USING (n) ORDER BY e.batch, e.n';
  const fill = () => test.sql(`INSERT INTO kinds SELECT number, 'kind ${batch}' FROM numbers(10)`);

  beforeEach(async () => {
    await test.sql('DROP TABLE IF EXISTS kinds');
    await test.sql(
      'CREATE TABLE kinds (n UInt32, name String) ENGINE = Join(ANY, LEFT, n) SETTINGS join_any_take_last_row = 1',
    );
    await fill();
  });

  it('fails its sync and is tried again, and is never refused', async () => {
    const { name, outcomes } = await syncWhile(
      async () => {
        await insert('');
        await fill();
      },
      { query },
    );
    expect(outcomes).toEqual(['failed']);
    const failed = await statusOf(test, name);
    expect(failed).toMatchObject({ status: 'Failed', can_materialize: true });
    expect(failed.error).toMatch(/may have changed meanwhile, so the sync is tried again/);
    test.clock.advance(40_000);
    expect(await sync(test)).toContain('completed');
    expect(await statusOf(test, name)).toMatchObject(proved);
    await expectNoOrphans(test);
  });
});

describe('a plan that is wrong', () => {
  it('is refused for good, whatever is written meanwhile', async () => {
    const planner = handPlanner();
    planner.set({ kind: 'plan', plan: wrongPlan });
    const options = { clickhouseUrl: held.clickhouseUrl };
    const wrong = await openMaterializedApp({ planMaterialization: planner.plan }, options);
    await save(wrong, 'wrong', { query: ofCountry, is_materialized: true });
    held.before((statement) =>
      / AS SELECT |sipHash/.test(statement)
        ? wrong.sql("INSERT INTO sales VALUES ('de', 9, '2026-01-01')")
        : Promise.resolve(),
    );
    expect(await sync(wrong)).toEqual(['failed']);
    held.before(null);
    expect(await statusOf(wrong, 'wrong')).toMatchObject(
      refused(/for \{"country":"de"\}: inline has .* where the stored table gives|one more row/),
    );
    await expectNoOrphans(wrong);
    await wrong.close();
  });
});

describe('a table that is not there for a while', () => {
  const query = 'SELECT batch, count() AS n FROM events GROUP BY batch ORDER BY batch';

  it('fails the sync, which is tried again', async () => {
    await save(test, 'missing', { query, is_materialized: true });
    await test.sql('RENAME TABLE events TO elsewhere');
    expect(await sync(test)).toEqual(['failed']);
    expect(await statusOf(test, 'missing')).toMatchObject({ can_materialize: true });
    await test.sql('RENAME TABLE elsewhere TO events');
    test.clock.advance(40_000);
    expect(await sync(test)).toEqual(['completed']);
    await expectNoOrphans(test);
  });

  it('is of no matter once its rows are copied, nor is another table of its name', async () => {
    let writes = 0;
    const { outcomes, name } = await syncWhile(
      async (statement) => {
        // The first statement that reads the copies.
        if (writes === 0 && !statement.includes(' SELECT * FROM (\n')) return;
        writes += 1;
        await test.sql('DROP TABLE events SYNC');
        await createEvents();
        const tables = await test.app.core.engine.tables(test.project.id);
        expect(tables.filter(({ name: table }) => table.startsWith('_'))).toEqual([]);
      },
      { query },
    );
    expect(outcomes).toEqual(['completed']);
    expect(writes).toBeGreaterThan(1);
    expect(await rowsOf(name)).toEqual([1, 2, 3, 4].map((one) => [one, 10]));
    await expectNoOrphans(test);
  });
});
