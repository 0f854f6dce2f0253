/**
 * `node test/runs/long-types.ts SECONDS [seed]`: other types in types in every format, round after round, until the
 * time is over. Ends with 1 at the first round that finds a wrong cell, and names its seed.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const seconds = Number(process.argv[2] ?? 60);
const first = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const root = path.resolve(import.meta.dirname, '../..');
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const test = ['run', '--config', 'test/vitest.config.ts', 'test/runs/format-types.test.ts'];
const deadline = performance.now() + seconds * 1000;

let seed = first;
for (; performance.now() < deadline && process.exitCode === undefined; seed += 1) {
  const env = { ...process.env, TYPES_SEED: String(seed), TYPES_SIZE: '1000' };
  const { status } = spawnSync(process.execPath, [vitest, ...test], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
console.log(`${seed - first} rounds, the last with seed ${seed - 1}`);
