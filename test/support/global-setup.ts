/**
 * Runs once before all test files, in vitest's own process. What is started here is shared by every file;
 * each file takes a database (freshDatabase) of it, so that none sees another's rows.
 */
import type { TestProject } from 'vitest/node';
import { startTestEngine, type TestEngine } from './test-engine.ts';
import { startTestPostgres, type TestPostgres } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres;
    engine: TestEngine;
  }
}

let stops: (() => Promise<void>)[] = [];

export async function setup(project: TestProject): Promise<void> {
  const postgres = await startTestPostgres();
  stops.push(postgres.stop);
  project.provide('postgres', postgres.shared);

  const engine = await startTestEngine();
  stops.push(engine.stop);
  project.provide('engine', engine.shared);
}

/** Last started, first stopped; one failure does not keep the rest running. */
export async function teardown(): Promise<void> {
  const pending = stops.reverse();
  stops = [];
  const failures: unknown[] = [];
  for (const stop of pending) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'the test servers did not stop');
}
