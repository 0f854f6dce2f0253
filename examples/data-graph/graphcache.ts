import { Client, fetchExchange } from '@urql/core';
import { cacheExchange, type KeyingConfig } from '@urql/exchange-graphcache';
import { headers, url } from './connection.ts';
import { graphql } from './tada.ts';

// Rows have no identity, of whatever type they are: a column named id is a column.
const keys = new Proxy<KeyingConfig>({}, { get: () => () => null });

export const client = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [cacheExchange({ keys }), fetchExchange],
});

const Delays = graphql(`
  query Delays($origin: String!) {
    airportDelays(origin: $origin, run: { limit: 3 }) {
      rows { day flights late avgDelay }
    }
  }
`);

export async function delaysOf(origin: string) {
  const { data, error } = await client.query(Delays, { origin });
  if (error !== undefined) throw error;
  return data?.airportDelays?.rows ?? [];
}
