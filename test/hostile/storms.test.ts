/** What the service holds in memory after storms of requests. It is a process of its own, so that the memory is its own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { families } from './families/all.ts';
import { exchangeBytes, openConnection } from './support/exchange.ts';
import { tryFamily } from './support/family.ts';
import { openIdleConnections } from './support/idle.ts';
import { idleProblems, memoryProblems } from './support/memory.ts';
import { valueEndpoints } from './support/saved-endpoints.ts';
import { type ServiceProcess, startServiceProcess } from './support/service-process.ts';
import { bearer, bystanders, json, rest, sweep } from './support/world.ts';

/** The whole number by `node test/hostile/idle-connections.ts 10000`. */
const idleConnections = 2000;

let service: ServiceProcess;

beforeAll(async () => {
  const env = {
    CACHE_BYTES: '16777216',
    // A slot for each of the callers at once, as a project holds three quarters, and a long queue for one that is not free
    // yet: nobody is refused because the machine is slow.
    MAX_ENGINE_QUERIES: '12',
    QUEUE_SECONDS: '300',
    // None of the idle connections is closed before the last of them is open, however slow the machine is.
    HEADERS_TIMEOUT_SECONDS: '300',
    KEEP_ALIVE_SECONDS: '300',
    REQUEST_TIMEOUT_SECONDS: '300',
    MAX_BODY_BYTES: '33000000',
    SEND_TIMEOUT_SECONDS: '2',
  };
  service = await startServiceProcess(env, valueEndpoints);
});
afterAll(() => service.stop());

/** Does the storm and looks at what it has left. */
async function survive(storm: () => Promise<void>): Promise<void> {
  const { world } = service;
  const seen = await bystanders(world);
  const before = await service.memory();
  await storm();
  await eventually('nothing runs', async () => (await service.memory()).flights === 0);
  const after = await service.memory();
  expect(memoryProblems(before, after)).toEqual([]);
  expect(await bystanders(world)).toEqual(seen);
  expect(service.faults()).toEqual([]);
  expect(service.isAlive()).toBe(true);
}

/** So many at a time. */
async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: 8 }, async () => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  });
  await Promise.all(workers);
}

function post(target: string, text: string) {
  const headers = [bearer(service.world.own.writeKey), json];
  return service.world.ask({ method: 'POST', target, headers, body: Buffer.from(text) });
}

describe('memory is bounded after', () => {
  it('documents that are long and never the same', () =>
    survive(async () => {
      await each(150, (n) =>
        post('/graphql', JSON.stringify({ query: `{ __typename } #${n}${'x'.repeat(900_000)}` })),
      );
    }));

  it('documents that are long and wrong', () =>
    survive(async () => {
      await each(110, (n) =>
        post('/graphql', JSON.stringify({ query: `{ a${n}${'x'.repeat(900_000)} } }` })),
      );
    }));

  it('documents that are short and wrong', () =>
    survive(async () => {
      await each(3000, (n) => post('/graphql', JSON.stringify({ query: `{ a${n} { b } }` })));
    }));

  it('queries that are long and refused', () =>
    survive(async () => {
      const path = `/api/projects/${service.world.own.projectId}/endpoints`;
      await each(60, (n) =>
        post(
          path,
          JSON.stringify({ name: `fuzz${n}`, query: `SELECT '${'x'.repeat(250_000)}' AS` }),
        ),
      );
    }));

  it('values that are large and cached', () =>
    survive(async () => {
      const path = `/api/projects/${service.world.own.projectId}/endpoints/typed_0/run`;
      await each(80, async (n) => {
        const response = await post(path, `{"variables":{"v":"${n}${'x'.repeat(400_000)}"}}`);
        expect(response.status).toBe(200);
      });
    }));

  // For long, and with the memory printed: node test/hostile/long-fuzz.ts SECONDS.
  it('hostile input of every family', () =>
    survive(async () => {
      for (const { family, overSockets } of families) {
        const numRuns = Math.min(overSockets, 20);
        await tryFamily(service.world, family, { seed: 1, numRuns, tally: new Map() });
        await sweep(service.world);
      }
    }));

  it('callers who send a request and go', () =>
    survive(async () => {
      const { own, port } = service.world;
      const head = `GET /api/projects/${own.projectId}/endpoints/plain/run?refresh=force HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${own.readKey}\r\n\r\n`;
      await each(600, async (n) => {
        const connection = await openConnection(port);
        connection.socket.write(head.slice(0, n % 3 === 0 ? n % head.length : head.length));
        if (n % 2 === 0) connection.socket.end();
        else connection.socket.resetAndDestroy();
        await connection.closed;
      });
    }));

  it('bodies that are begun and never ended', () =>
    survive(async () => {
      const { port } = service.world;
      const connections = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const connection = await openConnection(port);
          const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
          connection.socket.write(`${head}Content-Length: 1000000\r\n\r\n${'x'.repeat(500_000)}`);
          return connection;
        }),
      );
      const run = await rest(service.world, { method: 'GET', path: '/endpoints/plain/run' });
      expect(run.status).toBe(200);
      for (const { socket } of connections) socket.destroy();
    }));
});

async function metric(name: string): Promise<number> {
  const bytes = Buffer.from('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [response] = await exchangeBytes(service.world.port, bytes);
  const text = response?.body.toString() ?? '';
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

describe(`${idleConnections} idle connections`, () => {
  it('cost little and keep nobody waiting', () =>
    survive(async () => {
      const before = await service.memory();
      const idle = await openIdleConnections(service.world.port, idleConnections);
      expect(await metric('querydock_connections')).toBeGreaterThanOrEqual(idleConnections);
      const run = await rest(service.world, { method: 'GET', path: '/endpoints/plain/run' });
      expect([run.status, run.body.results]).toEqual([200, [[1]]]);
      const during = await service.memory();
      expect(idleProblems(before, during, idleConnections)).toEqual([]);
      idle.close();
      await eventually('none is left', async () => (await metric('querydock_connections')) === 1);
    }));
});
