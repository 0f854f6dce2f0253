/** A page that shows an endpoint of the data graph and follows it. */
import { Client, type CombinedError, fetchExchange } from '@urql/core';
import type { ResultOf } from 'gql.tada';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { headers, url } from './connection.ts';
import { graphql } from './tada.ts';

const client = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers },
  // Results come as events over HTTP; no other package is needed.
  fetchSubscriptions: true,
  exchanges: [fetchExchange],
});

const Delays = graphql(`
  subscription LiveDelays($origin: String!) {
    airportDelays(origin: $origin, run: { limit: 10 }) {
      rows { day flights late avgDelay }
      lastRefresh
    }
  }
`);

interface Followed {
  readonly data?: ResultOf<typeof Delays> | undefined;
  readonly error?: CombinedError | undefined;
}

/** The newest result: the first one at once, then one after each change. */
function useDelays(origin: string): Followed {
  const [followed, setFollowed] = useState<Followed>({});
  useEffect(() => {
    const following = client.subscription(Delays, { origin }).subscribe(setFollowed);
    return () => following.unsubscribe();
  }, [origin]);
  return followed;
}

function DelaysTable({ origin }: { readonly origin: string }) {
  const { data, error } = useDelays(origin);
  if (error !== undefined) return <p role="alert">{error.message}</p>;
  const run = data?.airportDelays;
  if (!run) return <p>Loading …</p>;
  return (
    <table>
      <caption>
        Departures from {origin}, as of {new Date(run.lastRefresh).toLocaleTimeString()}
      </caption>
      <thead>
        <tr>
          <th>Day</th>
          <th>Flights</th>
          <th>Late</th>
          <th>Average delay</th>
        </tr>
      </thead>
      <tbody>
        {run.rows.map((row) => (
          <tr key={row.day}>
            <td>{row.day}</td>
            <td>{row.flights}</td>
            <td>{row.late}</td>
            <td>{row.avgDelay?.toFixed(1) ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const place = document.getElementById('delays');
if (place !== null) createRoot(place).render(<DelaysTable origin="SFO" />);
