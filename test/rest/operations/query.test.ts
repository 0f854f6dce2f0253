import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { openSalesApp } from '../support/sales.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

describe('try', () => {
  it('x', async () => {
    const p = async (m: string, path: string, body?: unknown) => {
      const r = await test.rest(m, path, body === undefined ? {} : { body });
      console.log(m, path, JSON.stringify(body), r.status, JSON.stringify([...r.headers]), r.text);
    };
    await p('POST', '/query/', {
      query: {
        kind: 'HogQLQuery',
        query: 'SELECT country, amount FROM sales WHERE amount > {variables.x} ORDER BY amount',
        variables: { a: { code_name: 'x', type: 'Number', value: 1 } },
      },
    });
    await p('POST', '/query', {
      query: 'SELECT 1 + {a:UInt64} AS b',
      variables: { a: 9007199254740993 },
      debug: true,
    });
    await p('POST', '/query', { query: 'SELEC 1' });
    await p('POST', '/query', { query: 'SELECT nope FROM sales' });
    await p('POST', '/query', { query: 'SELECT {a:UInt8}' });
    await p('POST', '/query', { query: 'SELECT country FROM sales', format: 'csv' });
    for (const query of [
      'SELECT country, sum(amount) AS total FROM sales WHERE day = {day:Date} GROUP BY country',
      'SELECT (SELECT max(amount) FROM sales) AS m',
      'SELECT * FROM sales WHERE country IN (SELECT country FROM sales WHERE amount > 1)',
      'SELECT count() FROM sales',
      'WITH a AS (SELECT day d FROM sales) SELECT d FROM a',
      'SELECT number FROM numbers(10)',
    ])
      await p('POST', '/query', { query, dry_run: true });
    await p('GET', '/tables');
    await p('GET', '/tables/sales');
    await p('GET', '/tables/sale');
    await p('GET', '/tables/sales?rows=0');
    expect(1).toBe(1);
  });
});
