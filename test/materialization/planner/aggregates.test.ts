/**
 * Aggregates over expressions of every kind of value: what a plan reads is what the query gives, over no rows, few and
 * many. The planner alone: nothing of what a sync would prove is asked.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import {
  createGrid,
  type GridCase,
  gridAggregates,
  gridExpressions,
  gridQueries,
} from '../support/aggregate-grid.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), 587);
  await createGrid(laboratory);
});
afterAll(() => laboratory?.close());

interface Tally {
  /** Combinations of an aggregate, an expression and a way to group. */
  readonly compared: Set<string>;
  readonly refused: Map<string, string>;
}

/** Items that the engine takes at all: no sum of texts. All at once where it takes all, else those of each half. */
async function takenItems(items: readonly string[]): Promise<readonly string[]> {
  const list = items.map((item, at) => `${item} AS a${at}`).join(', ');
  const described = laboratory.analysis.describe(`SELECT ${list} FROM grid`, {});
  if (await described.then(isDone, isOfText)) return items;
  if (items.length === 1) return [];
  const middle = Math.ceil(items.length / 2);
  const first = await takenItems(items.slice(0, middle));
  return [...first, ...(await takenItems(items.slice(middle)))];
}

const isDone = () => true;

/** Only what the engine does not take is left out, not what it could not answer. */
function isOfText(error: unknown): boolean {
  if (error instanceof ServiceError && error.code === 'invalid_query') return false;
  throw error;
}

/** Compares the queries of all items; where they are refused together, those of each half. */
async function compareItems(items: readonly string[], tally: Tally): Promise<void> {
  const count = gridQueries(items).length;
  let accepted = items;
  for (let form = 0; form < count; form += 1) {
    accepted = await acceptedOf(accepted, form, tally);
    for (const item of accepted) tally.compared.add(`${form} ${item}`);
  }
}

async function acceptedOf(
  items: readonly string[],
  form: number,
  tally: Tally,
): Promise<readonly string[]> {
  const query = gridQueries(items)[form];
  if (query === undefined || items.length === 0) return [];
  const refusal = await compareQuery(query);
  if (refusal === null) return items;
  const middle = Math.ceil(items.length / 2);
  if (items.length === 1) tally.refused.set(items.join(), refusal);
  if (items.length === 1) return [];
  const first = await acceptedOf(items.slice(0, middle), form, tally);
  return [...first, ...(await acceptedOf(items.slice(middle), form, tally))];
}

async function compareQuery(query: GridCase): Promise<string | null> {
  const planned = await laboratory.plan(query);
  if (planned.kind === 'refusal') return planned.reason;
  const { plan } = planned;
  const table = await laboratory.store(plan);
  for (const values of query.values) {
    const [inline, read] = await Promise.all([
      laboratory.run(query, values),
      laboratory.read({ plan, table }, query, values),
    ]);
    expect({ sql: query.sql, values, rows: read }).toEqual({
      sql: query.sql,
      values,
      rows: inline,
    });
    expect(inline[0]).not.toMatch(/^error/);
  }
  await laboratory.drop(table);
  return null;
}

it('aggregates from partial states and from whole groups equal those of the inline run', async () => {
  const tally: Tally = { compared: new Set(), refused: new Map() };
  let next = 0;
  const work = async () => {
    for (let at = next++; at < gridExpressions.length; at = next++) {
      const expression = gridExpressions[at] ?? '';
      const items = gridAggregates.map((text) => text.replaceAll('$', () => expression));
      await compareItems(await takenItems([...new Set(items)]), tally);
    }
  };
  await Promise.all([work(), work(), work()]);
  console.info(`${tally.compared.size} combinations compared, ${tally.refused.size} refused`);
  const others = [...tally.refused].filter(([, reason]) => !/floating point/.test(reason));
  expect(others).toEqual([]);
  expect(tally.compared.size).toBeGreaterThan(5000);
});
