/** docs/materialization.md: each example of a refusal is refused, and what it offers instead is not. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { readPage, tableRows } from '../../docs/markdown.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

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
  laboratory = await openLaboratory(inject('engine'), 598);
  await laboratory.admin(
    'CREATE TABLE events (id UInt64, user String, country String, amount Int32, price Float64, tags Array(String), ts DateTime, day Date) ENGINE = MergeTree ORDER BY ts',
  );
  await laboratory.admin(
    'CREATE TABLE users (user String, plan String) ENGINE = MergeTree ORDER BY user',
  );
});
afterAll(() => laboratory?.close());

it('has an example in every row', () => {
  expect(rows.length).toBeGreaterThan(30);
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
