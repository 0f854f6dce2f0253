/** The answer to an update tells what it breaks for callers of the data graph. */
import { buildSchema, findBreakingChanges } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { change, openSalesApp, retrieve, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sold', { query: 'SELECT country, amount FROM sales LIMIT {n:UInt8}' });
});
afterAll(() => test.close());

const next = 'SELECT toString(amount) AS amount FROM sales WHERE day = {day:Date} LIMIT {n:UInt8}';
const broken = [
  { kind: 'field_removed', place: 'sold.rows.country', message: 'sold.rows.country was removed.' },
  {
    kind: 'field_type_changed',
    place: 'sold.rows.amount',
    message: 'The type of sold.rows.amount changed from BigInt! to String!.',
  },
  { kind: 'argument_required', place: 'sold(day:)', message: 'sold(day:) is now required.' },
];

it('as a dry run, which leaves everything as it is', async () => {
  const before = await retrieve(test, 'sold');
  const tried = await change(test, 'sold', { query: next, dry_run: true });
  expect(tried).toMatchObject({ dry_run: true, current_version: 2, graph_changes: broken });
  const named = await change(test, 'sold', { ...before, query: next, version: 1, dry_run: true });
  expect(named).toMatchObject({ version: 2, graph_changes: broken });
  expect(await retrieve(test, 'sold')).toEqual(before);
  const harmless = await change(test, 'sold', { description: 'x', dry_run: true });
  expect(harmless.graph_changes).toEqual([]);
});

it('in GraphQL, where nothing else has it', async () => {
  const { body } = await test.graphql(
    `mutation ($next: JSON!) {
      updateEndpoint(projectId: "@current", name: "sold", input: {query: $next, dryRun: true}) {
        graphChanges { kind place message }
      }
    }`,
    { next },
  );
  expect(body.data).toEqual({ updateEndpoint: { graphChanges: broken } });
  const read = await test.graphql(
    '{ endpoint(projectId: "@current", name: "sold") { graphChanges { kind } } }',
  );
  expect(read.body.data).toEqual({ endpoint: { graphChanges: null } });
});

it('when it is done, and such an answer can be sent back', async () => {
  const renamed = await change(test, 'sold', { graphql_name: 'sales', description: 'All.' });
  expect(renamed.graph_changes).toEqual([
    { kind: 'field_renamed', place: 'sold', message: 'sold was renamed to sales.' },
  ]);
  const again = await change(test, 'sold', { ...renamed, description: 'Some.' });
  expect(again).not.toHaveProperty('graph_changes');
  expect(again).toMatchObject({ graphql_name: 'sales', description: 'Some.' });
  const version = await change(test, 'sold', { ...again, query: next, version: 1 });
  expect(version).toMatchObject({ version: 2 });
  expect(version.graph_changes).toEqual(
    broken.map(({ kind, place, message }) => ({
      kind,
      place: place.replace('sold', 'sales'),
      message: message.replaceAll('sold', 'sales'),
    })),
  );
  expect(await retrieve(test, 'sold')).not.toHaveProperty('graph_changes');
});

it('exactly when graphql-js finds a breaking change between the schemas before and after', async () => {
  const queries = [
    'SELECT country, amount FROM sales',
    'SELECT country, amount, day FROM sales',
    'SELECT day, country, toInt32(amount) AS amount FROM sales',
    'SELECT day, country, toInt16(amount) AS amount FROM sales WHERE amount > {least:UInt8}',
    'SELECT day, country FROM sales WHERE amount > {least:Nullable(UInt8)}',
    'SELECT (country AS name, amount AS n)::Tuple(name String, n UInt64) AS pair FROM sales',
    'SELECT [(country, amount)]::Array(Tuple(name String, m UInt64)) AS pair FROM sales',
    'SELECT map(country, amount) AS pair FROM sales',
    "SELECT 1 AS one FROM sales WHERE country = CAST({c:Enum8('US' = 1, 'DE' = 2)} AS String)",
    "SELECT 1 AS one FROM sales WHERE country = CAST({c:Enum8('US' = 1)} AS String)",
    "SELECT 1 AS one FROM sales WHERE country = CAST({c:Enum8('US' = 1, 'FR' = 3)} AS String)",
    'SELECT 1 AS one FROM sales',
  ];
  const schema = async () =>
    buildSchema((await test.rest('GET', '/graphql/schema.graphql?fields=watched')).text);
  await save(test, 'watched', { query: queries[0] });
  const seen: boolean[] = [];
  for (const query of queries.slice(1)) {
    const before = await schema();
    const { graph_changes: told = [] } = await change(test, 'watched', { query });
    const found = findBreakingChanges(before, await schema());
    expect([query, (told as readonly unknown[]).length > 0]).toEqual([query, found.length > 0]);
    seen.push(found.length > 0);
  }
  expect(new Set(seen).size).toBe(2);
});
