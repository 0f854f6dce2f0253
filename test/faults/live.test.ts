/** The short form of `npm run faults -- live`. */
import { expect, it } from 'vitest';
import { shortTrial, tryLive } from './live/trial.ts';

it('loses, repeats and reorders no content while processes are killed and stopped', async () => {
  const report = await tryLive(shortTrial);
  expect(report.problems).toEqual([]);
  expect(report).toMatchObject({ killed: 1, stopped: 1, followers: 5 });
  // They have moved between both processes.
  expect(report.connections).toBeGreaterThan(report.followers);
});
