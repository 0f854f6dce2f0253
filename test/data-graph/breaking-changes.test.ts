/** What an update is said to break, compared with what graphql-js finds between the two schemas. */
import fc from 'fast-check';
import { type BreakingChange, findBreakingChanges } from 'graphql';
import { expect, it } from 'vitest';
import { compareShapes } from '../../src/data-graph/compare-shapes.ts';
import type { GraphShape, TypeRef } from '../../src/data-graph/shape.ts';
import { type ShapeSource, toShape } from '../../src/data-graph/to-shape.ts';
import { schemaOf } from '../../src/graphql/data-graph/shape-types.ts';
import type { Variable } from '../../src/query/variables.ts';

const field = 'airport';
type Source = Pick<ShapeSource, 'columns' | 'variables' | 'text'>;

const columnTypes = [
  'UInt8',
  'Int32',
  'Nullable(Int32)',
  'UInt64',
  'String',
  'Float64',
  'Map(String, UInt8)',
  'Array(String)',
  'Array(Nullable(String))',
  'Tuple(a UInt8, b String)',
  'Tuple(a UInt8, c Nullable(String))',
  'Array(Tuple(a Tuple(b UInt8), d String))',
  'Tuple(a Tuple(b Nullable(UInt8)))',
  'Tuple(UInt8, String)',
];
const columnNames = ['day', 'avg_delay', 'avgDelay', 'x', 'x_a', 'X-A', 'rows'];
const variableTypes = [
  ['UInt8', 5],
  ['Nullable(UInt8)', 7],
  ['String', 'x'],
  ['Array(UInt8)', [1]],
  ['Array(Nullable(UInt8))', [null]],
  ["Enum8('a' = 1, 'b' = 2)", 'a'],
  ["Enum8('a' = 1, 'c' = 3)", 'a'],
  ["Enum8('a b' = 1)", 'a b'],
  ['Map(String, UInt8)', { a: 1 }],
  ['Tuple(UInt8, String)', [1, 'x']],
  ['Number', 5],
  ['List', ['x']],
  ['Date', '2001-01-01'],
] as const;

const column = fc.record({
  name: fc.constantFrom(...columnNames),
  type: fc.constantFrom(...columnTypes),
});
const variable: fc.Arbitrary<Variable> = fc
  .record({
    name: fc.constantFrom('code', 'min_late', 'minLate', 'run', 'orderBy'),
    typed: fc.constantFrom(...variableTypes),
    given: fc.constantFrom('required', 'default', 'null', 'text', 'unfit'),
  })
  .map(({ name, typed: [type, value], given }) => ({
    name,
    type,
    required: given === 'required',
    default: defaultOf(given, value),
    description: '',
  }));
const source: fc.Arbitrary<Source> = fc
  .record({
    columns: fc.array(column, { minLength: 1, maxLength: 5 }),
    variables: fc.uniqueArray(variable, { maxLength: 3, selector: ({ name }) => name }),
    isKept: fc.boolean(),
  })
  .map(({ columns, variables, isKept }) => ({
    columns,
    variables,
    text: isKept ? variables.map(({ name }) => `{variables.${name}}`).join(' ') : '',
  }));

function defaultOf(given: string, value: unknown): unknown {
  if (given === 'default') return value;
  if (given === 'text') return JSON.stringify(value);
  return given === 'unfit' ? { no: [value] } : null;
}

/** Another query, or the same with one part of the other in place of its own. */
const update: fc.Arbitrary<readonly [Source, Source]> = fc
  .tuple(
    source,
    source,
    fc.constantFrom('all', 'columns', 'column', 'variables', 'variable', 'order'),
  )
  .map(([from, other, what]) => [from, changed(from, other, what)]);

function changed(from: Source, other: Source, what: string): Source {
  const replaced = <T>(items: readonly T[], others: readonly T[]) => [
    ...items.slice(0, -1),
    ...others.slice(0, 1),
  ];
  switch (what) {
    case 'columns':
      return { ...from, columns: other.columns };
    case 'column':
      return { ...from, columns: replaced(from.columns, other.columns) };
    case 'variables':
      return { ...other, columns: from.columns };
    case 'variable': {
      const variables = replaced(from.variables, other.variables);
      const names = variables.map(({ name }) => name);
      const isOnce = new Set(names).size === names.length;
      return isOnce ? { ...from, variables } : from;
    }
    case 'order':
      return { ...from, columns: from.columns.toReversed() };
    default:
      return other;
  }
}

/** Places of the object types of a shape: `AirportRow_x` is at `airport.rows.x`. */
function placesOf(shape: GraphShape): ReadonlyMap<string, string> {
  const places = new Map([[shape.rowType, `${field}.rows`]]);
  const add = (place: string, type: TypeRef): void => {
    const object = shape.objects.find(({ name }) => name === innermost(type));
    if (object === undefined) return;
    places.set(object.name, place);
    for (const member of object.fields) add(`${place}.${member.name}`, member.type);
  };
  for (const { name, type } of shape.columns) add(`${field}.rows.${name}`, type);
  for (const { name, type } of shape.args)
    for (const one of shape.enums)
      if (JSON.stringify(type).includes(`"${one.name}"`))
        places.set(one.name, `${field}(${name}:)`);
  return places;
}

function innermost(type: TypeRef): string {
  return 'list' in type ? innermost(type.list) : type.name;
}

/** Where callers would notice what graphql-js found; null: wherever something is told. */
function placeOf({ description }: BreakingChange, shape: GraphShape): string | null {
  const places = placesOf(shape);
  const [, argument] = /\barg(?:ument)? (\w+)/.exec(description) ?? [];
  if (argument !== undefined) return argument === 'orderBy' ? null : `${field}(${argument}:)`;
  const [, type = '', member = ''] = /^(\w+)\.(\w+) /.exec(description) ?? [];
  const at = places.get(type);
  if (at !== undefined) return `${at}.${member}`;
  const [, value, enumType = ''] =
    /^(\w+) was removed from enum type (\w+)/.exec(description) ?? [];
  if (value !== undefined) return places.get(enumType) ?? null;
  return places.get(/^(\w+)/.exec(description)?.[1] ?? '') ?? null;
}

/** To graphql-js a default that is gone is only a danger, and the schema cannot say of an argument that may be null that it has to be given. */
function isNotCounted(
  { kind, place }: { readonly kind: string; readonly place: string },
  [was, is]: readonly [GraphShape, GraphShape],
): boolean {
  const at = ({ name }: GraphShape['args'][number]) => place === `${field}(${name}:)`;
  return kind === 'argument_required' && (was.args.some(at) || !is.args.find(at)?.type.nonNull);
}

it('tells all that graphql-js finds, and nothing where it finds nothing', () => {
  const seen = { breaking: 0, harmless: 0 };
  fc.assert(
    fc.property(update, ([from, to]) => {
      const [was, is] = [from, to].map((one) => toShape({ ...one, field, description: '' }));
      if (was === undefined || is === undefined) throw new Error('two shapes');
      const told = compareShapes(was, is);
      const found = findBreakingChanges(schemaOf([was]), schemaOf([is]));
      seen[found.length > 0 ? 'breaking' : 'harmless'] += 1;
      if (found.length === 0)
        expect(told.filter((one) => !isNotCounted(one, [was, is]))).toEqual([]);
      for (const change of found) {
        const place = placeOf(change, was);
        const isTold = told.some(
          (one) => place === null || place.startsWith(one.place) || one.place.startsWith(place),
        );
        expect(isTold, `${change.description} at ${place}, told: ${JSON.stringify(told)}`).toBe(
          true,
        );
      }
    }),
    { numRuns: 600, seed: 11 },
  );
  expect(seen.breaking).toBeGreaterThan(100);
  expect(seen.harmless).toBeGreaterThan(50);
});
