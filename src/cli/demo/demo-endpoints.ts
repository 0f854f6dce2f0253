/** Realistic queries of a product on flight data. The data covers 2001-01-01 to 2001-06-30. */
import type { EndpointInput } from '../../endpoints/endpoint-input.ts';

export interface DemoEndpoint extends EndpointInput {
  readonly name: string;
}

const busiestRoutes: DemoEndpoint = {
  name: 'busiest_routes',
  isMaterialized: true,
  description: 'The hundred routes with the most flights, with their average delay in minutes.',
  cacheAgeSeconds: 3600,
  query: {
    kind: 'SQLQuery',
    query: `SELECT
  origin,
  destination,
  count() AS flights,
  max(distance) AS miles,
  round(avg(delay), 1) AS avg_delay
FROM flights
GROUP BY origin, destination
ORDER BY flights DESC, origin, destination
LIMIT 100`,
  },
};

const delaysByHour: DemoEndpoint = {
  name: 'delays_by_hour',
  description:
    'How late flights are by the hour of their departure: delays build up during the day.',
  cacheAgeSeconds: 3600,
  query: {
    kind: 'SQLQuery',
    query: `SELECT
  toHour(date) AS hour,
  count() AS flights,
  round(avg(delay), 1) AS avg_delay,
  round(100 * countIf(delay > 15) / count(), 1) AS late_percent
FROM flights
GROUP BY hour
ORDER BY hour`,
  },
};

const airportDelays: DemoEndpoint = {
  name: 'airport_delays',
  description: 'The departures of one airport day by day, and how many of them were late.',
  query: {
    kind: 'SQLQuery',
    query: `SELECT
  toDate(date) AS day,
  count() AS flights,
  countIf(delay >= {late_minutes:UInt16}) AS late,
  round(avg(delay), 1) AS avg_delay
FROM flights
WHERE origin = {origin:String}
GROUP BY day
ORDER BY day`,
    variables: {
      origin: { value: 'ORD', description: 'Airport of departure by its IATA code.' },
      late_minutes: { value: 15, description: 'From how many minutes on a flight counts as late.' },
    },
  },
};

const airport: DemoEndpoint = {
  name: 'airport',
  description: 'One airport by its IATA code: its name and where it is.',
  cacheAgeSeconds: 86_400,
  query: {
    kind: 'SQLQuery',
    query: `SELECT iata, name, city, state, country, latitude, longitude
FROM airports
WHERE iata = upper({code:String})`,
    variables: { code: { description: 'IATA code, such as SFO. Required.' } },
  },
};

const destinations: DemoEndpoint = {
  name: 'destinations',
  description: 'Where one can fly to from an airport, by name, the most frequent first.',
  query: {
    kind: 'SQLQuery',
    query: `SELECT
  routes.destination AS code,
  airports.name AS airport,
  airports.city AS city,
  airports.state AS state,
  routes.flights AS flights,
  routes.avg_delay AS avg_delay
FROM (
  SELECT destination, count() AS flights, round(avg(delay), 1) AS avg_delay
  FROM flights
  WHERE origin = {origin:String}
  GROUP BY destination
) AS routes
INNER JOIN airports ON airports.iata = routes.destination
ORDER BY flights DESC, code`,
    variables: {
      origin: { value: 'SFO', description: 'Airport of departure by its IATA code.' },
    },
  },
};

const flightsPerDay: DemoEndpoint = {
  name: 'flights_per_day',
  isMaterialized: true,
  description: 'Flights, delays and the worst delay of each day in a range of dates.',
  query: {
    kind: 'SQLQuery',
    query: `SELECT
  toDate(date) AS day,
  count() AS flights,
  round(avg(delay), 1) AS avg_delay,
  max(delay) AS worst_delay
FROM flights
WHERE toDate(date) >= {date_from:Date} AND toDate(date) <= {date_to:Date}
GROUP BY day
ORDER BY day`,
    variables: {
      date_from: { value: '2001-05-01', description: 'First day, 2001-01-01 at the earliest.' },
      date_to: { value: '2001-05-31', description: 'Last day, 2001-06-30 at the latest.' },
    },
  },
};

/** In the legacy spelling, with definitions by id, as existing clients send it. */
const longestFlights: DemoEndpoint = {
  name: 'longest_flights',
  description: 'The longest routes from an airport, from a distance in miles on.',
  query: {
    kind: 'HogQLQuery',
    query: `SELECT origin, destination, max(distance) AS miles, count() AS flights
FROM flights
WHERE origin = {variables.origin} AND distance >= {variables.min_miles}
GROUP BY origin, destination
ORDER BY miles DESC, destination
LIMIT 20`,
    variables: {
      '018f7c1e-8f3a-7c00-8000-000000000001': {
        code_name: 'origin',
        type: 'String',
        value: 'ANC',
        description: 'Airport of departure by its IATA code.',
      },
      '018f7c1e-8f3a-7c00-8000-000000000002': {
        code_name: 'min_miles',
        type: 'Number',
        value: 1000,
        description: 'Shortest distance in miles.',
      },
    },
  },
};

/** In creation order; lists show the newest first. */
export const demoEndpoints: readonly DemoEndpoint[] = [
  longestFlights,
  flightsPerDay,
  destinations,
  airport,
  airportDelays,
  delaysByHour,
  busiestRoutes,
];
