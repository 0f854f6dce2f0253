import { createHash } from 'node:crypto';
import type { GraphShape, ShapeColumn, TypeRef } from '../../../src/data-graph/shape.ts';

/** A type as the GraphQL language writes it: `[Int!]!`. */
export function ref(text: string): TypeRef {
  const nonNull = text.endsWith('!');
  const bare = nonNull ? text.slice(0, -1) : text;
  return bare.startsWith('[') ? { list: ref(bare.slice(1, -1)), nonNull } : { name: bare, nonNull };
}

/** A shape of hand-written parts; its id is a hash of them. */
export function shapeOf(
  field: string,
  parts: Partial<Omit<GraphShape, 'id' | 'field' | 'columns'>> & {
    /** By name of the field: the column's own name, its ClickHouse type, and its GraphQL type. */
    readonly columns: Readonly<Record<string, readonly [string, string, string]>>;
  },
): GraphShape {
  const pascal = field.charAt(0).toUpperCase() + field.slice(1);
  const columns = Object.entries(parts.columns).map(
    ([name, [source, engineType, type]]): ShapeColumn => ({
      name,
      source,
      engineType,
      type: ref(type),
    }),
  );
  const hashed = {
    field,
    runType: `${pascal}Run`,
    rowType: `${pascal}Row`,
    orderType: `${pascal}Order`,
    columnType: `${pascal}Column`,
    sortable: parts.sortable ?? columns.map(({ name }) => name),
    args: parts.args ?? [],
    objects: parts.objects ?? [],
    enums: parts.enums ?? [],
    columns,
  };
  const id = createHash('sha256').update(JSON.stringify(hashed)).digest('base64url').slice(0, 22);
  return { id, ...hashed, description: parts.description ?? '' };
}

function argument(
  name: string,
  type: string,
  rest: { readonly defaultValue?: unknown; readonly description?: string } = {},
): GraphShape['args'][number] {
  const { defaultValue, description = '' } = rest;
  const isRequired = defaultValue === undefined;
  return { name, source: name, type: ref(type), isRequired, defaultValue, description };
}

const delays = (field: string): GraphShape =>
  shapeOf(field, {
    description: 'The departures of one airport day by day, and how many of them were late.',
    columns: {
      day: ['day', 'Date', 'Date!'],
      flights: ['flights', 'UInt64', 'BigInt!'],
      late: ['late', 'UInt64', 'BigInt!'],
      avgDelay: ['avg_delay', 'Float64', 'Float'],
    },
    args: [
      argument('origin', 'String!', {
        defaultValue: 'ORD',
        description: 'Airport of departure by its IATA code.',
      }),
      argument('lateMinutes', 'Int!', { defaultValue: 15 }),
    ],
  });

const places = (field: string): GraphShape => {
  const row = `${field.charAt(0).toUpperCase()}${field.slice(1)}Row`;
  return shapeOf(field, {
    columns: {
      iata: ['iata', 'String', 'String!'],
      location: ['location', 'Tuple(lat Float64, city Tuple(n String))', `${row}_location!`],
      runways: ['runways', 'Array(Tuple(m UInt16))', `[${row}_runways!]!`],
      tags: ['tags', 'Array(Array(Array(Nullable(String))))', '[[[String]!]!]!'],
      extra: ['extra', 'JSON', 'JSON!'],
    },
    // Not in the order in which the columns lead to them.
    objects: [
      { name: `${row}_runways`, fields: [{ name: 'm', key: 'm', type: ref('Int!') }] },
      { name: `${row}_location_city`, fields: [{ name: 'n', key: 'n', type: ref('String!') }] },
      {
        name: `${row}_location`,
        fields: [
          { name: 'lat', key: 'lat', type: ref('Float') },
          { name: 'city', key: 'city', type: ref(`${row}_location_city!`) },
        ],
      },
    ],
    args: [argument('code', 'String!', { description: 'IATA code, such as SFO.' })],
  });
};

/** Every kind of default, and texts that need escaping. */
const defaults = (field: string): GraphShape => {
  const carrier = `${field.charAt(0).toUpperCase()}${field.slice(1)}Run_carrier`;
  return shapeOf(field, {
    description: 'One "line",\nand \\ """another""" – with Ünïcödé.\n\n  indented ',
    columns: { state: ['state', 'AggregateFunction(sum, UInt8)', 'String!'] },
    sortable: [],
    enums: [{ name: carrier, members: ['AA', 'UA', '_x'] }],
    args: [
      argument('carrier', `${carrier}!`, { defaultValue: 'UA' }),
      argument('carriers', `[${carrier}!]!`, { defaultValue: ['UA', 'AA'] }),
      argument('noCarrier', `${carrier}!`, { defaultValue: 'ZZ' }),
      argument('ids', '[BigInt!]!', { defaultValue: ['1', 2, '9223372036854775807'] }),
      argument('big', 'BigInt!', { defaultValue: '12345678901234567890' }),
      argument('text', 'String!', { defaultValue: 'say "hi"\n\u0007\\ é \u0085' }),
      argument('nothing', 'String', { defaultValue: null }),
      argument('empty', '[String!]!', { defaultValue: [] }),
      argument('map', 'JSON!', { defaultValue: { a: [1, 'b'] }, description: 'By key.' }),
      argument('list', 'JSON!', { defaultValue: [1] }),
      argument('word', 'JSON!', { defaultValue: 'text' }),
      argument('uuid', 'ID!', { defaultValue: '00000000-0000-0000-0000-000000000000' }),
      argument('digits', 'ID!', { defaultValue: '17' }),
      argument('half', 'Float!', { defaultValue: 0.5 }),
      argument('huge', 'Float!', { defaultValue: 1e300 }),
      argument('wrong', 'Int!', { defaultValue: 1.5 }),
      argument('tooLarge', 'Int!', { defaultValue: 3_000_000_000 }),
      argument('flag', 'Boolean!', { defaultValue: false }),
      argument('price', 'Decimal!', { defaultValue: '1.50' }),
      argument('day', 'Date!', { defaultValue: '2001-05-01' }),
    ],
  });
};

/** Scalars of every kind, and columns that cannot all be sorted by. */
const mixed = (field: string): GraphShape =>
  shapeOf(field, {
    description: 'x'.repeat(100),
    sortable: ['id', 'total'],
    columns: {
      true: ['true', 'UInt8', 'Int!'],
      id: ['id', 'UUID', 'ID!'],
      id_2: ['id', 'UUID', 'ID!'],
      minus: ['-minus', 'Int8', 'Int!'],
      total: ['count()', 'UInt256', 'HugeInt!'],
      price: ['price', 'Decimal(9, 2)', 'Decimal!'],
      at: ['at', "Nullable(DateTime64(3, 'UTC'))", 'DateTime'],
      isOpen: ['isOpen', 'Bool', 'Boolean!'],
      label: ['a "quoted" name that is long enough for more than one line', 'String', 'String!'],
    },
  });

const kinds = [delays, places, defaults, mixed] as const;

/** Shapes of every kind, as many as asked for, each with a field of its own. */
export function manyShapes(count: number): readonly GraphShape[] {
  return Array.from({ length: count }, (_, index) => {
    const make = kinds[index % kinds.length] ?? delays;
    return make(`${make.name}${index < kinds.length ? '' : `_${index}`}`);
  });
}
