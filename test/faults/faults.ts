/** Every fault that can be caused, by its name. */
import { findProgram } from '../support/needs.ts';
import {
  below,
  enginePattern,
  postgresPattern,
  postmasterPattern,
  requireSome,
  signalAll,
} from './support/processes.ts';
import { openService } from './support/service.ts';
import { whyNoSmallDisk } from './support/small-disk.ts';
import type { Fault } from './support/trial.ts';
import {
  byUrl,
  engineByUrl,
  local,
  onSmallDisk,
  signalled,
  withClockOff,
  withRedis,
} from './support/worlds.ts';

const whyNoRedis = () =>
  findProgram('redis-server') === null ? { what: 'redis-server', mayBe: false } : null;

/** Known runs go on while PostgreSQL is away, and a balancer keeps the service. */
const answered = { kinds: ['cached', 'inline', 'ready'], forMs: 30_000 } as const;

const once = { long: 0, short: 0 } as const;
/** Longer than any response may take, so that a caller that waits for the end is noticed. */
const held = { long: 20_000, short: 9000 } as const;

export const faults = {
  'engine-killed': {
    title: 'The engine is killed (local)',
    open: () => local(signalled(enginePattern, 'SIGKILL', 'engine')),
    holdMs: once,
    longestMs: 6000,
    recoveryMs: 10_000,
    allowed: ['engine_unavailable'],
  },
  'engine-frozen': {
    title: 'The engine runs and does not answer (local)',
    open: () => local(signalled(enginePattern, 'SIGSTOP', 'engine')),
    holdMs: once,
    longestMs: 36_000,
    recoveryMs: 36_000,
    allowed: ['engine_unavailable', 'too_many_concurrent_queries', 'query_capacity'],
    unharmed: { kinds: ['cached', 'read'], forMs: 36_000 },
  },
  'engine-stalled': {
    title: 'The way to the engine carries nothing (by URL, QUERY_TIMEOUT_SECONDS 5)',
    open: engineByUrl,
    holdMs: { long: 20_000, short: 12_000 },
    longestMs: 15_000,
    recoveryMs: 15_000,
    allowed: ['engine_unavailable', 'too_many_concurrent_queries', 'query_capacity'],
    unharmed: { kinds: ['cached', 'read'], forMs: 20_000 },
  },
  'postgres-killed': {
    title: 'PostgreSQL is killed (local)',
    open: () => local(signalled(postmasterPattern, 'SIGKILL', 'PostgreSQL')),
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  },
  'postgres-backend-killed': {
    title: 'One process of PostgreSQL is killed (local)',
    open: () =>
      local((service) => {
        const pattern = /^postgres: postgres postgres/;
        const [first = 0] = requireSome(below(service.server().pid, pattern), 'connection');
        signalAll([first], 'SIGKILL');
      }),
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  },
  'postgres-stopped': {
    title: 'PostgreSQL does not answer (local)',
    open: () =>
      local(
        signalled(postgresPattern, 'SIGSTOP', 'PostgreSQL'),
        signalled(postgresPattern, 'SIGCONT', 'PostgreSQL'),
      ),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  },
  'postgres-cut': {
    title: 'PostgreSQL is gone (by URL)',
    open: () => byUrl((relay) => relay.cut()),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 10_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  },
  'postgres-stalled': {
    title: 'The way to PostgreSQL carries nothing (by URL)',
    open: () => byUrl((relay) => relay.stall()),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 10_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  },
  'redis-killed': {
    title: 'Redis is killed',
    missing: whyNoRedis,
    open: () =>
      withRedis(
        (redis) => redis.kill(),
        (redis) => redis.start(),
      ),
    holdMs: { long: 8000, short: 2000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  },
  'redis-stopped': {
    title: 'Redis does not answer',
    missing: whyNoRedis,
    open: () =>
      withRedis(
        (redis) => redis.freeze(),
        (redis) => redis.thaw(),
      ),
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  },
  'disk-full': {
    title: 'The disk of the data folder is full',
    missing: whyNoSmallDisk,
    open: onSmallDisk,
    holdMs: { long: 15_000, short: 4000 },
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable', 'query_capacity', 'engine_unavailable'],
  },
  'clock-forward': {
    title: 'The clock is set forward by 6 hours, and right again',
    open: () => withClockOff(6),
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  },
  'clock-back': {
    title: 'The clock is set back by 6 hours, and right again',
    open: () => withClockOff(-6),
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  },
  'service-stopped': {
    title: 'The service is stopped and goes on',
    open: () =>
      local(
        (service) => signalAll([service.server().pid], 'SIGSTOP'),
        (service) => signalAll([service.server().pid], 'SIGCONT'),
      ),
    holdMs: { long: 20_000, short: 6000 },
    longestMs: 25_000,
    recoveryMs: 5000,
    allowed: ['service_unavailable'],
  },
  'service-killed': {
    title: 'The service is killed',
    async open() {
      const service = await openService();
      return {
        service,
        async strike() {
          const { exited } = service.server();
          service.server().child.kill('SIGKILL');
          await exited;
          await service.restart();
        },
        close: () => service.stop(),
      };
    },
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 30_000,
    allowed: [0],
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
