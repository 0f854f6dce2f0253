/** Two loads in turns, so that disturbances of the machine affect both. */
import { generatorCore, pin, serverCore, unpin } from './cores.ts';
import type { Rounds } from './effort.ts';
import { type LoadCase, type LoadResult, load } from './socket-load.ts';

export interface LoadRounds extends Rounds {
  readonly connections: number;
}

export interface Side {
  readonly load: LoadCase;
  /** Whose processor time counts. */
  readonly pids: readonly number[];
}

export interface Pair {
  readonly own: Side;
  readonly other: Side;
}

export interface Turn {
  readonly own: LoadResult;
  readonly other: LoadResult;
}

/** The turns of each pair, in order, after one warm-up turn. */
export async function runPairs(
  pairs: readonly Pair[],
  { rounds, seconds, connections }: LoadRounds,
): Promise<readonly (readonly Turn[])[]> {
  const turns = pairs.map((): Turn[] => []);
  const ask = (side: Side) => load(side.load, { seconds, connections, pids: side.pids });
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, pair] of pairs.entries()) {
      const other = await ask(pair.other);
      const own = await ask(pair.own);
      if (round > 0) turns[at]?.push({ own, other });
    }
  }
  return turns;
}

/** The servers have one core, this process as the load generator another. */
export async function onTwoCores<T>(
  servers: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  pin(process.pid, generatorCore);
  for (const pid of servers) pin(pid, serverCore);
  try {
    return await work();
  } finally {
    for (const pid of [process.pid, ...servers]) unpin(pid);
  }
}
