/** One thing that is tried at an operator's servers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterOptions } from './options.ts';
import type { Servers } from './servers.ts';
import type { AcceptanceService } from './service.ts';

export interface World {
  readonly options: ClusterOptions;
  readonly servers: Servers;
  /** Of the project; nobody has its database. */
  readonly projectId: number;
  readonly projectDatabase: string;
  /** A name for databases of the checks themselves. */
  readonly database: string;
  /** Of the project's users. */
  readonly secret: string;
  /** Aborted when the operator stops the run: what was made is dropped then. */
  readonly signal: AbortSignal;
  /** Null until it is open, and when it did not start. */
  service: AcceptanceService | null;
}

export interface Outcome {
  readonly result: 'passed' | 'failed' | 'not applicable';
  /** What was found, or why it failed or does not apply. */
  readonly why: string;
}

export interface Check {
  readonly name: string;
  /** What it throws is its failure. */
  readonly try: (world: World) => Promise<Outcome>;
}

export interface Row extends Outcome {
  readonly name: string;
}

export function passed(why = ''): Outcome {
  return { result: 'passed', why };
}

export function failed(why: string): Outcome {
  return { result: 'failed', why };
}

export function notApplicable(why: string): Outcome {
  return { result: 'not applicable', why };
}

export function requireService({ service }: World): AcceptanceService {
  if (service === null) throw new Error('the service did not start');
  return service;
}

export async function tryCheck({ name, try: attempt }: Check, world: World): Promise<Row> {
  try {
    return { name, ...(await attempt(world)) };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { name, ...failed(line) };
  }
}

/** A first sync of few rows takes a second or two. */
const giveUpMs = 60_000;

export async function until(
  { signal }: Pick<World, 'signal'>,
  what: string,
  check: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + giveUpMs;
  while (!(await check())) {
    signal.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`it never came about that ${what}`);
    await delay(100);
  }
}
