import { describe, expect, it } from 'vitest';
import { type ShapeSource, toShape } from '../../src/data-graph/to-shape.ts';
import { typeText } from '../../src/data-graph/types.ts';
import type { Variable } from '../../src/query/variables.ts';

const airport: ShapeSource = { field: 'airport', description: '', columns: [], variables: [] };

function shapeOf(more: Partial<ShapeSource>) {
  return toShape({ ...airport, ...more });
}

function column(type: string, name = 'x') {
  const { columns, objects, sortable } = shapeOf({ columns: [{ name, type }] });
  const [first] = columns;
  return { type: first === undefined ? '' : typeText(first.type), objects, sortable };
}

function variable(type: string, more: Partial<Variable> = {}): Variable {
  return { name: 'x', type, required: true, default: null, description: '', ...more };
}

function argument(type: string, more: Partial<Variable> & { readonly text?: string } = {}) {
  const { text, ...rest } = more;
  const { args, enums } = shapeOf({
    variables: [variable(type, rest)],
    ...(text === undefined ? {} : { text }),
  });
  const [first] = args;
  return {
    type: first === undefined ? '' : typeText(first.type),
    defaultValue: first?.defaultValue,
    enums,
  };
}

const optional = (value: unknown) => ({ required: false, default: value });

describe('the type of a column', () => {
  it.each([
    ['Int8', 'Int!'],
    ['Int32', 'Int!'],
    ['UInt16', 'Int!'],
    ['UInt32', 'BigInt!'],
    ['UInt64', 'BigInt!'],
    ['IntervalDay', 'BigInt!'],
    ['Int128', 'HugeInt!'],
    ['UInt256', 'HugeInt!'],
    ['Float64', 'Float'],
    ['BFloat16', 'Float'],
    ['Decimal(9, 2)', 'Decimal!'],
    ['Decimal256(4)', 'Decimal!'],
    ['Bool', 'Boolean!'],
    ['Date32', 'Date!'],
    ["DateTime64(3, 'Asia/Tokyo')", 'DateTime!'],
    ['FixedString(4)', 'String!'],
    ["Enum8('a' = 1)", 'String!'],
    ['Time64(3)', 'String!'],
    ['IPv6', 'String!'],
    ['UUID', 'ID!'],
    ['Nullable(UUID)', 'ID'],
    ['LowCardinality(Nullable(String))', 'String'],
    ['SimpleAggregateFunction(sum, UInt64)', 'BigInt!'],
    ['Array(Array(Nullable(Int8)))', '[[Int]!]!'],
    ['Array(Float32)', '[Float]!'],
    ['Map(String, UInt8)', 'JSON!'],
    ['Tuple(UInt8, String)', 'JSON!'],
    ['Tuple()', 'JSON!'],
    ['JSON(a UInt8)', 'JSON!'],
    ['Point', 'JSON!'],
    ['Array(Polygon)', '[JSON!]!'],
    ['Variant(String, UInt8)', 'JSON'],
    ['Dynamic', 'JSON'],
    ['Nullable(Nothing)', 'JSON'],
    ['Geometry', 'JSON'],
    ['LearntAnew(3)', 'JSON'],
    ['', 'JSON'],
  ])('%s is %s', (type, text) => {
    expect(column(type)).toMatchObject({ type: text, objects: [] });
  });

  it('is an object type of its own where a tuple has names', () => {
    const type = 'Tuple(postal_code String, `é a` Float64, inner Array(Tuple(a UInt8)))';
    expect(column(`Nullable(${type})`, 'home_address')).toMatchObject({
      type: 'AirportRow_homeAddress',
      objects: [
        {
          name: 'AirportRow_homeAddress',
          fields: [
            { name: 'postalCode', key: 'postal_code', type: { name: 'String', nonNull: true } },
            { name: 'eA', key: 'é a', type: { name: 'Float', nonNull: false } },
            {
              name: 'inner',
              key: 'inner',
              type: { list: { name: 'AirportRow_homeAddress_inner' } },
            },
          ],
        },
        { name: 'AirportRow_homeAddress_inner', fields: [{ name: 'a', key: 'a' }] },
      ],
    });
  });

  it('is a list of objects for Nested, and each object type has a name of its own', () => {
    const columns = [
      { name: 'x', type: 'Nested(a UInt8, y Tuple(z UInt8))' },
      { name: 'x_y', type: 'Tuple(a UInt8)' },
      { name: 'x', type: 'Tuple(y_2 Tuple(a UInt8))' },
    ];
    const names = shapeOf({ columns }).objects.map(({ name }) => name);
    expect(names).toContain('AirportRow_x');
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the columns by which rows are sorted', () => {
  it('are those of types that can be, whose own name is that of one column', () => {
    const columns = [
      { name: 'day', type: 'Date' },
      { name: 'avg_delay', type: 'Nullable(Float64)' },
      { name: 'tags', type: 'Array(String)' },
      { name: 'facts', type: 'Map(String, String)' },
      { name: 'twice', type: 'UInt8' },
      { name: 'twice', type: 'UInt8' },
      { name: 'true', type: 'UInt8' },
    ];
    expect(shapeOf({ columns })).toMatchObject({
      sortable: ['day', 'avgDelay', 'tags'],
      orderType: 'AirportOrder',
      columnType: 'AirportColumn',
    });
  });
});

describe('the type of an argument', () => {
  it.each([
    ['String', {}, 'String!', undefined],
    ['Nullable(String)', {}, 'String', undefined],
    ['String', optional('ORD'), 'String!', 'ORD'],
    ['Nullable(String)', optional('ORD'), 'String', 'ORD'],
    ['Nullable(String)', optional(null), 'String', null],
    ['UInt16', optional(15), 'Int!', 15],
    ['UInt16', optional('15'), 'Int!', 15],
    ['Int32', optional('3000000000'), 'Int', undefined],
    ['UInt64', optional('18446744073709551615'), 'BigInt!', '18446744073709551615'],
    ['Int256', optional(7), 'HugeInt!', '7'],
    ['Decimal(9, 2)', optional(1.5), 'Decimal!', '1.5'],
    ['Float64', optional('2.5'), 'Float!', 2.5],
    ['Float64', optional('nan'), 'Float', undefined],
    ['Float64', optional('9007199254740993'), 'Float', undefined],
    ['Bool', optional('1'), 'Boolean!', true],
    ['Bool', optional('perhaps'), 'Boolean', undefined],
    ['Array(UInt8)', optional(['1', 2]), '[Int!]!', [1, 2]],
    ['Array(UInt8)', optional([null]), '[Int!]', undefined],
    ['Array(Nullable(UInt8))', optional([null]), '[Int]!', [null]],
    ['DateTime64(3)', optional('2001-01-01T00:00:00Z'), 'DateTime!', '2001-01-01T00:00:00Z'],
    ['Number', optional(1000), 'Float', 1000],
    ['Boolean', optional(false), 'Boolean', false],
    ['List', optional('a,b'), '[String!]', ['a', 'b']],
    ['List', optional(null), '[String!]', null],
  ])('%s, %j is %s with the default %j', (type, more, text, defaultValue) => {
    expect(argument(type, more)).toMatchObject({ type: text, enums: [] });
    expect(argument(type, more).defaultValue).toEqual(defaultValue);
  });

  it('has the default in digits where a double has too few', () => {
    expect(argument('UInt64', optional(2n ** 64n - 1n)).defaultValue).toBe('18446744073709551615');
    expect(argument('UInt64', optional(7n)).defaultValue).toBe(7);
    const map = argument('Map(String, UInt64)', optional({ a: [2n ** 64n - 1n] }));
    expect(map.defaultValue).toEqual({ a: ['18446744073709551615'] });
  });

  it('may be null where the query writes {variables.x}', () => {
    const of = (text: string) => argument('String', { ...optional('ORD'), text }).type;
    expect(of('SELECT {variables.x}')).toBe('String');
    expect(of('SELECT {x:String}')).toBe('String!');
  });

  it('is an enum where every member is a name', () => {
    expect(argument("Array(Enum8('UA' = 1, 'AA_2' = 2))", optional(['UA']))).toEqual({
      type: '[AirportRun_x!]!',
      defaultValue: ['UA'],
      enums: [{ name: 'AirportRun_x', members: ['UA', 'AA_2'] }],
    });
    expect(argument("Enum8('UA' = 1)", optional('XX'))).toMatchObject({
      type: 'AirportRun_x',
      defaultValue: undefined,
    });
  });

  it.each(["'a b' = 1", "'' = 1", "'true' = 1, 'b' = 2", "'__a' = 1", "'é' = 1"])(
    'is a text for the members %s',
    (members) => {
      expect(argument(`Enum8(${members})`)).toMatchObject({ type: 'String!', enums: [] });
    },
  );
});

describe('a shape', () => {
  const columns = [{ name: 'day', type: 'Date' }];
  const full = { columns, variables: [variable('String')], description: 'One.' };

  it('has one id for the same facts, whatever its description is', () => {
    const { id } = shapeOf(full);
    expect(shapeOf({ ...full, description: 'Another.' }).id).toBe(id);
    expect(shapeOf({ ...full, text: 'SELECT {x:String}' }).id).toBe(id);
  });

  it.each([
    { field: 'other' },
    { versionSuffix: 2 },
    { columns: [{ name: 'day', type: 'Date32' }] },
    { columns: [{ name: 'DAY', type: 'Date' }] },
    { columns: [...columns, ...columns] },
    { variables: [] },
    { variables: [variable('String', optional('a'))] },
    { variables: [variable('String', { description: 'Which.' })] },
  ])('has another id with %j', (more) => {
    expect(shapeOf({ ...full, ...more }).id).not.toBe(shapeOf(full).id);
  });

  it('of an older version has a field and types of its own', () => {
    const nested = [...columns, { name: 'at', type: 'Array(Tuple(a Tuple(b UInt8)))' }];
    const older = { columns: nested, variables: [variable("Enum8('UA' = 1)")], versionSuffix: 7 };
    expect(shapeOf(older)).toMatchObject({
      field: 'airport_v7',
      runType: 'Airport_v7Run',
      rowType: 'Airport_v7Row',
      orderType: 'Airport_v7Order',
      columns: [{ name: 'day' }, { type: { list: { name: 'Airport_v7Row_at' } } }],
      args: [{ type: { name: 'Airport_v7Run_x' } }],
      objects: [
        { name: 'Airport_v7Row_at', fields: [{ type: { name: 'Airport_v7Row_at_a' } }] },
        { name: 'Airport_v7Row_at_a', fields: [{ name: 'b', type: { name: 'Int' } }] },
      ],
      enums: [{ name: 'Airport_v7Run_x', members: ['UA'] }],
    });
    // As if the endpoint's own field had this name.
    const { id } = shapeOf({ ...older, versionSuffix: null, field: 'airport_v7' });
    expect(shapeOf(older).id).toBe(id);
  });
});
