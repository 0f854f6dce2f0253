/** Types that hold others, with what their values are in each format: put together from those of the others. */
import type { Binary, Cell, TypeCase } from './value-cases.ts';

const nothing = { null: false, key: false, dynamic: true } as const;
const noVariant = { ...nothing, dynamic: false } as const;

interface Parts {
  readonly type: string;
  /** Those that it holds. */
  readonly of: readonly TypeCase[];
  readonly cells: readonly Omit<Cell, 'csv'>[];
}

function nested({ type, of, cells }: Parts): TypeCase {
  const isJson = of.some((inner) => inner.isJson || inner.isJsonInside === true);
  return {
    type,
    isJson,
    isNested: true,
    allows: { ...nothing, dynamic: of.every((inner) => inner.allows.dynamic) },
    cells: cells.map(({ sql, json, binary }) => ({
      sql: `CAST(${sql} AS ${type})`,
      json,
      csv: json,
      binary: isJson ? `json:${json}` : binary,
    })),
  };
}

const firstOf = ({ cells }: TypeCase): Cell => {
  const [first] = cells;
  if (first === undefined) throw new Error('a type without values');
  return first;
};
const lastOf = (of: TypeCase): Cell => of.cells.at(-1) ?? firstOf(of);

export function arrayOf(of: TypeCase): TypeCase {
  const empty = `arrayResize([${firstOf(of).sql}], 0)`;
  const list = (cells: readonly Cell[]) => ({
    // The engine cannot make every type of an empty list of nothing.
    sql: cells.length > 0 ? `[${cells.map(({ sql }) => sql).join(', ')}]` : empty,
    json: `[${cells.map(({ json }) => json).join(',')}]`,
    binary: cells.map(({ binary }) => binary),
  });
  return nested({
    type: `Array(${of.type})`,
    of: [of],
    cells: [list(of.cells), list([]), list([firstOf(of)])],
  });
}

export function tupleOf(...of: readonly TypeCase[]): TypeCase {
  return nested({
    type: `Tuple(${of.map(({ type }) => type).join(', ')})`,
    of,
    cells: [firstOf, lastOf].map((pick) => ({
      sql: `tuple(${of.map((inner) => pick(inner).sql).join(', ')})`,
      json: `[${of.map((inner) => pick(inner).json).join(',')}]`,
      binary: Object.fromEntries(of.map((inner, at) => [String(at + 1), pick(inner).binary])),
    })),
  });
}

/** Names that a text could take for something else. */
const labels = ['a', 'b c', 'd.e', 'f"', 'é'] as const;

export function namedTupleOf(...of: readonly TypeCase[]): TypeCase {
  const named = of.map((inner, at) => [labels[at] ?? `x${at}`, inner] as const);
  return nested({
    type: `Tuple(${named.map(([label, { type }]) => `\`${label}\` ${type}`).join(', ')})`,
    of,
    cells: [firstOf, lastOf].map((pick) => ({
      sql: `tuple(${of.map((inner) => pick(inner).sql).join(', ')})`,
      json: `{${named.map(([label, inner]) => `${JSON.stringify(label)}:${pick(inner).json}`).join(',')}}`,
      binary: Object.fromEntries(named.map(([label, inner]) => [label, pick(inner).binary])),
    })),
  });
}

export function nestedOf(...of: readonly TypeCase[]): TypeCase {
  const tuple = namedTupleOf(...of);
  const list = arrayOf(tuple);
  return { ...list, type: tuple.type.replace(/^Tuple/, 'Nested'), allows: noVariant };
}

/** Keys of the one and values of the other. */
export function mapOf(keys: TypeCase, of: TypeCase): TypeCase {
  const entries = keys.cells.map((key, at) => [key, of.cells[at % of.cells.length]] as const);
  const sqlOf = (all: typeof entries) =>
    `map(${all.flatMap(([key, value]) => [key.sql, value?.sql]).join(', ')})`;
  const empty = `mapFilter((k, v) -> false, ${sqlOf(entries.slice(0, 1))})`;
  const map = (all: typeof entries) => ({
    sql: all.length > 0 ? sqlOf(all) : empty,
    json: `{${all.map(([key, value]) => `${keyText(key)}:${value?.json}`).join(',')}}`,
    binary: {
      entries: all.map(([key, value]) => [scalarOf(key), value?.binary ?? null] as const),
    },
  });
  const type = `Map(${keys.type}, ${of.type})`;
  return nested({ type, of: [keys, of], cells: [map(entries), map([]), map(entries.slice(0, 1))] });
}

function scalarOf({ binary }: Cell): string {
  if (typeof binary !== 'string') throw new Error('a key is one value');
  return binary;
}

/** A key is always a string in JSON. */
function keyText({ json }: Cell): string {
  return json.startsWith('"') ? json : JSON.stringify(json);
}

/** Enough of them where each is a row of its own, the ends among them. */
const some = ({ cells }: TypeCase): readonly Cell[] => [
  ...cells.slice(0, 5),
  ...cells.slice(5).slice(-2),
];

const nullCell = { sql: 'NULL', json: 'null', csv: null, binary: null };

export function nullableOf(of: TypeCase): TypeCase {
  return {
    ...of,
    type: `Nullable(${of.type})`,
    cells: [...some(of), nullCell].map((cell) => ({
      ...cell,
      sql: `CAST(${cell.sql} AS Nullable(${of.type}))`,
    })),
    allows: { ...of.allows, null: false, key: false },
  };
}

function jsonTyped(type: string, cells: readonly Cell[]): TypeCase {
  return {
    type,
    isNested: true,
    isJson: true,
    allows: nothing,
    cells: cells.map(({ sql, json, csv }) => {
      const isNull = csv === null;
      return {
        sql: `CAST(${sql} AS ${type})`,
        json,
        csv: isNull ? null : json,
        binary: isNull ? null : `json:${json}`,
      };
    }),
  };
}

export function variantOf(of: TypeCase): TypeCase {
  // The engine takes this text for no value when it makes a Variant of it.
  const cells = some(of).filter(({ csv }) => csv?.toUpperCase() !== 'NULL');
  return jsonTyped(`Variant(${of.type}, Array(Tuple(UInt8)))`, [...cells, nullCell]);
}

export function dynamicOf(of: TypeCase): TypeCase {
  // The engine confuses constants of different types that are stored as the same number.
  const cells = some(of).map((cell) => ({ ...cell, sql: `materialize(${cell.sql})` }));
  return jsonTyped('Dynamic', [...cells, nullCell]);
}

/** Of a function that returns its argument. */
export function simpleStateOf(of: TypeCase): TypeCase {
  const type = `SimpleAggregateFunction(anyLast, ${of.type})`;
  return { ...of, type, cells: some(of), allows: noVariant };
}

export const jsonObjects: TypeCase = {
  ...jsonTyped(
    'JSON',
    [
      '{}',
      '{"a":1,"b":{"c":[1,2.5,"x"],"d":true}}',
      '{"e":18446744073709551615,"f":"é\\"\\n"}',
    ].map((json) => ({
      sql: `'${json.replaceAll('\\', '\\\\')}'`,
      json,
      csv: json,
      binary: null,
    })),
  ),
  allows: { null: true, key: false, dynamic: false },
};

type Points = string | readonly Points[];

function shape(type: string, value: Points): TypeCase {
  const json = (points: Points): string =>
    typeof points === 'string' ? points : `[${points.map(json).join(',')}]`;
  const sql = (points: Points): string =>
    typeof points === 'string' ? `(${points})` : `[${points.map(sql).join(', ')}]`;
  const binary = (points: Points): Binary => {
    if (typeof points !== 'string') return points.map(binary);
    const [x, y] = points.split(',');
    return { 1: `float:${x}`, 2: `float:${y}` };
  };
  const written = json(value).replace(/(-?[\d.]+,-?[\d.]+)/g, '[$1]');
  const cells = [{ sql: sql(value), json: written, binary: binary(value) }];
  return { ...nested({ type, of: [], cells }), allows: nothing };
}

const ring = ['0,0', '1.5,-2', '3,4'];

export const shapes: readonly TypeCase[] = [
  shape('Point', '1.5,-2'),
  shape('Ring', ring),
  shape('LineString', ring),
  shape('MultiLineString', [ring, ['5,6', '7,8']]),
  shape('Polygon', [ring]),
  shape('MultiPolygon', [[ring], [ring]]),
];

export const geometries: TypeCase = {
  ...jsonTyped('Geometry', [...shapes.flatMap(({ cells }) => cells), nullCell]),
  allows: noVariant,
};

/** A column of its own is an array; what holds it is JSON text. */
export const vectors: readonly TypeCase[] = (
  [
    ['BFloat16', 'single'],
    ['Float32', 'single'],
    ['Float64', 'float'],
  ] as const
).map(([element, kind]) => ({
  ...nested({
    type: `QBit(${element}, 3)`,
    of: [],
    cells: [
      {
        sql: '[1, -2.5, 0]',
        json: '[1,-2.5,0]',
        binary: ['1', '-2.5', '0'].map((value) => `${kind}:${value}`),
      },
    ],
  }),
  isJsonInside: true,
  allows: noVariant,
}));
