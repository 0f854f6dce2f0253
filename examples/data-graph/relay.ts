import { Environment, fetchQuery, graphql, Network, RecordSource, Store } from 'relay-runtime';
import type { relayDelaysQuery } from './__generated__/relayDelaysQuery.graphql.ts';
import { headers, url } from './connection.ts';

export const environment = new Environment({
  network: Network.create(async ({ text }, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  }),
  store: new Store(new RecordSource()),
  // Rows have no identity: a column named id is a column.
  getDataID: () => null,
});

const Delays = graphql`
  query relayDelaysQuery($origin: String!) {
    airportDelays(origin: $origin, run: { limit: 3 }) {
      rows { day flights late avgDelay }
    }
  }
`;

export async function delaysOf(origin: string) {
  const data = await fetchQuery<relayDelaysQuery>(environment, Delays, { origin }).toPromise();
  return data?.airportDelays?.rows ?? [];
}
