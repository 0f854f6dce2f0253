/** So many runs a second, whatever becomes of those before, each compared with the one response that is right. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Tally {
  sent: number;
  failed: number;
  wrong: number;
  longestMs: number;
  /** By status and code. */
  readonly failures: Map<string, number>;
}

export interface FleetLoad {
  /** From here on, runs are counted here. */
  count(): Tally;
  stop(): Promise<void>;
}

export interface LoadTarget {
  readonly url: string;
  readonly projectId: number;
  readonly key: string;
}

/** Of each endpoint there are so many different results. */
export const variety = 50;
export const endpoints = { kept: 10, fresh: 0 } as const;
export const query = `SELECT {n:UInt32} AS n, toString(cityHash64({n:UInt32})) AS hash, sum(number) AS total FROM numbers(1000)`;

export type Expected = readonly string[];

const givenUpMs = 30_000;

function pathOf({ url, projectId }: LoadTarget, name: string, n: number): string {
  return `${url}/api/projects/${projectId}/endpoints/${name}/run?variables[n]=${n}`;
}

async function ask(target: LoadTarget, name: string, n: number) {
  const response = await fetch(pathOf(target, name, n), {
    headers: { authorization: `Bearer ${target.key}` },
    signal: AbortSignal.timeout(givenUpMs),
  });
  const text = await response.text();
  const body = JSON.parse(text) as { readonly results?: unknown; readonly code?: string };
  return { status: response.status, code: body.code ?? '', results: JSON.stringify(body.results) };
}

/** The right result of each n, by the endpoint that caches nothing. */
export async function learn(target: LoadTarget): Promise<Expected> {
  const expected: string[] = [];
  for (let n = 0; n < variety; n += 1) {
    const { status, results } = await ask(target, 'fresh', n);
    if (status !== 200) throw new Error(`fresh: ${status}`);
    expected.push(results);
  }
  if (new Set(expected).size !== variety) throw new Error('two results are the same');
  return expected;
}

export function startFleetLoad(
  target: LoadTarget,
  expected: Expected,
  perSecond: number,
): FleetLoad {
  let tally = newTally();
  let isGoing = true;
  const open = new Set<Promise<void>>();

  async function send(name: string, n: number, at: Tally): Promise<void> {
    const began = performance.now();
    at.sent += 1;
    const outcome = await ask(target, name, n).catch((error: unknown) => ({
      status: 0,
      code: error instanceof Error ? error.name : String(error),
      results: '',
    }));
    at.longestMs = Math.max(at.longestMs, performance.now() - began);
    if (outcome.status === 200) {
      if (outcome.results !== expected[n]) at.wrong += 1;
      return;
    }
    at.failed += 1;
    const what = `${outcome.status} ${outcome.code}`.trim();
    at.failures.set(what, (at.failures.get(what) ?? 0) + 1);
  }

  async function keepSending(): Promise<void> {
    const began = performance.now();
    for (let at = 0; isGoing; at += 1) {
      const name = at % 10 === 9 ? 'fresh' : 'kept';
      const sent = send(name, (at * 7) % variety, tally).finally(() => open.delete(sent));
      open.add(sent);
      await delay(Math.max(0, began + ((at + 1) * 1000) / perSecond - performance.now()));
    }
  }

  const sending = keepSending();
  return {
    count() {
      tally = newTally();
      return tally;
    },
    async stop() {
      isGoing = false;
      await sending;
      await Promise.all(open);
    },
  };
}

function newTally(): Tally {
  return { sent: 0, failed: 0, wrong: 0, longestMs: 0, failures: new Map() };
}
