/** The short run of `npm run faults -- fleet`: what callers of three processes get while one of them, or the engine, is lost. */
import { expect, it } from 'vitest';
import { isThere } from '../support/needs.ts';
import { tryFleet, whyNoFleet } from './fleet/fleet.ts';

const { what = '', mayBe = false } = whyNoFleet() ?? {};
const canRun = what === '' || (!mayBe && isThere(what, false));

it.runIf(canRun)('no answer of a fleet is wrong, whatever happens to it', async () => {
  const rows = await tryFleet('short', ['killed', 'engine']);
  expect(rows.map(({ wrong }) => wrong)).toEqual([0, 0]);
  for (const { sent, failed } of rows) expect(sent).toBeGreaterThan(failed);
});
