/** What happens to a fleet under load, one thing after the other, and what its callers get meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { haproxy } from '../../support/haproxy.ts';
import { findProgram } from '../../support/needs.ts';
import type { Missing } from '../support/trial.ts';
import { learn, startFleetLoad, type Tally } from './load.ts';
import { type FleetWorld, openFleetWorld } from './world.ts';

export interface FleetEvent {
  readonly title: string;
  /** Codes with which runs may fail. */
  readonly mayFail: readonly string[];
  happen(world: FleetWorld, holdMs: number): Promise<void>;
}

export interface FleetRow extends Tally {
  readonly title: string;
  readonly seconds: number;
  readonly problems: readonly string[];
}

export function whyNoFleet(): Missing | null {
  if (haproxy === null) return { what: 'haproxy', mayBe: false };
  return findProgram('redis-server') === null ? { what: 'redis-server', mayBe: false } : null;
}

const perSecond = 40;
const holdMs = { long: 10_000, short: 3000 } as const;
/** After each event, and after each start of a process, until the balancer and the process know each other. */
const restMs = 4000;
/** With these a machine that is too slow for the load refuses runs, whatever happens to the fleet. */
const refusals = ['429 too_many_concurrent_queries', '503 query_capacity'];

export const events: Readonly<Record<string, FleetEvent>> = {
  nothing: { title: 'Nothing happens', mayFail: [], happen: (_world, ms) => delay(ms) },
  rolling: {
    title: 'Each process is restarted, one after the other',
    mayFail: [],
    async happen({ processes }) {
      for (const process of processes) {
        await process.end('SIGTERM');
        await process.start();
        await delay(restMs);
      }
    },
  },
  killed: {
    title: 'A process is killed (kill -9), and started again later',
    mayFail: [],
    async happen({ processes: [first] }, ms) {
      await first?.end('SIGKILL');
      await delay(ms);
      await first?.start();
    },
  },
  postgres: {
    title: 'PostgreSQL is gone',
    mayFail: [],
    async happen({ postgres }, ms) {
      await postgres.cut();
      await delay(ms);
      await postgres.resume();
    },
  },
  'redis-killed': {
    title: 'Redis is killed',
    mayFail: [],
    async happen({ redis }, ms) {
      await redis.kill();
      await delay(ms);
      await redis.start();
    },
  },
  'redis-frozen': {
    title: 'Redis does not answer',
    mayFail: [],
    async happen({ redis }, ms) {
      redis.freeze();
      await delay(ms);
      redis.thaw();
    },
  },
  engine: {
    title: 'The engine is killed, and restarts',
    mayFail: ['503 engine_unavailable'],
    async happen(world, ms) {
      world.killEngine();
      await delay(ms);
    },
  },
};

/** @param onRow called after each event. */
export async function tryFleet(
  length: 'long' | 'short',
  names: readonly string[] = Object.keys(events),
  onRow: (row: FleetRow) => void = () => undefined,
): Promise<readonly FleetRow[]> {
  const world = await openFleetWorld();
  try {
    const load = startFleetLoad(world.target, await learn(world.target), perSecond);
    const rows: FleetRow[] = [];
    for (const name of names) {
      const event = events[name];
      if (event === undefined) throw new Error(`there is no event ${name}`);
      const tally = load.count();
      const began = performance.now();
      await event.happen(world, holdMs[length]);
      await delay(restMs);
      const seconds = (performance.now() - began) / 1000;
      load.count();
      const row = toRow(event, tally, seconds);
      rows.push(row);
      onRow(row);
    }
    await load.stop();
    return rows;
  } finally {
    await world.close();
  }
}

function toRow({ title, mayFail }: FleetEvent, tally: Tally, seconds: number): FleetRow {
  const allowed = [...mayFail, ...refusals];
  const problems = [
    ...(tally.wrong > 0 ? [`${title}: ${tally.wrong} wrong answers`] : []),
    ...[...tally.failures]
      .filter(([what]) => !allowed.includes(what))
      .map(([what, count]) => `${title}: ${count} runs failed with ${what}`),
  ];
  return { ...tally, title, seconds, problems };
}

export function printRow(row: FleetRow): string {
  const { title, seconds, sent, failed, wrong, longestMs, failures } = row;
  const told = [...failures].map(([what, count]) => `${what} × ${count}`).join(', ');
  return `| ${title} | ${seconds.toFixed(0)} s | ${sent} | ${failed}${told === '' ? '' : ` (${told})`} | ${wrong} | ${(longestMs / 1000).toFixed(1)} s |`;
}

export const tableHead = `| What happens | For | Runs | Failed | Wrong | Slowest |
|---|---|---|---|---|---|`;
