/** Every fault that can be caused, by its name. */
import type { Finished } from '../cli/support/processes.ts';
import { findProgram } from '../support/needs.ts';
import {
  below,
  enginePattern,
  postgresPattern,
  postmasterPattern,
  requireSome,
  signalAll,
} from './support/processes.ts';
import {
  ageProblems,
  engineByUrl,
  local,
  onSmallDisk,
  postgresByUrl,
  signalled,
  type WithClock,
  withClock,
  withRedis,
} from './support/setups.ts';
import { whyNoSmallDisk } from './support/small-disk.ts';
import type { Fault, Setup } from './support/trial.ts';

const whyNoRedis = () =>
  findProgram('redis-server') === null ? { what: 'redis-server', mayBe: false } : null;

/** Known runs go on while PostgreSQL is away, and a balancer keeps the service. */
const answered = { kinds: ['cached', 'inline', 'ready'], forMs: 30_000 } as const;

const once = { long: 0, short: 0 } as const;
/** Longer than any response may take, so that a caller that waits for the end is noticed. */
const held = { long: 20_000, short: 9000 } as const;

/** Gives the functions of a fault their setup's type. */
const on = <S extends Setup>(fault: Fault<S>): Fault<S> => fault;

export const faults = {
  'engine-killed': on({
    title: 'The engine is killed (local)',
    open: local,
    strike: signalled(enginePattern, 'SIGKILL', 'engine'),
    holdMs: once,
    longestMs: 6000,
    recoveryMs: 10_000,
    allowed: ['engine_unavailable'],
  }),
  'engine-frozen': on({
    title: 'The engine runs and does not answer (local)',
    open: local,
    strike: signalled(enginePattern, 'SIGSTOP', 'engine'),
    holdMs: once,
    longestMs: 36_000,
    recoveryMs: 36_000,
    allowed: ['engine_unavailable', 'too_many_concurrent_queries', 'query_capacity'],
    unharmed: { kinds: ['cached', 'read'], forMs: 36_000 },
  }),
  'engine-stalled': on({
    title: 'The way to the engine carries nothing (by URL, QUERY_TIMEOUT_SECONDS 5)',
    open: engineByUrl,
    strike: ({ relay }) => relay.stall(),
    heal: ({ relay }) => relay.resume(),
    holdMs: { long: 20_000, short: 12_000 },
    longestMs: 15_000,
    recoveryMs: 15_000,
    allowed: ['engine_unavailable', 'too_many_concurrent_queries', 'query_capacity'],
    unharmed: { kinds: ['cached', 'read'], forMs: 20_000 },
  }),
  'postgres-killed': on({
    title: 'PostgreSQL is killed (local)',
    open: local,
    strike: signalled(postmasterPattern, 'SIGKILL', 'PostgreSQL'),
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  }),
  'postgres-backend-killed': on({
    title: 'One process of PostgreSQL is killed (local)',
    open: local,
    strike({ service }) {
      const pattern = /^postgres: postgres postgres/;
      const [first = 0] = requireSome(below(service.server().pid, pattern), 'connection');
      signalAll([first], 'SIGKILL');
    },
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  }),
  'postgres-stopped': on({
    title: 'PostgreSQL does not answer (local)',
    open: local,
    strike: signalled(postgresPattern, 'SIGSTOP', 'PostgreSQL'),
    heal: signalled(postgresPattern, 'SIGCONT', 'PostgreSQL'),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  }),
  'postgres-cut': on({
    title: 'PostgreSQL is gone (by URL)',
    open: postgresByUrl,
    strike: ({ relay }) => relay.cut(),
    heal: ({ relay }) => relay.resume(),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 10_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  }),
  'postgres-stalled': on({
    title: 'The way to PostgreSQL carries nothing (by URL)',
    open: postgresByUrl,
    strike: ({ relay }) => relay.stall(),
    heal: ({ relay }) => relay.resume(),
    holdMs: held,
    longestMs: 8000,
    recoveryMs: 10_000,
    allowed: ['service_unavailable'],
    unharmed: answered,
  }),
  'redis-killed': on({
    title: 'Redis is killed',
    missing: whyNoRedis,
    open: withRedis,
    strike: ({ redis }) => redis.kill(),
    heal: ({ redis }) => redis.start(),
    holdMs: { long: 8000, short: 2000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  }),
  'redis-stopped': on({
    title: 'Redis does not answer',
    missing: whyNoRedis,
    open: withRedis,
    strike: ({ redis }) => redis.freeze(),
    heal: ({ redis }) => redis.thaw(),
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  }),
  'disk-full': on({
    title: 'The disk of the data folder is full',
    missing: whyNoSmallDisk,
    open: onSmallDisk,
    async strike({ disk, refused, load }) {
      // Enough for the records, not for the rows of a load: it is the engine that has no room.
      disk.fill(1_000_000);
      refused.push(await load());
      disk.fill();
    },
    async during({ refused, load }) {
      refused.push(await load());
      const isClear = ({ code, stderr }: Finished) =>
        code === 1 && stderr.startsWith('querydock: ');
      const [atEngine] = refused;
      const saysWhy = atEngine?.stderr.includes('querydock: The disk of the engine is full.');
      const bad = refused.filter((each) => !isClear(each) || (each === atEngine && !saysWhy));
      return bad.map(({ code, stderr }) => `load on a full disk: ${code} ${stderr}`);
    },
    heal: ({ disk }) => disk.free(),
    async after({ load }) {
      const { code, stderr } = await load();
      return code === 0 ? [] : [`load after: ${code} ${stderr}`];
    },
    holdMs: { long: 15_000, short: 4000 },
    longestMs: 8000,
    recoveryMs: 15_000,
    allowed: ['service_unavailable', 'query_capacity', 'engine_unavailable'],
  }),
  'clock-forward': on<WithClock>({
    title: 'The clock is set forward by 6 hours, and right again',
    open: withClock,
    strike: ({ set }) => set(6),
    during: ageProblems,
    heal: ({ set }) => set(0),
    after: ageProblems,
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  }),
  'clock-back': on<WithClock>({
    title: 'The clock is set back by 6 hours, and right again',
    open: withClock,
    strike: ({ set }) => set(-6),
    during: ageProblems,
    heal: ({ set }) => set(0),
    after: ageProblems,
    holdMs: { long: 8000, short: 3000 },
    longestMs: 5000,
    recoveryMs: 5000,
    allowed: [],
  }),
  'service-stopped': on({
    title: 'The service is stopped and goes on',
    open: local,
    strike: ({ service }) => signalAll([service.server().pid], 'SIGSTOP'),
    heal: ({ service }) => signalAll([service.server().pid], 'SIGCONT'),
    holdMs: { long: 20_000, short: 6000 },
    longestMs: 25_000,
    recoveryMs: 5000,
    allowed: ['service_unavailable'],
  }),
  'service-killed': on({
    title: 'The service is killed',
    open: local,
    async strike({ service }) {
      const { exited } = service.server();
      service.server().child.kill('SIGKILL');
      await exited;
      await service.restart();
    },
    holdMs: once,
    longestMs: 8000,
    recoveryMs: 30_000,
    allowed: [0],
  }),
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
