import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { headers, url } from './connection.ts';
import { graphql } from './tada.ts';

export const client = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [cacheExchange, fetchExchange],
});

const Delays = graphql(`
  query Delays($origin: String!) {
    airportDelays(origin: $origin, run: { limit: 3 }) {
      rows { day flights late avgDelay }
      servedFrom
    }
  }
`);

export async function delaysOf(origin: string) {
  const { data, error } = await client.query(Delays, { origin });
  if (error !== undefined) throw error;
  return data?.airportDelays?.rows ?? [];
}
