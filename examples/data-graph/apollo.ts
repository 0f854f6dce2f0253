import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { headers, url } from './connection.ts';
import { graphql } from './gql/gql.ts';

export const client = new ApolloClient({
  link: new HttpLink({ uri: url, headers }),
  // Rows have no identity: a column named id is a column.
  cache: new InMemoryCache({ dataIdFromObject: () => false }),
});

const Late = graphql(`
  query Late($origin: String!, $minutes: Int!) {
    airportDelays(origin: $origin, lateMinutes: $minutes, run: { limit: 3 }) {
      rows { day flights late avgDelay }
      lastRefresh
    }
  }
`);

export async function delaysOf(origin: string) {
  const { data } = await client.query({ query: Late, variables: { origin, minutes: 30 } });
  return data?.airportDelays?.rows ?? [];
}
