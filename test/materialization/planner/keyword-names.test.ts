/** Columns whose names are keywords, in quotes: exact, or refused. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';

let laboratory: Laboratory;
const words = ['from', 'order', 'group', 'limit', 'by', 'in', 'AND', 'select', 'Union'];

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE transfers (`from` String, to String, `order` Int32, `limit` Nullable(Int32), amount Decimal(18, 2), at DateTime) ENGINE = MergeTree ORDER BY (`from`, at)',
  );
  await laboratory.admin(
    "INSERT INTO transfers SELECT concat('a', toString(number % 7)), concat('a', toString(number % 5)), number % 3 - 1, if(number % 4 = 0, NULL, number % 6), number / 8, toDateTime('2026-01-01 00:00:00') + number * 3600 FROM numbers(500)",
  );
});
afterAll(() => laboratory?.close());

const conditions = [
  '`from` = {a:String}',
  '"from" IN {many:Array(String)} AND `order` >= {n:Int32}',
  'transfers.`from` = {a:String} OR `limit` > {n:Int32}',
  '({o:Nullable(Int32)} IS NULL OR `limit` = {o:Nullable(Int32)})',
  '`from` LIKE {a:String} AND at >= {day:Date} AND NOT (`order` = {n:Int32})',
];

const queries: readonly ((where: string) => string)[] = [
  (where) =>
    `SELECT \`from\`, "order", at FROM transfers WHERE ${where} ORDER BY \`from\`, at LIMIT 20`,
  (where) =>
    `SELECT \`from\` AS \`select\`, count() AS n, sum(amount) AS \`group\` FROM transfers WHERE ${where} GROUP BY \`from\` HAVING \`group\` > 1 ORDER BY \`group\` DESC, \`select\` LIMIT 5`,
  (where) =>
    `SELECT t.\`order\`, sum(t.amount) AS total FROM transfers AS t JOIN (SELECT \`from\`, max(\`order\`) AS \`by\` FROM transfers GROUP BY \`from\`) AS \`union\` ON t.\`from\` = \`union\`.\`from\` WHERE ${where.replace('transfers.', 't.').replace(/(?<![.\w])(`(?:from|order|limit)`|"from")/g, 't.$1')} GROUP BY t.\`order\` ORDER BY 1`,
  (where) =>
    `WITH \`limit_of\` AS (SELECT \`from\`, \`limit\` AS \`offset\` FROM transfers WHERE ${where}) SELECT \`from\`, max(\`offset\`) AS m FROM \`limit_of\` GROUP BY ALL ORDER BY ALL`,
  (where) =>
    `SELECT * FROM (SELECT 1 AS \`fetch\`, count() AS n, max(\`limit\`) AS \`or\` FROM transfers WHERE ${where} UNION ALL SELECT 2, uniqExact(\`from\`), sum(\`limit\`) FROM transfers WHERE ${where}) ORDER BY \`fetch\``,
  (where) =>
    `SELECT \`from\`, row_number() OVER (PARTITION BY \`from\` ORDER BY \`order\`, at) AS \`with\` FROM transfers WHERE ${where} ORDER BY \`from\`, at`,
  (where) => `SELECT * EXCEPT (\`limit\`, "from") FROM transfers WHERE ${where} ORDER BY at`,
  (where) => `SELECT count(\`limit\`), sum(\`order\`) FROM transfers WHERE ${where}`,
];

const values = [
  { a: 'a1', many: ['a1', 'a2'], n: 0, o: 2, day: '2026-01-05' },
  { a: 'a%', many: [], n: -5, o: null, day: '2025-01-01' },
  { a: '', many: ['a0', 'x'], n: 1, o: 7, day: '2026-01-21' },
];

/** Planned, and the stored rows the same as inline for each of the values. */
async function expectSame(sql: string, used: readonly Values[]): Promise<void> {
  const planned = await laboratory.plan({ sql });
  if (planned.kind === 'refusal') throw new Error(planned.reason);
  const { plan } = planned;
  const table = await laboratory.store(plan);
  for (const given of used) {
    const inline = await laboratory.run({ sql }, given);
    expect(inline[0]).not.toMatch(/^error/);
    expect(await laboratory.read({ plan, table }, { sql }, given)).toEqual(inline);
  }
}

describe.each(queries.map((query) => query('…')))('%s', (shape) => {
  it.each(conditions)('%s', async (where) => {
    const sql = shape.replaceAll('…', where);
    const used = values.map((given) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => where.includes(`{${name}:`))),
    );
    await expectSame(sql, used);
  });
});

it.each(words)('a column %s', async (word) => {
  const table = `of_${word}`;
  await laboratory.admin(
    `CREATE TABLE ${table} (\`${word}\` Int32, v Int32) ENGINE = MergeTree ORDER BY v`,
  );
  await laboratory.admin(`INSERT INTO ${table} SELECT number % 5, number FROM numbers(50)`);
  const sql = `SELECT \`${word}\`, sum(v) AS total FROM ${table} WHERE \`${word}\` >= {n:Int32} GROUP BY \`${word}\` ORDER BY \`${word}\``;
  await expectSame(sql, [{ n: 2 }]);
  // With the names and the types.
  expect(await laboratory.run({ sql }, { n: 2 })).toHaveLength(5);
});

it('keeps names and texts that look like those of the formatting', async () => {
  const sql =
    "SELECT `from` AS `from·0`, '`from·1` ·2' AS `order·`, max(`order`) AS `order` FROM transfers WHERE `from` >= {a:String} GROUP BY `from` ORDER BY `from`";
  await expectSame(sql, [{ a: 'a3' }, { a: '' }]);
});

it('tells how to write such a name without quotes', async () => {
  const sql = 'SELECT t.order FROM transfers AS t WHERE t.`from` = {a:String}';
  expect(await laboratory.plan({ sql })).toMatchObject({
    reason: expect.stringContaining('write it in quotes, as `order`'),
  });
});
