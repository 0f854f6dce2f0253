import { GraphQLClient } from 'graphql-request';
import { headers, url } from './connection.ts';
import { graphql } from './gql/gql.ts';

export const client = new GraphQLClient(url, { headers });

const Delays = graphql(`
  query Delays($origin: String!, $limit: Int) {
    airportDelays(origin: $origin, run: { limit: $limit }) {
      rows { day flights late avgDelay }
      hasMore
    }
  }
`);

export async function delaysOf(origin: string) {
  const { airportDelays } = await client.request(Delays, { origin, limit: 3 });
  return airportDelays?.rows ?? [];
}
