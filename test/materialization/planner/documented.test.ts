/** docs/materialization.md: each example of a refusal is refused, and what it offers instead is not; optional filters are exact. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readPage, tableRows } from '../../docs/markdown.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';

const page = readPage(path.resolve(import.meta.dirname, '../../../docs/materialization.md'));
const rows = tableRows(page, 'What is refused').map(([what = '', example = '', instead = '']) => ({
  what,
  examples: queriesIn(example),
  instead: queriesIn(instead),
}));
/** What the engine is told beforehand cannot show how many rows there are. */
const ofSize = 'more rows than the limit';
let laboratory: Laboratory;

function queriesIn(cell: string): readonly string[] {
  const codes = [...cell.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , code = '']) => code);
  return codes.filter((code) => /^(SELECT|WITH) /.test(code));
}

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE events (id UInt64, user String, country String, amount Int32, price Float64, tags Array(String), ts DateTime, day Date) ENGINE = MergeTree ORDER BY ts',
  );
  await laboratory.admin(
    "INSERT INTO events SELECT number, concat('u', toString(number % 7)), ['de', 'fr', 'us'][number % 3 + 1], number % 5 - 1, number / 4, [concat('t', toString(number % 4))], toDateTime('2024-01-01 00:00:00') + number * 50000, toDate('2024-01-01') + number % 40 FROM numbers(200)",
  );
  await laboratory.admin(
    'CREATE TABLE users (user String, plan String) ENGINE = MergeTree ORDER BY user',
  );
});
afterAll(() => laboratory?.close());

it('has an example in every row', () => {
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter(({ examples }) => examples.length === 0)).toEqual([]);
});

describe.each(rows.filter(({ what }) => what !== ofSize))('$what', ({ examples, instead }) => {
  it.each(examples)('%s', async (sql) => {
    expect(await laboratory.plan({ sql })).toMatchObject({
      kind: 'refusal',
      reason: expect.not.stringContaining('The engine does not take a part'),
    });
  });

  it.each(instead)('instead: %s', async (sql) => {
    expect(await laboratory.plan({ sql })).toMatchObject({ kind: 'plan' });
  });
});

const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const optional = tableRows(page, 'Optional filters').map(
  ([what = '', condition = '', values = '']) => ({
    what,
    condition: codes(condition)[0] ?? '',
    values: codes(values).map((code) => JSON.parse(code) as Values),
  }),
);

it('documents optional filters', () => {
  expect(optional.length).toBeGreaterThan(6);
});

describe.each(optional)('optional: $what', ({ condition, values }) => {
  it.each([
    `SELECT id FROM events WHERE ${condition} ORDER BY id`,
    `SELECT country, count(), sum(amount) FROM events WHERE ${condition} GROUP BY country ORDER BY country`,
  ])('%s', async (sql) => {
    const planned = await laboratory.plan({ sql });
    if (planned.kind === 'refusal') throw new Error(planned.reason);
    const stored = { plan: planned.plan, table: await laboratory.store(planned.plan) };
    for (const given of values) {
      const inline = await laboratory.run({ sql }, given);
      expect(inline[0]).not.toMatch(/^error/);
      expect(await laboratory.read(stored, { sql }, given)).toEqual(inline);
    }
  });
});
