/** What one connection may do, and for how long. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxPipelined } from '../../src/server/connections.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp } from '../support/test-app.ts';
import { exchangeBytes, type OpenConnection, openConnection } from './support/exchange.ts';
import { openIdleConnections } from './support/idle.ts';
import { openTestWorld, type TestWorld } from './support/test-world.ts';
import { rest } from './support/world.ts';

let all: TestWorld;

/** The shortest times there are. */
const times = {
  headersTimeoutSeconds: 1,
  requestTimeoutSeconds: 2,
  sendTimeoutSeconds: 1,
  keepAliveSeconds: 1,
};

beforeAll(async () => {
  all = await openTestWorld({ ...times, maxRows: 5_000_000 });
  for (const body of [
    { name: 'endless', query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(1000000000000)' },
    {
      name: 'long',
      query: "SELECT repeat('x', 1000) AS t FROM numbers(60000)",
      cache_age_seconds: 0,
    },
  ]) {
    const made = await rest(all.world, { method: 'POST', path: '/endpoints', body });
    expect(made.status).toBe(201);
  }
});
afterAll(() => all.test.close());

const head = (line: string, more: readonly string[] = []) =>
  [
    `${line} HTTP/1.1`,
    'Host: querydock.test',
    `Authorization: Bearer ${all.world.own.writeKey}`,
    ...more,
    '',
    '',
  ].join('\r\n');

const at = (path: string) => `/api/projects/${all.world.own.projectId}/endpoints${path}`;

const codes = ({ answers }: OpenConnection) =>
  answers().map(({ status, body }) => [
    status,
    (JSON.parse(body.toString()) as { code: string }).code,
  ]);

/** How many queries of the project the engine runs. */
async function atTheEngine(): Promise<number> {
  const user = `project_${all.world.own.projectId}_reader`;
  const text = await all.test.sql(
    `SELECT count() FROM system.processes WHERE user = '${user}' FORMAT TSV`,
  );
  return Number(text);
}

const nobodyRuns = async () =>
  all.test.app.core.flights.size() === 0 && (await atTheEngine()) === 0;

describe('a request that does not come', () => {
  it.each([
    ['nothing at all', ''],
    ['half of the headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: '],
    [
      'half of the body',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
    [
      'half of a chunk',
      'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    ],
  ])('is given up: %s', async (_what, bytes) => {
    const connection = await openConnection(all.world.port);
    connection.socket.write(bytes);
    await connection.closed;
    expect(codes(connection)).toEqual([[408, 'request_timeout']]);
  });

  it('is given up however often a byte of it comes', async () => {
    const connection = await openConnection(all.world.port);
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    await eventually('it is closed', () => {
      if (!connection.isClosed()) connection.socket.write('X: y\r\n');
      return connection.isClosed();
    });
    expect(codes(connection)).toEqual([[408, 'request_timeout']]);
  });

  it('closes a connection that has had its response and sends nothing more', async () => {
    const connection = await openConnection(all.world.port);
    connection.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await connection.closed;
    expect(connection.answers().map(({ status }) => status)).toEqual([200]);
  });

  it('costs others nothing meanwhile', async () => {
    const slow = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const connection = await openConnection(all.world.port);
        connection.socket.write('POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Le');
        return connection;
      }),
    );
    const run = await rest(all.world, { method: 'GET', path: '/endpoints/plain/run' });
    expect(run.body.results).toEqual([[1]]);
    await Promise.all(slow.map(({ closed }) => closed));
    expect(slow.flatMap(codes)).toEqual(slow.map(() => [408, 'request_timeout']));
  });
});

describe('a body in many small pieces', () => {
  it('is read as it was sent', async () => {
    const body = JSON.stringify({ variables: {}, client_query_id: 'é'.repeat(20) });
    const bytes = [...Buffer.from(body)].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    const connection = await openConnection(all.world.port);
    const more = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.socket.write(head(`POST ${at('/plain/run')}`, more));
    connection.socket.write(Buffer.concat([...bytes, Buffer.from('0\r\n\r\n')]));
    await eventually('it is answered', async () => connection.answers().length === 1);
    expect(connection.answers()[0]?.status).toBe(200);
    connection.socket.end();
  });
});

describe('requests one behind the other', () => {
  it('get their responses in order, and each sees what the one before it did', async () => {
    const make = '{"name":"fuzz_piped","query":"SELECT 1 AS one"}';
    const lines = [
      head(`POST ${at('')}`, ['Content-Type: application/json', `Content-Length: ${make.length}`]) +
        make,
      head(`GET ${at('/fuzz_piped')}`),
      head(`GET ${at('/fuzz_piped/run')}`),
      head(`DELETE ${at('/fuzz_piped')}`),
      head(`GET ${at('/fuzz_piped')}`),
    ];
    const responses = await exchangeBytes(all.world.port, Buffer.from(lines.join('')), {
      responseCount: 5,
    });
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 204, 404]);
  });

  it('are begun one at a time, and not without end', async () => {
    const connection = await openConnection(all.world.port);
    const many = Array.from({ length: maxPipelined * 20 }, (_, n) =>
      head(`GET ${at(`/endless/run?client_query_id=p${n}`)}`),
    );
    connection.socket.write(many.join(''));
    await eventually('the first runs', async () => (await atTheEngine()) === 1);
    expect(all.test.app.core.flights.size()).toBe(1);
    expect(connection.answers()).toEqual([]);
    connection.socket.destroy();
    await eventually('nobody runs', nobodyRuns);
  });

  it('past what a connection may send ahead end it, after those before them', async () => {
    const connection = await openConnection(all.world.port);
    const line = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    connection.socket.write(line.repeat(maxPipelined * 5));
    await connection.closed;
    const responses = connection.answers();
    expect(responses.length).toBe(maxPipelined + 2);
    expect(responses.slice(0, -1).every(({ status }) => status === 200)).toBe(true);
    expect(responses.at(-1)?.body.toString()).toContain('malformed_request');
  });
});

describe('a caller that goes away', () => {
  const stages: readonly (readonly [string, () => string])[] = [
    ['before it said anything', () => ''],
    ['within the headers', () => head(`GET ${at('/endless/run')}`).slice(0, 40)],
    [
      'within the body',
      () =>
        `${head(`POST ${at('/endless/run')}`, ['Content-Type: application/json', 'Content-Length: 50'])}{`,
    ],
    ['as soon as it has asked', () => head(`GET ${at('/endless/run')}`)],
    ['with many answers to come', () => head(`GET ${at('/plain/run')}`).repeat(50)],
  ];

  it.each(stages)('leaves nothing behind: %s', async (_when, bytes) => {
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const connection = await openConnection(all.world.port);
      connection.socket.write(bytes());
      connection.socket[leave]();
      await eventually('nobody runs', nobodyRuns);
    }
  });

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'while the engine works stops it: %s',
    async (leave) => {
      const connection = await openConnection(all.world.port);
      connection.socket.write(head(`GET ${at('/endless/run')}`));
      await eventually('the query runs', async () => (await atTheEngine()) === 1);
      connection.socket[leave]();
      await eventually('nobody runs', nobodyRuns);
    },
  );

  it.each([
    ['CONNECT', 'CONNECT querydock.test:443 HTTP/1.1\r\nHost: querydock.test\r\n\r\n'],
    [
      'an upgrade',
      `GET /graphql HTTP/1.1\r\nHost: querydock.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
    ],
  ])('ends nothing else with %s behind a request that works', async (_what, bytes) => {
    const connection = await openConnection(all.world.port);
    connection.socket.write(head(`GET ${at('/endless/run')}`) + bytes);
    await eventually('the query runs', async () => (await atTheEngine()) === 1);
    connection.socket.resetAndDestroy();
    await eventually('nobody runs', nobodyRuns);
    const other = await openConnection(all.world.port);
    other.socket.write(head('GET /healthz'));
    await eventually('it is alive', async () => other.answers().length === 1);
    expect(other.answers()[0]?.status).toBe(200);
    other.socket.end();
  });

  it('while a query of GraphQL works stops it', async () => {
    const query = '{"query":"{runEndpoint(projectId:\\"@current\\",name:\\"endless\\"){results}}"}';
    const connection = await openConnection(all.world.port);
    connection.socket.write(
      head('POST /graphql', ['Content-Type: application/json', `Content-Length: ${query.length}`]) +
        query,
    );
    await eventually('the query runs', async () => (await atTheEngine()) === 1);
    connection.socket.resetAndDestroy();
    await eventually('nobody runs', nobodyRuns);
  });

  it('or does not read a long response is disconnected', async () => {
    const connection = await openConnection(all.world.port);
    connection.socket.pause();
    connection.socket.write(head(`GET ${at('/long/run')}`));
    await eventually('it is under way', async () => (await connectionsOf()) === 1);
    await eventually('it is closed', async () => (await connectionsOf()) === 0);
    connection.socket.resume();
    await connection.closed;
    expect(connection.answers()).toEqual([]);
  });
});

/** Connections of callers that the service has, as it tells in its metrics. */
async function connectionsOf(): Promise<number> {
  const page = await all.test.app.fetch(new Request('http://querydock.test/metrics'));
  return Number(/^querydock_connections (\d+)$/m.exec(await page.text())?.[1]);
}

describe('connections past the most that may be', () => {
  it('are closed as they come, and those before them served', async () => {
    const small = await openTestApp({ port: 0, publicUrl: '', maxConnections: 20 });
    const { port } = await small.app.start();
    const idle = await openIdleConnections(port, 20);
    const over = await Promise.all([1, 2, 3, 4, 5].map(() => openConnection(port)));
    await Promise.all(over.map(({ closed }) => closed));
    expect(over.flatMap((connection) => connection.answers())).toEqual([]);
    expect(idle.open()).toBe(20);
    const [first] = idle.sockets;
    first?.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('the first is answered', () => (first?.bytesRead ?? 0) > 0);
    idle.close();
    await eventually('there is room again', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`);
      return response.status === 200;
    });
    await small.close();
  });
});
