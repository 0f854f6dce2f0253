/** The short run of `npm run faults`, which holds each fault for longer and prints the times. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isThere } from '../support/needs.ts';
import { faults } from './faults.ts';
import { type Fault, type Setup, tryFault } from './support/trial.ts';

const all: readonly (readonly [string, Fault])[] = Object.entries(faults);
const missing = new Map(all.map(([name, fault]) => [name, fault.missing?.() ?? null]));
const possible = all.filter(([name]) => missing.get(name) === null);
const impossible = all.filter(([name]) => missing.get(name) !== null);

const groups = [...Map.groupBy(possible, ([, { open }]) => open)];
const bySetup = groups.map(([open, list]) => ({ open, list }));

// A service that has survived one fault has to survive the next as well.
describe.each(bySetup)('$open.name', ({ open, list }) => {
  let setup: Setup;
  beforeAll(async () => {
    setup = await open();
  });
  afterAll(() => setup?.close());

  it.each(list)(
    '%s leaves no call without a response, loses no acknowledged write, and everything works again afterwards',
    async (name, fault) => {
      const report = await tryFault(name, fault, { setup, length: 'short' });
      expect(report.problems).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(0);
    },
  );
});

describe.each(impossible)('%s', (name) => {
  const { what = '', mayBe = false } = missing.get(name) ?? {};
  if (mayBe) console.warn(`DID NOT RUN: ${name} takes ${what}.`);
  it.skipIf(mayBe || !isThere(what, false))(`takes ${what}`, () => undefined);
});
