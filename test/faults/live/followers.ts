/** Followers of one result by every way, who change between two processes all the time and whenever theirs ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { type EventReader, readEvents, type SeenEvent } from '../../support/events.ts';
import { applyChanges, type Changes } from '../../support/row-changes.ts';
import { Witness } from './contents.ts';
import type { Pair } from './pair.ts';

export interface Follower {
  readonly witness: Witness;
  close(): Promise<void>;
}

/** How the result of an endpoint is followed. */
interface Way {
  readonly path: (projectId: number, lastContentId: string | null) => string;
  /** The rows of an event, given those before it; null: it has none. */
  readonly rowsOf: (event: SeenEvent, before: Rows) => Rows | null;
}

type Rows = readonly unknown[][];

const graphDocument =
  'subscription ($lastContentId: ID) { ticks(run: {lastContentId: $lastContentId}) { rows { k v } run { contentId } } }';
const runDocument =
  'subscription ($lastContentId: ID) { runEndpoint(projectId: "@current", name: "ticks", lastContentId: $lastContentId) { results contentId } }';

const eventWays = {
  rest: {
    path: (id) => `/api/projects/${id}/endpoints/ticks/run`,
    rowsOf: ({ event, data }) => (event === 'result' ? resultsOf(data) : null),
  },
  'rest changes': {
    path: (id) => `/api/projects/${id}/endpoints/ticks/run?changes=true&key=k`,
    rowsOf: ({ event, data }, before) =>
      event === 'changes'
        ? applyChanges(before, data as Changes)
        : event === 'result'
          ? resultsOf(data)
          : null,
  },
  'data graph by events': {
    path: (id, lastContentId) =>
      `/api/projects/${id}/graphql?${new URLSearchParams({ query: graphDocument, variables: JSON.stringify({ lastContentId }) })}`,
    rowsOf: ({ event, data }) => (event === 'next' ? rowsOfResult(data) : null),
  },
} as const satisfies Readonly<Record<string, Way>>;

const stored: Way = {
  path: (id) => `/api/projects/${id}/endpoints/stored/run`,
  rowsOf: eventWays.rest.rowsOf,
};

const socketWays = {
  'graphql by socket': { path: () => '/graphql', query: runDocument },
  'data graph by socket': {
    path: (id: number) => `/api/projects/${id}/graphql`,
    query: graphDocument,
  },
} as const;

function resultsOf(data: unknown): Rows {
  return (data as { readonly results: Rows }).results;
}

interface GraphResult {
  readonly data?: {
    readonly ticks?: {
      readonly rows: readonly { readonly k: number; readonly v: number }[];
      readonly run: { readonly contentId: string };
    };
    readonly runEndpoint?: { readonly results: Rows; readonly contentId: string };
  } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

function rowsOfResult(result: unknown): Rows | null {
  const { data } = result as GraphResult;
  return data?.runEndpoint?.results ?? data?.ticks?.rows.map(({ k, v }) => [k, v]) ?? null;
}

function contentIdOf(result: unknown): string | null {
  const { data } = result as GraphResult;
  return data?.runEndpoint?.contentId ?? data?.ticks?.run.contentId ?? null;
}

function codesOf(result: unknown): readonly string[] {
  return ((result as GraphResult).errors ?? []).map(({ extensions }) => extensions.code);
}

/** As many of each way. Each moves on after a number of contents of its own. */
export function openFollowers(
  pair: Pair,
  { each, hasStored }: { readonly each: number; readonly hasStored: boolean },
): readonly Follower[] {
  const followers: Follower[] = [];
  for (let copy = 0; copy < each; copy += 1) {
    const ways = hasStored ? { ...eventWays, 'rest stored': stored } : eventWays;
    for (const [name, way] of Object.entries(ways))
      followers.push(followEvents(pair, way, itinerary(name, followers.length)));
    for (const [name, way] of Object.entries(socketWays))
      followers.push(followSocket(pair, way, itinerary(name, followers.length)));
  }
  return followers;
}

interface Itinerary {
  readonly name: string;
  /** The process that it begins with. */
  readonly first: number;
  /** Contents of a connection until it opens another. */
  readonly contents: number;
}

function itinerary(name: string, number: number): Itinerary {
  return { name: `${name} ${number}`, first: number % 2, contents: 3 + ((number * 5) % 13) };
}

/** While the process that it turns to does not listen. */
const pauseMs = 20;

function followEvents(pair: Pair, way: Way, { name, first, contents }: Itinerary): Follower {
  const witness = new Witness(name);
  let at = first;
  let isClosed = false;
  let lastId: string | null = null;
  let rows: Rows = [];
  let reader: EventReader | null = null;

  async function connect(): Promise<void> {
    let left = contents;
    const headers = {
      authorization: `Bearer ${pair.key}`,
      accept: 'text/event-stream',
      ...(lastId === null ? {} : { 'last-event-id': lastId }),
    };
    const take = (event: SeenEvent): void => {
      if (left === 0) return;
      lastId = event.id ?? (event.event === 'next' ? contentIdOf(event.data) : null) ?? lastId;
      const told = way.rowsOf(event, rows);
      for (const code of refusalsOf(event)) witness.refused(code);
      if (told === null) return;
      rows = told;
      witness.take(rows);
      left -= 1;
      if (left === 0) reader?.close();
    };
    witness.connected();
    reader = await readEvents(
      (signal) => fetch(pair.url(at) + way.path(pair.projectId, lastId), { headers, signal }),
      take,
    );
    if (isClosed || left === 0) reader.close();
    await reader.ended();
  }

  async function follow(): Promise<void> {
    while (!isClosed) {
      await connect().catch(async (error: Error) => {
        const [, status] = /^(\d{3}) /.exec(error.message) ?? [];
        if (status !== undefined) witness.refused(status);
        await delay(pauseMs);
      });
      at = 1 - at;
    }
  }

  const following = follow();
  return {
    witness,
    async close() {
      isClosed = true;
      reader?.close();
      await following;
    },
  };
}

function refusalsOf({ event, data }: SeenEvent): readonly string[] {
  if (event === 'error') return [(data as { readonly code: string }).code];
  return event === 'next' ? codesOf(data) : [];
}

function followSocket(
  pair: Pair,
  { path, query }: (typeof socketWays)[keyof typeof socketWays],
  { name, first, contents }: Itinerary,
): Follower {
  const witness = new Witness(name);
  let at = 1 - first;
  let left = contents;
  let lastContentId: string | null = null;
  let isClosed = false;
  const client = createClient({
    url() {
      at = 1 - at;
      return pair.url(at).replace('http:', 'ws:') + path(pair.projectId);
    },
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${pair.key}` },
    shouldRetry: () => !isClosed,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: () => delay(pauseMs),
    on: {
      connected() {
        witness.connected();
        left = contents;
      },
    },
  });
  const take = (result: unknown): void => {
    if (left === 0) return;
    for (const code of codesOf(result)) witness.refused(code);
    const rows = rowsOfResult(result);
    if (rows === null) return;
    witness.take(rows);
    lastContentId = contentIdOf(result) ?? lastContentId;
    left -= 1;
    if (left === 0) client.terminate();
  };
  /** The service completes a subscription that it refuses while it stops. */
  const subscribe = (): void => {
    const again = (): void => {
      if (!isClosed) setTimeout(subscribe, pauseMs);
    };
    // Read whenever the client subscribes, also when it does so again by itself.
    const variables = {
      get lastContentId() {
        return lastContentId;
      },
    };
    client.subscribe({ query, variables }, { next: take, error: again, complete: again });
  };
  subscribe();
  return {
    witness,
    async close() {
      isClosed = true;
      await client.dispose();
    },
  };
}
