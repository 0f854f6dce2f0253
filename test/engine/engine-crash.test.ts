/** The short form of `engine-crash.ts`: so many texts of one seed. */
import { expect, it } from 'vitest';
import { openTrial } from './support/crash-trial.ts';

const texts = 2500;

it('no function, no aggregate function and no crafted state ends the engine, keeps it or has it open a file', async () => {
  const trial = await openTrial(20_261_122);
  const faults: string[] = [];
  try {
    for (let n = 0; n < texts && faults.length < 5; n += 1) {
      const fault = await trial.next();
      if (fault !== null) faults.push(fault);
    }
    expect(faults).toEqual([]);
    // What is only refused or fails tries nothing.
    expect(trial.counts()).toMatch(/functions: ran \d{3}/);
    expect(trial.counts()).toMatch(/states: refused \d{3}/);
  } finally {
    await trial.close();
  }
});
