/**
 * What each client of examples/data-graph is held to: the types of its rows, and rows of every kind through its own cache. A
 * line under `@ts-expect-error` does not compile unless the line is an error.
 */

export const clients = ['graphql-request', 'apollo', 'urql', 'graphcache', 'relay'] as const;
export type ClientName = (typeof clients)[number];

const checksOfDelays = `
interface Delay {
  readonly day: string;
  readonly flights: number;
  readonly late: number;
  readonly avgDelay?: number | null | undefined;
}
const delays = await delaysOf('SFO');
const typed: readonly Delay[] = delays;
const [first] = delays;
if (first === undefined) throw new Error('no rows');
export const sum: number = first.flights + first.late;
export const day: string = first.day;
// @ts-expect-error a number is no text
export const wrongType: string = first.flights;
// @ts-expect-error it may be null
export const notNull: number = first.avgDelay;
// @ts-expect-error no column has this name
void first.flight;
// @ts-expect-error an origin is a text
void (() => delaysOf(7));
`;

const products = (name: string): string => `
  query ${name}($country: String!, $codes: [String!] = [], $order: TopProductsRun_order = asc, $refresh: RefreshMode) {
    topProducts(country: $country, codes: $codes, order: $order, run: { refresh: $refresh }) {
      rows {
        id name price units extra codes sorted soldAt note
        place { city at { lat lon } }
        parts { amount code }
      }
      isCached
      run { version executionId }
    }
  }
`;

/** \`ask\`: gives the rows of the document for a country, from the client's cache where it can. */
const checksOfProducts = `
const asked = [await ask('at'), await ask('de'), await ask('at')];
const [product] = asked.flat();
if (product === undefined) throw new Error('no product');
export const id: string = product.id;
export const price: string = product.price;
export const units: string = product.units;
export const city: string = product.place.city;
export const lat: number | null | undefined = product.place.at.lat;
export const amounts: number[] = product.parts.map(({ amount }) => amount);
export const codes: readonly string[] = product.codes;
export const soldAt: string = product.soldAt;
export const note: string | null | undefined = product.note;
// @ts-expect-error a decimal is a text
export const wrongPrice: number = product.price;
// @ts-expect-error a member of a tuple is no member of its row
void product.lat;
// @ts-expect-error nobody knows what is in a map
void product.extra.k;
export const result = { delays: typed, asked };
`;

/** Of the built-in field. */
const usageOfProject = `
const Used = graphql(\`query Used($groupBy: String) {
  _usage(step: "all", groupBy: $groupBy, endpoint: "airport_delays") { rows { at endpoint runs meanMs } }
}\`);
export const usage = (await client.request(Used, { groupBy: 'endpoint' }))._usage?.rows ?? [];
const [line] = usage;
if (line === undefined) throw new Error('no usage');
export const runs: number = line.runs;
// @ts-expect-error without runs there is none
export const meanMs: number = line.meanMs;
`;

const wrongArguments = (call: (variables: string) => string): string => `
void (() => {
  // @ts-expect-error a required argument is missing
  ${call("{ order: 'asc' }")};
  // @ts-expect-error no member of the enum
  ${call("{ country: 'at', order: 'up' }")};
  // @ts-expect-error a list of other values
  ${call("{ country: 'at', codes: [1] }")};
  ${call("{ country: 'at', order: 'desc', codes: ['a'], refresh: 'force' }")};
});
`;
const variables = "{ country, codes: ['a', 'b'], order: 'desc' }";

const bodies: Readonly<Record<ClientName, string>> = {
  'graphql-request': `
import { graphql } from './gql/gql.ts';
import { client, delaysOf } from './graphql-request.ts';
const Products = graphql(\`${products('Request')}\`);
const ask = async (country: string) =>
  (await client.request(Products, ${variables})).topProducts?.rows ?? [];
${wrongArguments((given) => `void client.request(Products, ${given})`)}`,
  apollo: `
import { client, delaysOf } from './apollo.ts';
import { graphql } from './gql/gql.ts';
const Products = graphql(\`${products('Apollo')}\`);
const ask = async (country: string) =>
  (await client.query({ query: Products, variables: ${variables} })).data?.topProducts?.rows ?? [];
${wrongArguments((given) => `void client.query({ query: Products, variables: ${given} })`)}`,
  urql: `
import { graphql } from './tada.ts';
import { client, delaysOf } from './urql.ts';
const Products = graphql(\`${products('Urql')}\`);
const ask = async (country: string) =>
  (await client.query(Products, ${variables})).data?.topProducts?.rows ?? [];
${wrongArguments((given) => `void client.query(Products, ${given})`)}`,
  graphcache: `
import { client, delaysOf } from './graphcache.ts';
import { graphql } from './tada.ts';
const Products = graphql(\`${products('Graphcache')}\`);
const ask = async (country: string) =>
  (await client.query(Products, ${variables})).data?.topProducts?.rows ?? [];
${wrongArguments((given) => `void client.query(Products, ${given})`)}`,
  relay: `
import { fetchQuery, graphql } from 'relay-runtime';
import type { relayProductsQuery } from './__generated__/relayProductsQuery.graphql.ts';
import { delaysOf, environment } from './relay.ts';
const Products = graphql\`${products('relayProductsQuery')}\`;
const query = (variables: relayProductsQuery['variables']) =>
  fetchQuery<relayProductsQuery>(environment, Products, variables, { fetchPolicy: 'store-or-network' }).toPromise();
const ask = async (country: string) => (await query(${variables}))?.topProducts?.rows ?? [];
${wrongArguments((given) => `void query(${given})`)}`,
};

/** A program that exports its \`result\`: what it got of both endpoints. */
export function programOf(client: ClientName): string {
  const more = client === 'graphql-request' ? usageOfProject : '';
  return bodies[client] + checksOfDelays + checksOfProducts + more;
}

/** Its file: Relay wants the names of documents to begin with that of their module. */
export function fileOf(client: ClientName): string {
  return client === 'relay' ? 'relayProducts.ts' : `use-${client}.ts`;
}
