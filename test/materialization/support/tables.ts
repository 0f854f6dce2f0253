/** The tables that generated queries read: small, with every kind of value that comparisons treat oddly. */
import type { Laboratory } from './laboratory.ts';

const columns = `
  id UInt32, s String, ns Nullable(String), lc LowCardinality(String), lcn LowCardinality(Nullable(String)),
  i Int32, n Nullable(Int64), u UInt8, big UInt64, d Date, ts DateTime, t64 DateTime64(3), dec Decimal(18, 4),
  f Float64, fi Float64, b Bool, e Enum8('red' = 1, 'green' = 2, 'blue' = 3), arr Array(Int32)`;

/** Values by a hash of the row and the salt, so that the same seed gives the same rows. */
const rowsOf = (count: number, salt: number) =>
  `
SELECT
  number AS id,
  ['', 'a', 'A', 'b', 'ab', 'a%b', 'é', 'zz'][h(1, 8)] AS s,
  if(h(2, 4) = 1, NULL, ['', 'a', 'b', 'N'][h(3, 4)]) AS ns,
  ['x', 'y', 'z', ''][h(4, 4)] AS lc,
  if(h(5, 5) = 1, NULL, ['p', 'q', ''][h(6, 3)]) AS lcn,
  toInt32(h(7, 11)) - 6 AS i,
  if(h(8, 5) = 1, NULL, toInt64(h(9, 7)) - 4) AS n,
  h(10, 4) - 1 AS u,
  [0, 1, 9007199254740993, 9007199254740992, 18446744073709551615][h(11, 5)] AS big,
  toDate('2024-01-30') + h(12, 6) AS d,
  toDateTime('2024-01-31 23:59:58') + h(13, 5) AS ts,
  toDateTime64('2024-01-31 23:59:59.998', 3) + h(14, 5) / 1000 AS t64,
  toDecimal64([-1.5, 0, 0.0001, 2.25, 100][h(15, 5)], 4) AS dec,
  [0., -0., 1.5, nan, inf, -inf, 0.1][h(16, 7)] AS f,
  [0., 1., 2.5, -3., nan][h(17, 5)] AS fi,
  h(18, 2) = 1 AS b,
  CAST(h(19, 3) AS Enum8('red' = 1, 'green' = 2, 'blue' = 3)) AS e,
  arrayMap(x -> toInt32(x), range(h(20, 4) - 1)) AS arr
FROM numbers(${count})`.replaceAll(
    /h\((\d+), (\d+)\)/g,
    (_all, column, values) => `(cityHash64(number, ${column}, ${salt}) % ${values} + 1)`,
  );

/** Name → number of rows. */
export const tables = { none: 0, one: 1, few: 12, some: 90, many: 700 } as const;
export type TableName = keyof typeof tables;

/** @param seed another gives the same tables with other rows. */
export async function createTables(laboratory: Laboratory, seed = 0): Promise<void> {
  let salt = 1 + 100 * seed;
  for (const [name, count] of Object.entries(tables)) {
    await laboratory.admin(
      `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 64`,
    );
    // In two parts, so that the engine reads in parallel.
    await laboratory.admin(
      `INSERT INTO ${name} SELECT * FROM (${rowsOf(count, salt)}) WHERE id % 2 = 0`,
    );
    await laboratory.admin(
      `INSERT INTO ${name} SELECT * FROM (${rowsOf(count, salt)}) WHERE id % 2 = 1`,
    );
    salt += 1;
  }
  await laboratory.admin(
    'CREATE TABLE other (s String, w Int32, g String) ENGINE = MergeTree ORDER BY s',
  );
  await laboratory.admin(
    "INSERT INTO other VALUES ('a', 1, 'g1'), ('a', 2, 'g2'), ('b', 3, 'g1'), ('zz', 4, 'g3'), ('none', 5, 'g1')",
  );
}
