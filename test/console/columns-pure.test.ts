/** What the console does with the columns of a result, by their types. */
import { describe, expect, it } from 'vitest';
import { toJsonLine } from '../../src/console/run/cell-values.ts';
import { chartChoice } from '../../src/console/run/chart-choice.ts';
import { bareType, elementType, kindOf } from '../../src/console/run/clickhouse-types.ts';
import { copyFormats } from '../../src/console/run/copy-as.ts';
import { isOrderable, orderOf } from '../../src/console/run/grid-order.ts';

const sum = { name: 'n', type: 'SimpleAggregateFunction(sum, UInt64)' };

describe('a column of SimpleAggregateFunction', () => {
  it.each([
    ['SimpleAggregateFunction(sum, UInt64)', 'UInt64'],
    ['SimpleAggregateFunction(anyLast, LowCardinality(Nullable(String)))', 'String'],
    ['Nullable(SimpleAggregateFunction(max,Decimal(10, 2)))', 'Decimal(10, 2)'],
    ['SimpleAggregateFunction(groupArrayArray(3), Array(UInt8))', 'Array(UInt8)'],
    ['AggregateFunction(sum, UInt64)', 'AggregateFunction(sum, UInt64)'],
  ])('%s is one of %s', (type, bare) => {
    expect(bareType(type)).toBe(bare);
  });

  it('is sorted, drawn and copied as one of the type within', () => {
    expect(kindOf(sum.type)).toBe('integer');
    expect(elementType('SimpleAggregateFunction(groupUniqArrayArray, Array(Int64))')).toBe('Int64');
    expect([
      ...(orderOf([sum], [['10'], ['9']], [{ column: 0, descending: false }]) ?? []),
    ]).toEqual([1, 0]);
    expect(toJsonLine([sum], ['9007199254740993'])).toBe('{"n": 9007199254740993}');
    const day = { name: 'day', type: 'SimpleAggregateFunction(max, Date)' };
    expect(chartChoice([day, sum], new URLSearchParams())).toEqual({ kind: 'line', x: 0, ys: [1] });
    const map = { name: 'm', type: 'SimpleAggregateFunction(sumMap, Map(String, UInt64))' };
    expect(isOrderable([sum, map], 0)).toBe(true);
    expect(isOrderable([sum, map], 1)).toBe(false);
  });

  it('has the type of its values in copied code', () => {
    const word = { name: 'w', type: 'SimpleAggregateFunction(any, Nullable(String))' };
    const text = copyFormats.TypeScript?.({
      origin: 'http://127.0.0.1',
      projectId: '1',
      name: 'e',
      version: null,
      limit: 1,
      variables: {},
      orderBy: [],
      columns: [sum, word],
    });
    expect(text).toContain('"n": number;\n  "w": string | null;');
  });
});

describe('rows without a value', () => {
  const columns = [sum, { name: 'x', type: 'Nullable(Float64)' }];
  const rows = [
    [null, 1],
    ['2', null],
    ['10', 3],
    ['2', 2],
  ];
  const sorted = (...keys: readonly [column: number, descending: boolean][]) => [
    ...(orderOf(
      columns,
      rows,
      keys.map(([column, descending]) => ({ column, descending })),
    ) ?? []),
  ];

  it('come last in either direction, as in ORDER BY', () => {
    expect(sorted([0, false])).toEqual([1, 3, 2, 0]);
    expect(sorted([0, true])).toEqual([2, 1, 3, 0]);
    expect(sorted([0, true], [1, true])).toEqual([2, 3, 1, 0]);
    expect(sorted([1, true])).toEqual([2, 3, 0, 1]);
  });
});
