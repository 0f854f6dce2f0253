/** Generated queries that give names over and over: what a plan reads is what the engine gives. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { createShadowed, shadows } from '../support/shadows.ts';
import type { Written } from '../support/written.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createShadowed(laboratory);
});
afterAll(() => laboratory?.close());

const sorted = (lines: readonly string[]) => [...lines.slice(0, 2), ...lines.slice(2).toSorted()];

/** Whether there was something to compare. */
async function compareWritten(query: Written): Promise<boolean> {
  const [first = {}] = query.values;
  if ((await laboratory.run(query, first))[0]?.startsWith('error')) return false;
  const planned = await laboratory.plan(query);
  if (planned.kind === 'refusal') return false;
  const { plan } = planned;
  const table = await laboratory.store(plan);
  for (const values of query.values) {
    const read = await laboratory.read({ plan, table }, query, values);
    const inline = await laboratory.run(query, values);
    expect([query.sql, values, ...sorted(read)]).toEqual([query.sql, values, ...sorted(inline)]);
  }
  await laboratory.drop(table);
  return true;
}

it('gives the same under whatever names', async () => {
  const examples = fc.sample(shadows, { seed: Number(process.env.TEST_SEED ?? 77), numRuns: 300 });
  let next = 0;
  let compared = 0;
  const work = async () => {
    for (let at = next++; at < examples.length; at = next++) {
      const example = examples[at];
      if (example !== undefined && (await compareWritten(example))) compared += 1;
    }
  };
  await Promise.all([work(), work(), work()]);
  console.info(`${compared} generated queries compared`);
  expect(compared).toBeGreaterThan(90);
});
