/** Publishes one content after another while processes end, and checks what every follower is told. */
import { setTimeout as delay } from 'node:timers/promises';
import { csvOf } from './contents.ts';
import { type Follower, openFollowers } from './followers.ts';
import { openPair, type Pair } from './pair.ts';

export interface LiveTrial {
  readonly publishes: number;
  /** A process ends in the middle of each so manieth publish: by kill -9 and by SIGTERM in turns. */
  readonly endEvery: number;
  /** After each so manieth publish, everyone must be told it before there is another. */
  readonly checkEvery: number;
  /** Followers of each way. */
  readonly each: number;
  /** Whether some follow a stored table, of which a killed process keeps the claim for 60 s. */
  readonly hasStored: boolean;
}

export interface LiveReport {
  readonly publishes: number;
  readonly killed: number;
  readonly stopped: number;
  readonly followers: number;
  readonly connections: number;
  readonly contents: number;
  /** From the response to a publish until the last follower was told, of those that were waited for. */
  readonly toldMs: { readonly median: number; readonly longest: number };
  /** As sentences; empty when nothing was lost, repeated or out of order. */
  readonly problems: readonly string[];
}

export const longTrial: LiveTrial = {
  publishes: 1000,
  endEvery: 100,
  checkEvery: 25,
  each: 3,
  hasStored: true,
};
export const shortTrial: LiveTrial = {
  publishes: 12,
  endEvery: 6,
  checkEvery: 4,
  each: 1,
  hasStored: false,
};

/** It ends what hangs. */
const giveUpMs = 240_000;

export async function tryLive(trial: LiveTrial): Promise<LiveReport> {
  const pair = await openPair();
  try {
    await publish(pair, 0, 0);
    await save(pair, trial);
    const followers = openFollowers(pair, trial);
    try {
      const played = await play(pair, trial, followers);
      return reportOf(trial, followers, played);
    } finally {
      for (const follower of followers) await follower.close();
    }
  } finally {
    await pair.close();
  }
}

async function save(pair: Pair, { hasStored }: LiveTrial): Promise<void> {
  const query = 'SELECT toInt32(k) AS k, toInt32(v) AS v FROM ticks ORDER BY k';
  const stored = { name: 'stored', query, is_materialized: true };
  for (const body of [{ name: 'ticks', query }, ...(hasStored ? [stored] : [])]) {
    const response = await fetch(`${pair.url(0)}/api/projects/${pair.projectId}/endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${pair.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

interface Played {
  readonly killed: number;
  readonly stopped: number;
  readonly toldMs: readonly number[];
}

async function play(
  pair: Pair,
  { publishes, endEvery, checkEvery }: LiveTrial,
  followers: readonly Follower[],
): Promise<Played> {
  const ends: Record<'SIGKILL' | 'SIGTERM', number> = { SIGKILL: 0, SIGTERM: 0 };
  const toldMs: number[] = [];
  let ending: Promise<void> = Promise.resolve();
  await told(followers, 0);
  for (let number = 1; number <= publishes; number += 1) {
    const at = number % 2;
    const publishing = publish(pair, number, at);
    if (number % endEvery === 0) {
      await ending;
      const signal = (number / endEvery) % 2 === 1 ? 'SIGKILL' : 'SIGTERM';
      ends[signal] += 1;
      await delay((number * 7) % 60);
      const isLast = number === publishes;
      ending = pair.end(at, signal).then(() => (isLast ? undefined : pair.restart(at)));
    }
    await publishing;
    if (number % checkEvery === 0 || number === publishes)
      toldMs.push(await told(followers, number));
  }
  await ending;
  return { killed: ends.SIGKILL, stopped: ends.SIGTERM, toldMs };
}

/** The rows take the place of those before. What was not acknowledged is repeated, at the other process. */
async function publish(pair: Pair, number: number, first: number): Promise<void> {
  const since = performance.now();
  for (let at = first; ; at = 1 - at) {
    const outcome = await fetch(
      `${pair.url(at)}/api/projects/${pair.projectId}/tables/ticks/rows?mode=replace`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${pair.key}`, 'content-type': 'text/csv' },
        body: csvOf(number),
      },
    ).then(
      async (response) => (response.ok ? null : `${response.status} ${await response.text()}`),
      (error: unknown) => String(error),
    );
    if (outcome === null) return;
    if (performance.now() - since > giveUpMs)
      throw new Error(`publish ${number} was never acknowledged: ${outcome}`);
    await delay(20);
  }
}

/** Waits until everyone was told the content, and returns for how long. */
async function told(followers: readonly Follower[], number: number): Promise<number> {
  const since = performance.now();
  for (;;) {
    const behind = followers.filter(({ witness }) => witness.newest < number);
    if (behind.length === 0) return performance.now() - since;
    if (performance.now() - since > giveUpMs) {
      const names = behind.map(({ witness }) => `${witness.name} is at ${witness.newest}`);
      const problems = followers.flatMap(({ witness }) => witness.problems);
      throw new Error([`not everyone was told ${number}`, ...names, ...problems].join('; '));
    }
    await delay(5);
  }
}

function reportOf(
  { publishes }: LiveTrial,
  followers: readonly Follower[],
  { killed, stopped, toldMs }: Played,
): LiveReport {
  const witnesses = followers.map(({ witness }) => witness);
  const sorted = [...toldMs].sort((a, b) => a - b);
  const sum = (of: 'connections' | 'contents') => witnesses.reduce((all, one) => all + one[of], 0);
  return {
    publishes,
    killed,
    stopped,
    followers: witnesses.length,
    connections: sum('connections'),
    contents: sum('contents'),
    toldMs: {
      median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      longest: Math.round(sorted.at(-1) ?? 0),
    },
    problems: witnesses.flatMap(({ problems }) => problems),
  };
}
