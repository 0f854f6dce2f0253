/** Services to which something can be done, each with all that belongs to it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { openEmbeddedPostgres } from '../../../src/store/embedded-postgres.ts';
import { type Finished, querydock, tempFolder } from '../../cli/support/processes.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openRelay, type Relay } from '../../support/relay.ts';
import { below, requireSome, signalAll } from './processes.ts';
import { openService, type Settings } from './service.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';
import type { Setup } from './trial.ts';

/** The service with its own PostgreSQL and ClickHouse. */
export async function local(): Promise<Setup> {
  const service = await openService();
  return { service, close: () => service.stop() };
}

export const signalled =
  (pattern: RegExp, signal: NodeJS.Signals, what: string) =>
  ({ service }: Setup): void =>
    signalAll(requireSome(below(service.server().pid, pattern), what), signal);

export interface ByUrl extends Setup {
  readonly relay: Relay;
}

/** A server of somebody else's. */
interface Foreign {
  readonly url: string;
  /** Of a service that reaches it through the relay. */
  readonly settings: (relay: Relay) => Settings;
  stop(): Promise<void>;
}

async function byUrl(openForeign: (dir: string) => Promise<Foreign>): Promise<ByUrl> {
  const folder = await tempFolder();
  const foreign = await openForeign(folder.dir);
  const relay = await openRelay(foreign.url);
  await relay.listen();
  const service = await openService(foreign.settings(relay));
  return {
    service,
    relay,
    async close() {
      await service.stop();
      await relay.close();
      await foreign.stop();
      await folder.remove();
    },
  };
}

/** The service with a PostgreSQL of somebody else's, by TCP through a relay. */
export function postgresByUrl(): Promise<ByUrl> {
  return byUrl(async (dir) => {
    const postgres = await openEmbeddedPostgres({ dir, log: openLog('silent') });
    return {
      url: postgres.databaseUrl,
      settings: ({ databaseUrl }) => ({ DATABASE_URL: databaseUrl }),
      stop: () => postgres.stop(),
    };
  });
}

/** The service with a ClickHouse of somebody else's, through a relay. */
export function engineByUrl(): Promise<ByUrl> {
  return byUrl(async (dir) => {
    const secret = 'of the faults';
    const engine = await openEmbeddedEngine({
      dir,
      config: readConfig({}),
      log: openLog('silent'),
      secret,
      highestProjectId: 4,
    });
    const { user, password } = engine.connection.admin;
    return {
      url: engine.connection.url,
      settings: ({ port }) => ({
        CLICKHOUSE_URL: `http://${user}:${password}@127.0.0.1:${port}`,
        CLICKHOUSE_USER_SECRET: secret,
        QUERY_TIMEOUT_SECONDS: '5',
      }),
      stop: () => engine.stop(),
    };
  });
}

export interface WithRedis extends Setup {
  readonly redis: TestRedis;
}

/** The service with a Redis for the counts of its rate limits. */
export async function withRedis(): Promise<WithRedis> {
  const redis = await openTestRedis();
  const service = await openService({ REDIS_URL: redis.url });
  return {
    service,
    redis,
    async close() {
      await service.stop();
      await redis.kill();
    },
  };
}

export interface OnSmallDisk extends Setup {
  readonly disk: SmallDisk;
  /** Loads that found no room. */
  readonly refused: Finished[];
  /** A load of more rows than a full disk has room for. */
  load(): Promise<Finished>;
}

/** The service with its data on a disk that can be filled. */
export async function onSmallDisk(): Promise<OnSmallDisk> {
  const disk = await openSmallDisk(400);
  const service = await openService({}, { dir: disk.dir });
  const csv = await bigCsv();
  return {
    service,
    disk,
    refused: [],
    load() {
      const words = ['data', 'load', csv.file, '--project', 'faults', '--table', 'big'];
      return querydock(words, service.env);
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

export interface WithClock extends Setup {
  /** How many hours its clock is off. */
  set(hours: number): void;
}

/** The service with a clock that can be set. */
export async function withClock(): Promise<WithClock> {
  const folder = await tempFolder();
  const file = path.join(folder.dir, 'offset');
  const preload = path.join(import.meta.dirname, 'moved-clock.ts');
  const service = await openService({ MOVED_CLOCK_FILE: file }, { preload });
  return {
    service,
    set(hours) {
      writeFileSync(file, String(hours * 3_600_000));
      signalAll([service.server().pid], 'SIGUSR2');
    },
    async close() {
      await service.stop();
      await folder.remove();
    },
  };
}

/** What the age of a cached result says wrong, if anything. */
export async function ageProblems({ service: { target } }: Setup): Promise<readonly string[]> {
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
