/** Decimals compared with other types of numbers: when the index finds the rows, and that it finds the right ones. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isIndexable } from '../../../src/materialization/planner/column-types.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;

const columns = [
  [9, 0],
  [9, 2],
  [18, 2],
  [20, 2],
  [38, 2],
  [38, 20],
  [76, 4],
] as const;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  for (const [precision, scale] of columns) {
    await laboratory.admin(
      `CREATE TABLE d_${precision}_${scale} (d Decimal(${precision}, ${scale}), id UInt64) ENGINE = MergeTree ORDER BY d SETTINGS index_granularity = 1 AS SELECT (number - 50) / 100 AS d, number AS id FROM numbers(100)`,
    );
  }
});
afterAll(() => laboratory?.close());

const integers = 'Int8 UInt8 Int16 Int32 UInt32 Int64 UInt64 Int128 UInt256'.split(' ');
const decimals = [
  'Decimal(9, 1)',
  'Decimal(9, 4)',
  'Decimal(18, 1)',
  'Decimal(18, 2)',
  'Decimal(18, 4)',
  'Decimal(38, 2)',
  'Decimal(38, 10)',
  'Decimal(76, 1)',
];
const operators = ['=', '<', '<=', '>', '>='];
const valuesOf = (type: string) =>
  type.includes('Int') ? ['0', '100'] : ['0', '-0.1', '0.001', '0.1099'];

describe.each(columns)('a Decimal(%i, %i)', (precision, scale) => {
  const [column, table] = [`Decimal(${precision}, ${scale})`, `d_${precision}_${scale}`];

  it('is found by the sorting key with numbers that it has digits for, and rightly with all', async () => {
    for (const [at, type] of [...integers, ...decimals, 'Float64'].entries()) {
      const operator = operators[at % operators.length] ?? '';
      const rows = (left: string, x: string) =>
        laboratory.run(
          { sql: `SELECT id FROM ${table} WHERE ${left} ${operator} {x:${type}} ORDER BY id` },
          { x },
        );
      for (const x of valuesOf(type)) {
        expect([type, x, await rows('d', x)]).toEqual([type, x, await rows('identity(d)', x)]);
      }
      const explained = await laboratory.run(
        { sql: `EXPLAIN indexes = 1 SELECT id FROM ${table} WHERE d >= {x:${type}}` },
        { x: '1' },
      );
      const isUsed = explained.some((line) => line.includes('Condition: (d in '));
      if (isIndexable(column, type)) expect([type, isUsed]).toEqual([type, true]);
    }
  });
});
