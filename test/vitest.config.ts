import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';

const root = path.resolve(import.meta.dirname, '..');

// Processes that start find the packages compiled already.
process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules/.cache/compiled');

export default defineConfig({
  root,
  resolve: {
    // Node takes graphql's "main", a bundler its "module": two copies, whose schemas do not know each other.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    // One line for each finished file, also where there is no terminal, and one for each test that takes long.
    reporters: ['default'],
    slowTestThreshold: 10_000,
    pool: 'forks',
    // Tests wait for servers and processes of their own for a fifth of their time, so a third worker is worth it on two cores.
    maxWorkers: 3,
    // The files that a worker runs share their modules: loading these anew took a third of the time. So no file may leave anything
    // behind in them or in the environment; what has to be alone in its process starts one (test/hostile/support/service-process.ts).
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A test without an assertion fails. The times end what hangs and say nothing about speed: no test is near them on a machine
    // that is busy with other work.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    // A message names the values that differ, also where only messages are left of a run.
    chaiConfig: { truncateThreshold: 2000 },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
