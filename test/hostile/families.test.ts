/** The short run of the fuzz: each family over sockets and in the process, and what must be the same after it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from './families/all.ts';
import { countsOf, type Tally, tryFamily } from './support/family.ts';
import { settings } from './support/refused-members.ts';
import { valueEndpoints } from './support/saved-endpoints.ts';
import { openTestWorld, type TestWorld } from './support/test-world.ts';
import { bystanders, sweep } from './support/world.ts';

let all: TestWorld;
const tally: Tally = new Map();
const { seed } = settings;

/** Room for values that are larger than any that the service would take by default. */
const maxBodyBytes = 33_000_000;

beforeAll(async () => {
  all = await openTestWorld({ maxBodyBytes, authFailuresPerAddress: 1_000_000 }, valueEndpoints);
});
afterAll(async () => {
  console.log(countsOf(tally));
  await all.test.close();
});

describe.each(families.map((plan) => [plan.family.name, plan] as const))('%s', (_name, plan) => {
  const { family, overSockets, inProcess } = plan;

  it('get a response without a server error and without internal details', async () => {
    const before = await bystanders(all.world);
    await tryFamily(all.world, family, { seed, numRuns: overSockets, tally });
    if (inProcess > 0)
      await tryFamily(all.inProcess, family, { seed: seed + 1, numRuns: inProcess, tally });
    await sweep(all.world);
    expect(await bystanders(all.world)).toEqual(before);
    expect(all.test.app.core.flights.size()).toBe(0);
    expect(all.faults()).toEqual([]);
  });
});
