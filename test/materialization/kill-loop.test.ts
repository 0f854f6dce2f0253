import { expect, it } from 'vitest';
import { killLoop } from './kill-loop.ts';

it('survives being killed at any moment, five times; the command does it fifty times', async () => {
  const result = await killLoop(5);
  expect(result.problems).toEqual([]);
  expect(result).toMatchObject({ rounds: 5, good: 5, engineKills: 2 });
  expect(result.tablesMade).toBeGreaterThan(0);
});
