/** Services to which something can be done, each with all that belongs to it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { openEmbeddedPostgres } from '../../../src/store/embedded-postgres.ts';
import { type Finished, querydock, tempFolder } from '../../cli/support/processes.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openRelay } from '../../support/relay.ts';
import { below, requireSome, signalAll } from './processes.ts';
import { openService, type Service } from './service.ts';
import { openSmallDisk } from './small-disk.ts';
import type { World } from './trial.ts';

/** The service with its own PostgreSQL and ClickHouse. */
export async function local(
  strike: (service: Service) => void,
  heal?: (service: Service) => void,
): Promise<World> {
  const service = await openService();
  return {
    service,
    strike: () => strike(service),
    ...(heal === undefined ? {} : { heal: () => heal(service) }),
    close: () => service.stop(),
  };
}

export const signalled =
  (pattern: RegExp, signal: NodeJS.Signals, what: string) =>
  (service: Service): void =>
    signalAll(requireSome(below(service.server().pid, pattern), what), signal);

/** The service with a PostgreSQL of somebody else's, by TCP through a relay. */
export async function byUrl(
  strike: (relay: Awaited<ReturnType<typeof openRelay>>) => Promise<void> | void,
): Promise<World> {
  const folder = await tempFolder();
  const postgres = await openEmbeddedPostgres({ dir: folder.dir, log: openLog('silent') });
  const relay = await openRelay(postgres.databaseUrl);
  await relay.listen();
  const service = await openService({ DATABASE_URL: relay.databaseUrl });
  return {
    service,
    strike: () => strike(relay),
    heal: () => relay.resume(),
    async close() {
      await service.stop();
      await relay.close();
      await postgres.stop();
      await folder.remove();
    },
  };
}

/** The service with a Redis for the counts of its rate limits. */
export async function withRedis(
  strike: (redis: TestRedis) => Promise<void> | void,
  heal: (redis: TestRedis) => Promise<void> | void,
): Promise<World> {
  const redis = await openTestRedis();
  const service = await openService({ REDIS_URL: redis.url });
  return {
    service,
    strike: () => strike(redis),
    heal: () => heal(redis),
    async close() {
      await service.stop();
      await redis.kill();
    },
  };
}

/** The service with its data on a disk that is full. */
export async function onSmallDisk(): Promise<World> {
  const disk = await openSmallDisk(400);
  const service = await openService({}, { dir: disk.dir });
  const csv = await bigCsv();
  const refusals: Finished[] = [];
  const load = () => {
    const words = ['data', 'load', csv.file, '--project', 'faults', '--table', 'big'];
    return querydock(words, service.env);
  };
  return {
    service,
    async strike() {
      // Enough for the records, not for the rows of a load: it is the engine that has no room.
      disk.fill(1_000_000);
      refusals.push(await load());
      disk.fill();
    },
    async during() {
      refusals.push(await load());
      const bad = refusals.filter(
        ({ code, stderr }) => code !== 1 || !stderr.startsWith('querydock: '),
      );
      return bad.map(({ code, stderr }) => `load on a full disk: ${code} ${stderr}`);
    },
    heal: () => disk.free(),
    async after() {
      const { code, stderr } = await load();
      return code === 0 ? [] : [`load after: ${code} ${stderr}`];
    },
    async close() {
      await service.stop();
      await disk.remove();
      await csv.remove();
    },
  };
}

async function bigCsv() {
  const folder = await tempFolder();
  const file = path.join(folder.dir, 'big.csv');
  const lines = Array.from({ length: 200_000 }, (_, n) => `${n},${Math.sin(n)}`);
  writeFileSync(file, `n,s\n${lines.join('\n')}\n`);
  return { file, remove: folder.remove };
}

/** The service with a clock that is set by so many hours, and set right again. */
export async function withClockOff(hours: number): Promise<World> {
  const folder = await tempFolder();
  const file = path.join(folder.dir, 'offset');
  const preload = path.join(import.meta.dirname, 'moved-clock.ts');
  const service = await openService({ MOVED_CLOCK_FILE: file }, { preload });
  const set = (off: number) => {
    writeFileSync(file, String(off * 3_600_000));
    signalAll([service.server().pid], 'SIGUSR2');
  };
  return {
    service,
    strike: () => set(hours),
    during: () => agesOf(service),
    heal: () => set(0),
    after: () => agesOf(service),
    async close() {
      await service.stop();
      await folder.remove();
    },
  };
}

async function agesOf({ target }: Service): Promise<readonly string[]> {
  const { headers } = await fetch(
    `${target.url}/api/projects/${target.projectId}/endpoints/kept/run`,
    { headers: { authorization: `Bearer ${target.key}` } },
  );
  const age = Number(headers.get('age'));
  const lifetime = Number(/max-age=(-?\d+)/.exec(headers.get('cache-control') ?? '')?.[1]);
  const left = lifetime - age;
  return age >= 0 && age <= 86_400 && left >= 0
    ? []
    : [`a result of age ${age} that has ${left} left`];
}

/** The service with a ClickHouse of somebody else's, through a relay. */
export async function engineByUrl(): Promise<World> {
  const folder = await tempFolder();
  const secret = 'of the faults';
  const engine = await openEmbeddedEngine({
    dir: folder.dir,
    config: readConfig({}),
    log: openLog('silent'),
    secret,
    highestProjectId: 4,
  });
  const relay = await openRelay(engine.connection.url);
  await relay.listen();
  const { user, password } = engine.connection.admin;
  const service = await openService({
    CLICKHOUSE_URL: `http://${user}:${password}@127.0.0.1:${relay.port}`,
    CLICKHOUSE_USER_SECRET: secret,
    QUERY_TIMEOUT_SECONDS: '5',
  });
  return {
    service,
    strike: () => relay.stall(),
    heal: () => relay.resume(),
    async close() {
      await service.stop();
      await relay.close();
      await engine.stop();
      await folder.remove();
    },
  };
}
