import { describe, expect, it } from 'vitest';
import { compareShapes } from '../../src/data-graph/compare-shapes.ts';
import { type ShapeSource, toShape } from '../../src/data-graph/to-shape.ts';
import type { Variable } from '../../src/query/variables.ts';

function changes(from: Partial<ShapeSource>, to: Partial<ShapeSource>): readonly string[] {
  const airport = { field: 'airport', description: '', columns: [], variables: [] };
  const found = compareShapes(toShape({ ...airport, ...from }), toShape({ ...airport, ...to }));
  return found.map(({ kind, place, message }) => {
    expect(message).toContain(place);
    return `${kind}: ${message}`;
  });
}

const column = (type: string, name = 'x') => ({ columns: [{ name, type }] });
const variables = (type: string, more: Partial<Variable> = {}) => ({
  variables: [{ name: 'x', type, required: true, default: null, description: '', ...more }],
});
const optional = (value: unknown) => ({ required: false, default: value });

describe('what breaks callers', () => {
  it.each([
    ['a column that is gone', column('Int8'), {}, 'field_removed: airport.rows.x was removed.'],
    [
      'a column of another type',
      column('Int8'),
      column('String'),
      'field_type_changed: The type of airport.rows.x changed from Int! to String!.',
    ],
    [
      'a column that may be null',
      column('Array(Int8)'),
      column('Array(Nullable(Int8))'),
      'field_type_changed: The type of airport.rows.x changed from [Int!]! to [Int]!.',
    ],
    [
      'an element of a tuple that is gone',
      column('Array(Tuple(a Int8, b Tuple(c Int8)))'),
      column('Array(Tuple(a Int8, b Tuple(d Int8)))'),
      'field_removed: airport.rows.x.b.c was removed.',
    ],
    [
      'a tuple that is no object any more',
      column('Tuple(a Int8)'),
      column('Tuple(Int8)'),
      'field_type_changed: The type of airport.rows.x changed from AirportRow_x! to JSON!.',
    ],
    [
      'an argument that is gone',
      variables('Int8'),
      {},
      'argument_removed: airport(x:) was removed.',
    ],
    [
      'an argument of another type',
      variables('Int8'),
      variables('String'),
      'argument_type_changed: The type of airport(x:) changed from Int! to String!.',
    ],
    ['a new argument', {}, variables('Int8'), 'argument_required: airport(x:) is now required.'],
    [
      'an argument without its default',
      variables('Int8', optional(1)),
      variables('Int8'),
      'argument_required: airport(x:) is now required.',
    ],
    [
      'an argument that may be null and has to be given',
      variables('Nullable(Int8)', optional(1)),
      variables('Nullable(Int8)'),
      'argument_required: airport(x:) is now required.',
    ],
    [
      'an argument that is never null',
      variables('Nullable(Int8)', optional(1)),
      variables('Int8', optional(1)),
      'argument_type_changed: airport(x:) can no longer be null.',
    ],
    [
      'a value that is not taken',
      variables("Enum8('a' = 1, 'b' = 2)"),
      variables("Enum8('a' = 1)"),
      'value_removed: airport(x:) no longer accepts b.',
    ],
  ])('%s', (_what, from, to, message) => {
    expect(changes(from, to)).toEqual([message]);
  });

  it('a column that can no longer be sorted by', () => {
    expect(changes(column('Date'), column('Map(String, String)'))).toEqual([
      'field_type_changed: The type of airport.rows.x changed from Date! to JSON!.',
      'value_removed: airport(orderBy:) no longer accepts x.',
    ]);
  });
});

describe('what breaks nobody', () => {
  it.each([
    ['nothing', column('Int8'), column('Int8')],
    ['another column', {}, column('Int8')],
    ['a type of the same values', column('Int8'), column('Int32')],
    ['a column that is never null any more', column('Nullable(Int8)'), column('Int8')],
    ['another order of a tuple', column('Tuple(a Int8, b Int8)'), column('Tuple(b Int8, a Int8)')],
    ['an argument that may be left out', {}, variables('Int8', optional(1))],
    ['an argument that may be left out now', variables('Int8'), variables('Int8', optional(1))],
    ['another default', variables('Int8', optional(2)), variables('Int8', optional(1))],
    ['an argument that may be null', variables('Int8'), variables('Nullable(Int8)')],
    ['another value', variables("Enum8('a' = 1)"), variables("Enum8('a' = 1, 'b' = 2)")],
  ])('%s', (_what, from, to) => {
    expect(changes(from, to)).toEqual([]);
  });
});
