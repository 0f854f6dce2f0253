/** GraphiQL's initial tabs in the demo; each can be run unchanged. */
import type { GraphiQLExample, GraphiQLExamples } from '../../server/graphiql-page.ts';

const runWithVariables: GraphiQLExample = {
  query: `# Runs a saved endpoint: press the play button.
# Run it again, and isCached turns true.
# The same by REST is at /api/docs.
query AirportDelays(
  $origin: JSON
  $late_minutes: JSON
) {
  runEndpoint(
    projectId: "@current"
    name: "airport_delays"
    input: {
      variables: {
        origin: $origin
        late_minutes: $late_minutes
      }
      limit: 10
    }
  ) {
    columns
    results
    hasMore
    isCached
  }
}
`,
  variables: '{\n  "origin": "SFO",\n  "late_minutes": 30\n}',
};

const listEndpoints: GraphiQLExample = {
  query: `# The endpoints of the project, newest first,
# with the variables and columns of each.
query Endpoints {
  endpoints(projectId: "@current", first: 10) {
    totalCount
    edges {
      node {
        name
        description
        currentVersion
        url
        variables {
          name type required default description
        }
        columns { name type }
      }
    }
  }
}
`,
};

const typedRange: GraphiQLExample = {
  query: `# Two runs in one request: a range of dates, and
# a JOIN with the airports' names.
query InMay {
  perDay: runEndpoint(
    projectId: "@current"
    name: "flights_per_day"
    input: {
      variables: {
        date_from: "2001-05-01"
        date_to: "2001-05-07"
      }
    }
  ) {
    types
    results
    lastRefresh
  }
  fromBoston: runEndpoint(
    projectId: "@current"
    name: "destinations"
    input: {
      variables: { origin: "BOS" }
      limit: 5
    }
  ) {
    columns
    results
    hasMore
  }
}
`,
};

const queryStatus: GraphiQLExample = {
  query: `# What a run costs, how the newest execution of
# an endpoint stands, when endpoints ran last.
query Status {
  runEndpoint(
    projectId: "@current"
    name: "busiest_routes"
    input: {
      limit: 3
      refresh: force
      debug: true
    }
  ) {
    results
    executionId
    timings { name seconds }
    queryProgress {
      rowsRead
      bytesRead
      timeElapsed
    }
  }
  endpoint(
    projectId: "@current"
    name: "airport_delays"
  ) {
    latestExecution {
      id
      complete
      error
      startTime
      endTime
      resultRows
      servedFrom
    }
  }
  lastExecutionTimes(
    projectId: "@current"
    names: ["airport_delays", "busiest_routes"]
  ) {
    name
    executedAt
  }
}
`,
};

const createEndpoint: GraphiQLExample = {
  query: `# Saves a query as an endpoint. Then its name is
# taken: another time, give it another one.
mutation CreateEndpoint(
  $input: CreateEndpointInput!
) {
  createEndpoint(
    projectId: "@current"
    input: $input
  ) {
    name
    url
    currentVersion
    variables { name type default }
    columns { name type }
  }
}
`,
  variables: JSON.stringify(
    {
      input: {
        name: 'arrivals_by_state',
        description: 'Flights that arrived in a state, by airport.',
        query: {
          kind: 'SQLQuery',
          query:
            'SELECT destination, count() AS flights FROM flights WHERE destination IN (SELECT iata FROM airports WHERE state = {state:String}) GROUP BY destination ORDER BY flights DESC',
          variables: { state: { value: 'CA', description: 'State by its two letters.' } },
        },
      },
    },
    null,
    2,
  ),
};

const openApi: GraphiQLExample = {
  query: `# The OpenAPI 3.0 document of one endpoint, for
# client generators, and its versions.
query OpenApi {
  endpoint(
    projectId: "@current"
    name: "airport"
  ) {
    openapi
    versions(first: 5) {
      edges {
        node {
          version
          isActive
          versionCreatedAt
          query
        }
      }
    }
  }
}
`,
};

const typedRun: GraphiQLExample = {
  query: `# Each endpoint of the project is a field: its
# variables are arguments, its rows are typed.
# Run it twice, and isCached turns true.
query AirportDelays(
  $origin: String! = "SFO"
) {
  airportDelays(
    origin: $origin
    lateMinutes: 30
    run: { limit: 10 }
  ) {
    rows {
      day
      flights
      late
      avgDelay
    }
    hasMore
    isCached
    servedFrom
  }
}
`,
};

const typedPage: GraphiQLExample = {
  query: `# Two endpoints in one request: the worst days
# of May, and a page of the busiest routes.
query InMay {
  flightsPerDay(
    dateFrom: "2001-05-01"
    dateTo: "2001-05-31"
    orderBy: [{ desc: avgDelay }]
    run: { limit: 5 }
  ) {
    rows { day flights avgDelay worstDelay }
  }
  busiestRoutes(
    orderBy: [{ desc: miles }]
    run: { limit: 5, cursor: "" }
  ) {
    rows { origin destination miles }
    servedFrom
    run { version nextCursor }
  }
}
`,
};

export const graphiqlExamples: GraphiQLExamples = {
  service: [runWithVariables, listEndpoints, typedRange, queryStatus, createEndpoint, openApi],
  project: [typedRun, typedPage],
};
