/** Subscriptions by the clients that frontends use, with the settings of docs/live.md. */
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange, gql as urqlGql } from '@urql/core';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { HttpListener } from '../../src/server/node-server.ts';
import { addSale, openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  test = await openSalesApp({ port: 0, publicUrl: '' });
  listener = await test.app.start();
  await save(test, 'counted', { query: 'SELECT count() AS n FROM sales' });
});
afterAll(() => test.close());

const headers = () => ({ authorization: `Bearer ${test.project.readKey}` });
const text = 'subscription { runEndpoint(projectId: "@current", name: "counted") { results } }';

/** Two results, of which the second has a row more. */
async function expectChange(seen: readonly unknown[]): Promise<void> {
  await eventually('the first came', () => seen.length === 1);
  await addSale(test);
  await eventually('the second came', () => seen.length === 2);
  const [before, after] = seen as { runEndpoint: { results: number[][] } }[];
  const [[was = 0] = []] = before?.runEndpoint.results ?? [];
  expect(after?.runEndpoint.results).toEqual([[was + 1]]);
}

it('Apollo Client, over WebSocket', async () => {
  const socket = createWsClient({
    url: `ws://127.0.0.1:${listener.port}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: headers(),
  });
  const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });
  const seen: unknown[] = [];
  const subscription = client
    .subscribe({ query: gql(text) })
    .subscribe(({ data }) => seen.push(data));
  await expectChange(seen);
  subscription.unsubscribe();
  client.stop();
  await socket.dispose();
});

it('urql, over SSE', async () => {
  const url = `http://127.0.0.1:${listener.port}/graphql`;
  const events = createSseClient({ url, headers });
  const client = new Client({
    url,
    preferGetMethod: false,
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables = {} }) => ({
          subscribe: (sink) => ({
            unsubscribe: events.subscribe({ query, variables: { ...variables } }, sink as never),
          }),
        }),
      }),
    ],
  });
  const seen: unknown[] = [];
  const subscription = client
    .subscription(urqlGql(text), {})
    .subscribe(({ data }) => seen.push(data));
  await expectChange(seen);
  subscription.unsubscribe();
  events.dispose();
});

it('urql, by its own fetch', async () => {
  const client = new Client({
    url: `http://127.0.0.1:${listener.port}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: headers() },
    fetchSubscriptions: true,
    exchanges: [fetchExchange],
  });
  const seen: unknown[] = [];
  const subscription = client
    .subscription(urqlGql(text), {})
    .subscribe(({ data }) => seen.push(data));
  await expectChange(seen);
  subscription.unsubscribe();
});
