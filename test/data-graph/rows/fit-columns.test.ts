import { describe, expect, it } from 'vitest';
import { fitColumns } from '../../../src/data-graph/rows/fit-columns.ts';
import { toShape } from '../../../src/data-graph/to-shape.ts';

type Columns = readonly (readonly [name: string, type: string])[];
const named = (columns: Columns) => columns.map(([name, type]) => ({ name, type }));
const shapeOf = (columns: Columns) =>
  toShape({ field: 'x', description: '', columns: named(columns), variables: [] });

/** The misfits of all columns, by name, and the layout. */
function compared(
  declared: Columns,
  result: Columns,
  selected: readonly number[] = declared.map((_, at) => at),
) {
  const { layout, misfits } = fitColumns(shapeOf(declared), selected, named(result));
  return { ...layout, misfits: misfits.map(({ column, found }) => [column.source, found]) };
}

describe('fitColumns', () => {
  it('finds columns by their names, wherever they are', () => {
    const declared: Columns = [
      ['a', 'UInt8'],
      ['b', 'String'],
    ];
    expect(compared(declared, declared)).toEqual({ width: 2, positions: [0, 1], misfits: [] });
    const moved: Columns = [
      ['new', 'Date'],
      ['b', 'String'],
      ['a', 'UInt8'],
    ];
    expect(compared(declared, moved)).toEqual({ width: 3, positions: [2, 1], misfits: [] });
    expect(compared(declared, [['b', 'String']], [1])).toEqual({
      width: 1,
      positions: [-1, 0],
      misfits: [],
    });
  });

  it('names selected columns that are gone, and no others', () => {
    const declared: Columns = [
      ['a', 'UInt8'],
      ['b', 'String'],
    ];
    expect(compared(declared, [['b', 'String']]).misfits).toEqual([['a', null]]);
    expect(compared(declared, [['b', 'Date']], [1]).misfits).toEqual([['b', 'Date']]);
    expect(compared(declared, [['b', 'Date']], []).misfits).toEqual([]);
  });

  it('tells columns that share a name apart by their order, unless there are more or fewer', () => {
    const declared: Columns = [
      ['a', 'UInt8'],
      ['b', 'String'],
      ['a', 'String'],
    ];
    const moved: Columns = [
      ['b', 'String'],
      ['a', 'UInt8'],
      ['a', 'String'],
    ];
    expect(compared(declared, moved)).toEqual({ width: 3, positions: [1, 0, 2], misfits: [] });
    expect(
      compared(declared, [
        ['a', 'String'],
        ['b', 'String'],
      ]).misfits,
    ).toEqual([
      ['a', null],
      ['a', null],
    ]);
    expect(
      compared(
        [['b', 'String']],
        [
          ['b', 'String'],
          ['b', 'String'],
        ],
      ).misfits,
    ).toEqual([['b', null]]);
  });

  it.each([
    ['UInt32', 'UInt64'],
    ['Int8', 'UInt16'],
    ['String', 'LowCardinality(FixedString(3))'],
    ['String', "Enum8('a' = 1)"],
    ['DateTime', "DateTime64(3, 'Asia/Tokyo')"],
    ['Nullable(UInt8)', 'UInt8'],
    ['Array(Nullable(UInt8))', 'Array(Int8)'],
    ['Tuple(a UInt8, b Nullable(String))', 'Tuple(`a` Int32, b String)'],
    ['Array(Tuple(a Tuple(b UInt8)))', 'Nested(a Tuple(b Int8))'],
    ['Map(String, UInt8)', 'JSON'],
    ['Float64', 'Nullable(Float32)'],
  ])('takes for %s what is written alike: %s', (declared, found) => {
    expect(compared([['a', declared]], [['a', found]]).misfits).toEqual([]);
  });

  it.each([
    ['UInt32', 'UInt16'],
    ['UInt64', 'UInt128'],
    ['UInt8', 'Nullable(UInt8)'],
    ['Array(UInt8)', 'Array(Nullable(UInt8))'],
    ['Array(UInt8)', 'UInt8'],
    ['UInt8', 'Array(UInt8)'],
    ['Tuple(a UInt8, b UInt8)', 'Tuple(b UInt8, a UInt8)'],
    ['Tuple(a UInt8, b UInt8)', 'Tuple(a UInt8)'],
    ['Tuple(a UInt8)', 'Tuple(a UInt8, b UInt8)'],
    ['Tuple(a UInt8)', 'Tuple(a String)'],
    ['Tuple(a UInt8)', 'Tuple(UInt8)'],
    ['Tuple(UInt8)', 'Tuple(a UInt8)'],
    ['Tuple(a Tuple(b UInt8))', 'Tuple(a Tuple(c UInt8))'],
    ['Tuple(a UInt8)', 'Nullable(Tuple(a UInt8))'],
    ['Date', 'DateTime'],
    ['JSON', 'Dynamic'],
  ])('refuses for %s what is not: %s', (declared, found) => {
    expect(compared([['a', declared]], [['a', found]]).misfits).toEqual([['a', found]]);
  });
});
