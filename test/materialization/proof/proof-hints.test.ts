/** What a refusal says to write where a stored table gives other rows. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProving, type Proving, refused } from '../support/proving.ts';

let proving: Proving;
beforeAll(async () => {
  proving = await openProving();
  await proving.test.sql(
    'CREATE TABLE flows (id UInt32, account String, amount Float64) ENGINE = MergeTree ORDER BY id',
  );
  await proving.test.sql(
    "INSERT INTO flows SELECT number, concat('a', toString(number % 5)), number / 7 - 3 FROM numbers(50)",
  );
});
afterAll(() => proving.test.close());

const sums = (sum: string) =>
  `SELECT account, ${sum} AS total FROM flows GROUP BY account HAVING total > 0`;
const missing = (query: string) => ({ stored: `SELECT * FROM (${query}) WHERE account != 'a4'` });

it('names rounding where floating point numbers are added up', async () => {
  const query = sums('sum(amount)');
  expect(await proving.prove(query, missing(query))).toMatchObject(
    refused(/than the stored table\. If only digits .* as in HAVING round\(sum\(x\), 6\) > 0/),
  );
});

it('and not where others are', async () => {
  const query = sums('sum(id)');
  expect(await proving.prove(query, missing(query))).toMatchObject(
    refused(/than the stored table\.$/),
  );
});
