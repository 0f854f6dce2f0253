/** The short form of `npm run faults`, which holds each fault for longer and prints the times. */
import { describe, expect, it } from 'vitest';
import { isThere } from '../support/needs.ts';
import { faults } from './faults.ts';
import { type Fault, tryFault } from './support/trial.ts';

const all: readonly (readonly [string, Fault])[] = Object.entries(faults);
const possible = all.filter(([name, fault]) => {
  const missing = fault.missing?.() ?? null;
  if (missing === null) return true;
  if (fault.isOptional !== true) return isThere(missing, false);
  console.warn(`DID NOT RUN: ${name} needs ${missing}.`);
  return false;
});

describe.each(possible)('%s', (name, fault) => {
  it('hangs nobody, loses nothing that was acknowledged, and is over when it is over', async () => {
    const report = await tryFault(name, fault, 'short');
    expect(report.problems).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(0);
  }, 180_000);
});
