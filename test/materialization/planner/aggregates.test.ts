/**
 * Aggregates over expressions of every kind of value: what a plan reads is what the query gives, over no rows, few and
 * many. The planner alone: nothing of what a sync would prove is asked. TEST_GRID=whole tries each in every query.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import {
  createGrid,
  type GridCase,
  gridAggregates,
  gridExpressions,
  gridFormsOf,
  gridQueries,
  isWholeGrid,
} from '../support/aggregate-grid.ts';
import { meetsZero } from '../support/comparison.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { withNearSums } from '../support/near-sums.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await createGrid(laboratory);
});
afterAll(() => laboratory?.close());

interface Tally {
  /** Combinations of an aggregate, an expression and a way to group. */
  readonly compared: Set<string>;
  readonly refused: Map<string, string>;
  /** Aggregates that were refused of a type; of its other expressions they are planned one by one. */
  readonly refusedOf: Map<string, Set<string>>;
}

/** An aggregate of an expression. */
interface GridItem {
  readonly text: string;
  readonly aggregate: string;
  /** Of the expression. */
  readonly type: string;
}

/** The aggregates that the engine takes of a type, which it is asked once. */
const takenOf = new Map<string, Promise<readonly string[]>>();

async function itemsOf(expression: string): Promise<readonly GridItem[]> {
  const columns = await laboratory.analysis.describe(`SELECT ${expression} AS e FROM grid`, {});
  const type = columns[0]?.type ?? '';
  const over = (aggregate: string) => aggregate.replaceAll('$', () => expression);
  const known = takenOf.get(type) ?? takenAggregates(gridAggregates, over);
  takenOf.set(type, known);
  const items = (await known).map((aggregate) => ({ text: over(aggregate), aggregate, type }));
  return items.filter(({ text }, at) => items.findIndex((other) => other.text === text) === at);
}

/** Those that the engine takes at all: no sum of texts. All at once where it takes all, else those of each half. */
async function takenAggregates(
  aggregates: readonly string[],
  over: (aggregate: string) => string,
): Promise<readonly string[]> {
  const list = aggregates.map((aggregate, at) => `${over(aggregate)} AS a${at}`).join(', ');
  const described = laboratory.analysis.describe(`SELECT ${list} FROM grid`, {});
  if (await described.then(isDone, isOfText)) return aggregates;
  if (aggregates.length === 1) return [];
  const middle = Math.ceil(aggregates.length / 2);
  const first = await takenAggregates(aggregates.slice(0, middle), over);
  return [...first, ...(await takenAggregates(aggregates.slice(middle), over))];
}

const isDone = () => true;

/** Only what the engine does not take is left out, not what it could not answer. */
function isOfText(error: unknown): boolean {
  if (error instanceof ServiceError && error.code === 'invalid_query') return false;
  throw error;
}

/** Compares the queries of an expression's items; where they are refused together, those of each half. */
async function compareItems(
  expression: string,
  items: readonly GridItem[],
  tally: Tally,
): Promise<void> {
  const isOdd = ({ type, aggregate }: GridItem) =>
    tally.refusedOf.get(type)?.has(aggregate) === true;
  const groups = [
    items.filter((item) => !isOdd(item)),
    ...items.filter(isOdd).map((item) => [item]),
  ];
  let accepted = groups;
  for (const form of gridFormsOf(expression)) {
    const next: (readonly GridItem[])[] = [];
    for (const group of accepted) next.push(await acceptedOf(group, form, tally));
    accepted = [next.flat()];
    for (const { text } of next.flat()) tally.compared.add(`${form} ${text}`);
  }
}

async function acceptedOf(
  items: readonly GridItem[],
  form: number,
  tally: Tally,
): Promise<readonly GridItem[]> {
  const query = gridQueries(items.map(({ text }) => text))[form];
  const [item] = items;
  if (query === undefined || item === undefined) return [];
  const refusal = await compareQuery(query);
  if (refusal === null) return items;
  if (items.length === 1) {
    tally.refused.set(item.text, refusal);
    const refused = tally.refusedOf.get(item.type) ?? new Set();
    tally.refusedOf.set(item.type, refused.add(item.aggregate));
    return [];
  }
  const middle = Math.ceil(items.length / 2);
  const first = await acceptedOf(items.slice(0, middle), form, tally);
  return [...first, ...(await acceptedOf(items.slice(middle), form, tally))];
}

async function compareQuery(query: GridCase): Promise<string | null> {
  const planned = await laboratory.plan(query);
  if (planned.kind === 'refusal') return planned.reason;
  const { plan } = planned;
  const table = await laboratory.store(plan).catch(meetsZero);
  if (table === null) return 'floating point numbers with -0 among them';
  for (const values of query.values) {
    const [inline, read] = await Promise.all([
      laboratory.run(query, values),
      laboratory.read({ plan, table }, query, values),
    ]);
    expect({ sql: query.sql, values, rows: withNearSums(read, inline, query.sums) }).toEqual({
      sql: query.sql,
      values,
      rows: inline,
    });
    expect(inline[0]).not.toMatch(/^error/);
  }
  await laboratory.drop(table);
  return null;
}

const tally: Tally = { compared: new Set(), refused: new Map(), refusedOf: new Map() };

const perTest = 12;
const parts = Array.from({ length: Math.ceil(gridExpressions.length / perTest) }, (_, at) =>
  gridExpressions.slice(at * perTest, (at + 1) * perTest),
);

describe('aggregates from partial states and from whole groups equal those of the inline run', () => {
  it.each(parts.map((part) => [part[0], part] as const))('%s and others', async (_first, part) => {
    const before = tally.compared.size;
    const left = [...part];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift())
        await compareItems(next, await itemsOf(next), tally);
    };
    await Promise.all([work(), work(), work()]);
    expect(tally.compared.size).toBeGreaterThan(before);
  });

  it('of which only some over floating point numbers are refused', () => {
    console.info(`${tally.compared.size} combinations compared, ${tally.refused.size} refused`);
    const others = [...tally.refused].filter(([, reason]) => !/floating point/.test(reason));
    expect(others).toEqual([]);
    const exact = /^(sum|avg|minArray|maxForEach|argMaxArray)/;
    expect([...tally.refused].filter(([item]) => exact.test(item))).toEqual([]);
    expect(tally.compared.size).toBeGreaterThan(isWholeGrid ? 7000 : 4000);
  });
});
