/**
 * Every type of the engine in every format, read back by programs of others and by the engine. What a value is in a
 * format is written down in support/value-cases.ts, not asked of anybody.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { batchesOf, sampled, systematic } from './support/every-type.ts';
import { wrongCells } from './support/type-batches.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

describe('every type, alone and in each container', () => {
  it.each(batchesOf(systematic).map((batch) => [batch[0]?.type, batch] as const))(
    'from %s on',
    async (_first, batch) => {
      expect(await wrongCells(test, batch)).toEqual([]);
    },
  );
});

describe('types in types in types', () => {
  it.each(batchesOf(sampled(1, 300)).map((batch) => [batch[0]?.type, batch] as const))(
    'from %s on',
    async (_first, batch) => {
      expect(await wrongCells(test, batch)).toEqual([]);
    },
  );
});
