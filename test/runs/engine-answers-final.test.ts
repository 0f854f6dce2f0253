/** FINAL of a SummingMergeTree, of which the engine leaves out rows by the columns that are read: right here, or refused with what to write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  const tables: readonly (readonly [name: string, columns: string, engine: string])[] = [
    ['every', 'a Int32, `b c` UInt32', 'SummingMergeTree'],
    ['named', 'a Int32, `b c` UInt32, seen UInt32', 'SummingMergeTree((a, `b c`))'],
    ['one', 'a Int32, `b c` UInt32', 'SummingMergeTree(a)'],
    ['latest', 'a Int32, `b c` UInt32', 'ReplacingMergeTree'],
  ];
  for (const [name, columns, engine] of tables) {
    await test.sql(
      `CREATE TABLE ${name} (k UInt8, day Date, ${columns}, note String) ENGINE = ${engine} PARTITION BY day ORDER BY k`,
    );
    await test.sql(`SYSTEM STOP MERGES ${name}`);
    for (const values of [
      "1, '2026-01-01', 2, 1",
      "1, '2026-01-01', -2, 1",
      "2, '2026-01-01', 5, 0",
    ])
      await test.sql(`INSERT INTO ${name} (k, day, a, \`b c\`) VALUES (${values})`);
  }
  const database = `project_${test.project.id}`;
  await test.sql(
    'CREATE MATERIALIZED VIEW viewed ENGINE = SummingMergeTree ORDER BY k AS SELECT k, a, `b c` FROM latest',
  );
  await test.sql(
    `CREATE MATERIALIZED VIEW sent TO ${database}.every AS SELECT k, day, a FROM latest`,
  );
});
afterAll(() => test.close());

async function answer(query: string) {
  return (await test.rest('POST', '/query', { body: { query } })).body;
}

describe('FINAL of a SummingMergeTree', () => {
  it.each([
    ['SELECT k, a FROM every FINAL', 'FINAL at line 1, column 24 of every, a SummingMergeTree,'],
    ['SELECT k, a FROM every FINAL', 'read b c as well, or write sum(a) … FROM every GROUP BY'],
    ['SELECT count() FROM every FINAL', 'read a, b c as well'],
    ['SELECT k FROM every AS e FINAL WHERE a = 0', 'read b c as well'],
    ['SELECT k FROM (SELECT * FROM every FINAL)', 'read a, b c as well'],
    ['SELECT e.k FROM one AS o JOIN every AS e FINAL ON e.a = o.k', 'read b c as well'],
    ['SELECT k, a FROM named FINAL', 'read b c as well'],
    ['SELECT k, a FROM viewed FINAL', 'read b c as well'],
    ['SELECT k, a FROM sent FINAL', 'read b c as well'],
    ['SELECT (SELECT max(k) FROM every FINAL WHERE a = 0) AS most', 'read b c as well'],
  ])('is refused where not all of them are read: %s', async (query, detail) => {
    expect(await answer(query)).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining(detail),
    });
  });

  it.each([
    ['SELECT k, a, `b c` FROM every FINAL ORDER BY k', [1, 0, 2], [2, 5, 0]],
    ['SELECT k, a FROM every FINAL WHERE a + `b c` > 1 ORDER BY k', [1, 0], [2, 5]],
    ['SELECT k FROM named FINAL WHERE a = 0 AND `b c` > 0', [1]],
    ['SELECT k, `b c` FROM one FINAL WHERE a > 0 ORDER BY k', [2, 0]],
    ['SELECT k, sum(a) AS s FROM every GROUP BY k ORDER BY k', [1, 0], [2, 5]],
    ['SELECT k, a FROM latest FINAL ORDER BY k', [1, -2], [2, 5]],
  ])('is right where they are: %s', async (query, ...results) => {
    expect(await answer(query)).toMatchObject({ results });
  });
});
