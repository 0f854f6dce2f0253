/** The engine compiles aggregates that run often; the compiled ones have to give what the others give. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql('CREATE TABLE times (k String, t DateTime64(3)) ENGINE = MergeTree ORDER BY k');
  await test.sql(`INSERT INTO times SELECT toString(number % 8), ${times} FROM numbers(800)`);
});
afterAll(() => test.close());

const day = (text: string) => `toDateTime64('${text} 00:00:00', 3)`;
const times = `if(number < 400, ${day('2299-12-31')}, ${day('1950-01-01')})`;

it('are the same at every run, also for times before 1970', async () => {
  const query = `SELECT k FROM times GROUP BY k HAVING max(t) >= ${day('2024-01-01')} AND min(t) < ${day('1960-01-01')}`;
  for (let run = 0; run < 8; run += 1) {
    const body = { query, client_query_id: `run-${run}` };
    const { results } = (await test.rest('POST', '/query', { body })).body;
    expect(results).toHaveLength(8);
  }
});
