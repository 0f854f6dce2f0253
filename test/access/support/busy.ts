/** A service whose engine slots a test occupies and frees, with queries that do not end by themselves. */
import { expect } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { eventually } from '../../support/eventually.ts';
import {
  openTestApp,
  type TestApp,
  type TestProject,
  type TestResponse,
} from '../../support/test-app.ts';

/** More work than it finishes within the time limit; each value is a query of its own. */
const endless =
  'SELECT sum(cityHash64(number, number + {n:UInt32})) AS n FROM numbers(1000000000000)';

export interface BusyApp extends TestApp {
  /** Occupies an engine slot until it is freed. */
  block(project?: TestProject, key?: string): Promise<Blocker>;
  /** A run of its own that ends at once when it is its turn. */
  quick(options?: QuickOptions): Promise<TestResponse>;
  untilWaiting(runs: number): Promise<void>;
  /** Frees what is blocked. */
  freeAll(): Promise<void>;
  close(): Promise<void>;
}

export interface QuickOptions {
  readonly project?: TestProject;
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** Equal numbers are the same run. */
  readonly n?: number;
}

export interface Blocker {
  /** Resolves when the engine runs it no more. */
  free(): Promise<void>;
}

let number = 0;

export async function openBusyApp(settings: Partial<Config> = {}): Promise<BusyApp> {
  const test = await openTestApp(settings);
  const blockers = new Set<Blocker>();
  for (const project of [test.project, test.other]) {
    await save(test, project, 'endless', endless);
    await save(test, project, 'quick', 'SELECT {n:UInt32} AS n');
    // The engine knows both texts from now on, so that a run is one query.
    await test.rest('POST', '/endpoints/quick/run', { project, body: { variables: { n: 0 } } });
  }
  const { admission } = test.app.core;

  async function block(project = test.project, key = project.writeKey): Promise<Blocker> {
    const away = new AbortController();
    const before = admission.running();
    number += 1;
    const body = { variables: { n: number } };
    const gone = test
      .rest('POST', '/endpoints/endless/run', { project, key, body, signal: away.signal })
      .catch(() => undefined);
    await eventually('it has its place', () => admission.running() > before);
    const blocker: Blocker = {
      async free() {
        blockers.delete(blocker);
        away.abort();
        await gone;
      },
    };
    blockers.add(blocker);
    return blocker;
  }

  async function freeAll(): Promise<void> {
    for (const blocker of blockers) await blocker.free();
    await eventually('nothing runs', () => admission.running() === 0);
  }

  return {
    ...test,
    block,
    quick({ project = test.project, key = project.writeKey, signal, n } = {}) {
      number += 1;
      const body = { variables: { n: n ?? number }, refresh: 'force' };
      const call = { project, key, body, ...(signal === undefined ? {} : { signal }) };
      return test.rest('POST', '/endpoints/quick/run', call);
    },
    untilWaiting: (runs) => eventually(`${runs} runs wait`, () => admission.waiting() === runs),
    freeAll,
    async close() {
      await freeAll();
      await test.close();
    },
  };
}

async function save(test: TestApp, project: TestProject, name: string, query: string) {
  const response = await test.rest('POST', '/endpoints', { project, body: { name, query } });
  expect(response.status).toBe(201);
}
