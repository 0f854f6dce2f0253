/** What the names and places of a query mean, which the planner takes from the engine: exact, or refused. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { createFlights, exact, flightTables, refusedWritten } from '../support/written.ts';

let laboratory: Laboratory;
/** The same tables without rows. */
let empty: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createFlights(laboratory);
  empty = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createFlights(empty);
  for (const table of flightTables) await empty.admin(`TRUNCATE TABLE ${table}`);
});
afterAll(() => {
  laboratory?.close();
  empty?.close();
});

describe('exact without a proof', () => {
  it.each(exact)('$sql', async (query) => {
    const planned = await laboratory.plan(query);
    if (planned.kind === 'refusal') throw new Error(planned.reason);
    const { plan } = planned;
    // A plan holds whatever rows come later.
    expect(await empty.plan(query)).toEqual(planned);
    const table = await laboratory.store(plan);
    for (const values of query.values) {
      const inline = await laboratory.run(query, values);
      expect(inline[0]).not.toMatch(/^error/);
      expect(await laboratory.read({ plan, table }, query, values)).toEqual(inline);
    }
  });
});

it('groups rows before it stores them if GROUP BY and ORDER BY give an alias again', async () => {
  const hour = 'toStartOfHour(date) AS hour';
  const sql = `SELECT ${hour}, count() AS n FROM flights WHERE delay > {d:Int16} GROUP BY ${hour} ORDER BY ${hour}`;
  expect(await laboratory.plan({ sql })).toMatchObject({
    plan: { storedQuery: expect.stringContaining('count()') },
  });
});

describe('refused', () => {
  it.each(refusedWritten)('%s', async (sql, says) => {
    expect(await laboratory.plan({ sql })).toEqual({
      kind: 'refusal',
      reason: expect.stringMatching(says),
    });
  });
});
