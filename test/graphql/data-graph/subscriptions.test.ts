/** Typed results that are followed, by the released clients of both protocols. */
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpListener } from '../../../src/server/node-server.ts';
import { addSale, change, openSalesApp, save } from '../../rest/support/sales.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestApp } from '../../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  test = await openSalesApp({ port: 0, publicUrl: '' });
  listener = await test.app.start();
});
afterAll(async () => {
  for (const { dispose } of clients) dispose();
  await test.close();
});

interface Client {
  subscribe(
    payload: { query: string; variables?: Record<string, unknown> },
    sink: { next(value: unknown): void; error(error: unknown): void; complete(): void },
  ): () => void;
  dispose(): void;
}

const address = () => `127.0.0.1:${listener.port}/api/projects/@current/graphql`;
const headers = () => ({ authorization: `Bearer ${test.project.readKey}` });

const transports = {
  'over SSE, distinct connections': () =>
    createSseClient({ url: `http://${address()}`, headers: headers() }),
  'over SSE, single connection': () =>
    createSseClient({ url: `http://${address()}`, headers: headers(), singleConnection: true }),
  'over WebSocket': () =>
    createWsClient({
      url: `ws://${address()}`,
      webSocketImpl: WebSocket,
      connectionParams: headers(),
    }),
} as const;
const clients: Client[] = [];

function follow(
  via: keyof typeof transports,
  query: string,
  variables: Record<string, unknown> = {},
) {
  const client = transports[via]() as unknown as Client;
  clients.push(client);
  const following = { results: [] as unknown[], isOver: false };
  const end = () => {
    following.isOver = true;
  };
  client.subscribe(
    { query, variables },
    { next: (value) => following.results.push(value), error: end, complete: end },
  );
  return following;
}

const rowsOf = (result: unknown) =>
  (result as { data: { counted: { rows: readonly unknown[] } } }).data.counted.rows;

describe.each(Object.keys(transports) as (keyof typeof transports)[])('a field %s', (via) => {
  it('sends the selected rows, and again when they differ', async () => {
    const name = `of_${via.replace(/\W+/g, '_')}`;
    await save(test, name, {
      query:
        'SELECT country, count() AS sales_made FROM sales WHERE country = {country:String} GROUP BY country',
    });
    const { body } = await test.rest('GET', `/endpoints/${name}`);
    const query = `subscription Counted($country: String!) { counted: ${String(body.graphql_name)}(country: $country) { rows { salesMade country } hasMore run { version } } }`;
    await addSale(test);
    const following = follow(via, query, { country: 'ch' });
    await eventually('the first came', () => following.results.length === 1);
    const [{ salesMade }] = rowsOf(following.results[0]) as [{ salesMade: number }];
    expect(following.results[0]).toEqual({
      data: {
        counted: { rows: [{ salesMade, country: 'ch' }], hasMore: false, run: { version: 1 } },
      },
    });
    await addSale(test);
    await eventually('the second came', () => following.results.length === 2);
    expect(rowsOf(following.results[1])).toEqual([{ salesMade: salesMade + 1, country: 'ch' }]);
  });

  it('sends nothing to a subscriber who has the content, until it is another', async () => {
    const name = `kept_${via.replace(/\W+/g, '_')}`;
    await save(test, name, { query: 'SELECT count() AS n FROM sales' });
    const { body } = await test.rest('GET', `/endpoints/${name}`);
    const query = `subscription Counted($lastContentId: ID) { counted: ${String(body.graphql_name)}(run: { lastContentId: $lastContentId }) { rows { n } run { contentId } } }`;
    const contentIdOf = (result: unknown) =>
      (result as { data: { counted: { run: { contentId: string } } } }).data.counted.run.contentId;
    const first = follow(via, query);
    await eventually('the first came', () => first.results.length === 1);
    const again = follow(via, query, { lastContentId: contentIdOf(first.results[0]) });
    const other = follow(via, query, { lastContentId: 'of another content' });
    await eventually('the one that has another came', () => other.results.length === 1);
    expect(other.results).toEqual(first.results);
    await addSale(test);
    for (const { results } of [first, other])
      await eventually('the second came', () => results.length === 2);
    await eventually('it came again', () => again.results.length === 1);
    expect(again.results).toEqual([first.results[1]]);
    const { body: run } = await test.rest('POST', `/endpoints/${name}/run`, { body: {} });
    expect(rowsOf(again.results[0])).toEqual([{ n: (run.results as number[][])[0]?.[0] }]);
  });
});

describe('a followed field', () => {
  const via = 'over WebSocket';

  it('says nothing when only what is not selected changes', async () => {
    await save(test, 'narrow', { query: "SELECT 'one' AS word, count() AS n FROM sales" });
    const narrow = follow(via, 'subscription { counted: narrow { rows { word } } }');
    const wide = follow(via, 'subscription { counted: narrow { rows { word n } } }');
    await eventually('both came', () => narrow.results.length + wide.results.length === 2);
    await addSale(test);
    await eventually('the wide one came', () => wide.results.length === 2);
    expect(narrow.results).toHaveLength(1);
  });

  it('goes on with a new version that has what is selected, and ends with one that has not', async () => {
    await save(test, 'moving', { query: 'SELECT 1 AS a, 2 AS b' });
    const following = follow(via, 'subscription { counted: moving { rows { b } } }');
    await eventually('the first came', () => following.results.length === 1);
    await change(test, 'moving', { query: 'SELECT 3 AS b, 4 AS c' });
    await eventually('the second came', () => following.results.length === 2);
    expect(rowsOf(following.results[1])).toEqual([{ b: 3 }]);
    await change(test, 'moving', { query: 'SELECT 4 AS c' });
    await eventually('it has ended', () => following.isOver);
    expect(following.results[2]).toMatchObject({
      errors: [{ path: ['counted'], extensions: { code: 'shape_changed', attr: 'rows.b' } }],
    });
  });

  it('is told of a later failure with its path and by the names of the graph', async () => {
    await save(test, 'later', { query: 'SELECT {late_minutes:UInt8} AS n' });
    const document = 'subscription { counted: later(lateMinutes: 200) { rows { n } } }';
    const followings = Object.keys(transports).map((way) =>
      follow(way as keyof typeof transports, document),
    );
    for (const { results } of followings)
      await eventually('the first came', () => results.length === 1);
    await change(test, 'later', { query: 'SELECT {late_minutes:Int8} AS n' });
    for (const following of followings) {
      await eventually('it has ended', () => following.isOver);
      expect(following.results.at(-1)).toMatchObject({
        errors: [
          {
            path: ['counted'],
            locations: [{ line: 1, column: 16 }],
            extensions: { code: 'invalid_input', attr: 'lateMinutes' },
          },
        ],
      });
    }
  });

  it('takes whole numbers beyond 2^53 in the document and in variables', async () => {
    const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
    await save(test, 'whole', { query: 'SELECT {n:Decimal(38, 0)} AS n' });
    const written = follow(
      via,
      'subscription { counted: whole(n: 9007199254740993) { rows { n } hasMore } }',
    );
    const given = follow(
      via,
      'subscription ($n: Decimal!) { counted: whole(n: $n) { rows { n } } }',
      { n: rawJSON('9007199254740995') },
    );
    await eventually('both came', () => written.results.length + given.results.length === 2);
    expect(written.results[0]).toMatchObject({
      data: { counted: { rows: [{ n: '9007199254740993' }] } },
    });
    expect(given.results[0]).toEqual({ data: { counted: { rows: [{ n: '9007199254740995' }] } } });
  });

  it('tells the code and the argument of a variable that is refused', async () => {
    await save(test, 'coded', { query: 'SELECT {n:UInt8} AS n' });
    const following = follow(via, 'subscription ($n: Int!) { coded(n: $n) { hasMore } }', {
      n: 'x',
    });
    await eventually('it was refused', () => following.results.length > 0);
    expect(following.results[0]).toMatchObject({
      errors: [{ extensions: { code: 'invalid_input', attr: 'n' } }],
    });
  });

  it('is refused as a query is, and with more than one field', async () => {
    await save(test, 'refusing', { query: 'SELECT {n:UInt8} AS n' });
    const refused = async (query: string, expected: object) => {
      const following = follow(via, query);
      await eventually(
        'it was refused',
        () => following.results.length + Number(following.isOver) > 0,
      );
      return expect(following.results[0]).toMatchObject({ errors: [expected] });
    };
    await refused('subscription { refusing { rows { n } } }', {
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
    await refused('subscription { refusing(n: 1) { rows { missing } } }', {
      locations: [{ line: 1, column: 40 }],
    });
    await refused('subscription { refusing(n: 1, run: { intervalSeconds: 0 }) { hasMore } }', {
      extensions: { code: 'invalid_input', attr: 'run.intervalSeconds' },
    });
    await refused('subscription { a: refusing(n: 1) { hasMore } b: refusing(n: 2) { hasMore } }', {
      message: 'Anonymous Subscription must select only one top level field.',
    });
  });
});
