/** Catalogues, documents over them and rows, all from one number. */

import { fieldName } from '../../../../src/data-graph/names.ts';
import type { GraphShape, TypeRef } from '../../../../src/data-graph/shape.ts';
import { toShape } from '../../../../src/data-graph/to-shape.ts';
import { RunFacts, runFields } from '../../../../src/graphql/data-graph/static-types.ts';

export interface Random {
  /** From 0 to below the number. */
  below(number: number): number;
  pick<T>(items: readonly T[]): T;
  /** The text with that probability in percent, else nothing. */
  maybe(percent: number, text: () => string): string;
}

/** The same numbers for the same seed. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (number: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % number;
  };
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { below, pick, maybe: (percent, text) => (below(100) < percent ? text() : '') };
}

const strings = ['x', 'a "quote"', 'back\\slash', 'é😀', '', '],[', '{"a":1}', 'null', '\n\t'];

/** Values of each type as the engine writes them. */
const valuesOf: Readonly<Record<string, (random: Random) => unknown>> = {
  Date: () => '2001-01-02',
  UInt64: ({ below }) => below(1e6),
  Float64: ({ below }) => (below(9) === 0 ? null : below(1000) / 8),
  String: ({ pick }) => pick(strings),
  'Nullable(String)': ({ below, pick }) => (below(3) === 0 ? null : pick(strings)),
  'Array(UInt8)': ({ below }) => Array.from({ length: below(4) }, () => below(200)),
  'Tuple(lat Float64, name String)': ({ below, pick }) => ({
    lat: below(90) / 4,
    name: pick(strings),
  }),
  'Array(Tuple(n UInt64, s Nullable(String)))': ({ below, pick }) =>
    Array.from({ length: below(3) }, () => ({
      n: below(99),
      s: below(2) === 0 ? null : pick(strings),
    })),
  'Map(String, UInt8)': ({ pick }) => ({ [pick(strings)]: 1, k: 2 }),
  'Tuple(a Tuple(b UInt8, c String), d Array(String))': ({ below, pick }) => ({
    a: { b: below(9), c: pick(strings) },
    d: [pick(strings)],
  }),
};
const types = Object.keys(valuesOf);
const endpoints = ['airport_delays', 'airport', 'Airport-Row', 'run', 'x', 'airport-row'];
const columns = ['day', 'avg_delay', 'avgDelay', 'count()', '日本', 'rows', '__typename', 'n'];

export function randomShapes(random: Random): readonly GraphShape[] {
  const taken = new Set<string>();
  return endpoints.map((name) => {
    const field = fieldName(name, (one) => taken.has(one));
    taken.add(field);
    return toShape({
      field,
      description: '',
      columns: Array.from({ length: 1 + random.below(6) }, () => ({
        name: random.pick(columns),
        type: random.pick(types),
      })),
      variables: [
        { name: 'origin', type: 'String', required: false, default: 'ORD', description: '' },
        {
          name: 'e',
          type: "Enum8('a' = 1, 'b' = 2)",
          required: false,
          default: 'a',
          description: '',
        },
      ],
    });
  });
}

/** Up to three rows. */
export function randomRows(random: Random, shape: GraphShape): readonly (readonly unknown[])[] {
  return Array.from({ length: random.below(4) }, () =>
    shape.columns.map(({ engineType }) => valuesOf[engineType]?.(random)),
  );
}

interface Selectable {
  readonly name: string;
  readonly args?: (prefix: string) => string;
  readonly inner?: (depth: number) => string;
}

const misnomers = [
  'nope',
  'day',
  'AirportRow',
  'airport',
  'RunFacts',
  'AirportRun',
  'AirportRowRow',
];

/** An operation `Q` that takes `$yes`, `$no` and `$o`. Documents with mistakes have a few wrong names in them. */
export function randomDocument(
  random: Random,
  shapes: readonly GraphShape[],
  hasMistakes: boolean,
): string {
  const { below, pick, maybe } = random;
  const wrong = () => (hasMistakes ? maybe(3, () => pick(misnomers)) : '');
  const directive = () =>
    maybe(
      12,
      () => ` @${pick(['skip', 'include'])}(if: ${pick(['$yes', '$no', 'true', 'false'])})`,
    );
  const setOf = (type: string, fields: readonly Selectable[], depth: number): string => {
    const items = Array.from({ length: 1 + below(4) }, () => {
      const roll = below(100);
      if (roll < 8) return '__typename';
      if (roll < 18 && depth < 4) {
        const condition = maybe(60, () => ` on ${wrong() || type}`);
        return `...${condition}${directive()} ${setOf(type, fields, depth + 1)}`;
      }
      const field = pick(fields);
      // One alias goes with one list of arguments, else most documents would be in conflict with themselves.
      const prefix = pick(['', '', 'a_', 'b_']);
      const alias = prefix === '' ? '' : `${prefix}${field.name}: `;
      const inner = field.inner === undefined ? '' : ` ${field.inner(depth + 1)}`;
      return `${alias}${wrong() || field.name}${field.args?.(prefix) ?? ''}${directive()}${inner}`;
    });
    return `{ ${items.join(' ')} }`;
  };
  const ofType = (shape: GraphShape, type: TypeRef): Selectable['inner'] => {
    if ('list' in type) return ofType(shape, type.list);
    const object = shape.objects.find(({ name }) => name === type.name);
    if (object === undefined) return undefined;
    const fields = object.fields.map((field) => selectable(shape, field));
    return (depth) => setOf(object.name, fields, depth);
  };
  const selectable = (
    shape: GraphShape,
    { name, type }: { readonly name: string; readonly type: TypeRef },
  ): Selectable => {
    const inner = ofType(shape, type);
    return inner === undefined ? { name } : { name, inner };
  };
  const facts = Object.keys(RunFacts.getFields()).map((name) => ({ name }));
  const roots = shapes.map((shape): Selectable => {
    const rows = {
      name: 'rows',
      inner: (depth: number) =>
        setOf(
          shape.rowType,
          shape.columns.map((column) => selectable(shape, column)),
          depth,
        ),
    };
    const beside = Object.keys(runFields).map((name) =>
      name === 'run'
        ? { name, inner: (depth: number) => setOf(RunFacts.name, facts, depth) }
        : { name },
    );
    return {
      name: shape.field,
      args: (prefix) => argumentsOf[prefix] ?? '',
      inner: (depth) => setOf(shape.runType, [...beside, rows, rows, rows], depth),
    };
  });
  const shape = pick(shapes);
  const fragments = maybe(
    40,
    () =>
      ` fragment F on ${shape.runType} { isCached hasMore run { ...G } } fragment G on RunFacts { version }`,
  );
  const last = `u: ${shape.field}(origin: $o) @include(if: $yes) @skip(if: $no) { hasMore }`;
  const spread = fragments === '' ? '' : `z: ${shape.field} { ...F } `;
  const selection = setOf('Query', roots, 0).replace(/\}$/, `${spread}${last} }`);
  return `query Q($yes: Boolean! = true, $no: Boolean! = false, $o: String! = "LAX") ${selection}${fragments}`;
}

const argumentsOf: Readonly<Record<string, string>> = {
  a_: '(origin: $o, e: b)',
  b_: '(origin: "SFO", run: {limit: 3})',
};
