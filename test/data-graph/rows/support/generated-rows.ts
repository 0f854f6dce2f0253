/** Generated shapes with rows and a selection, as bytes for us, and as a document and objects for graphql-js. */
import fc from 'fast-check';
import { buildSchema, execute, parse, validate } from 'graphql';
import type { RowSelection, SelectedField } from '../../../../src/data-graph/rows/row-selection.ts';
import type { GraphShape, ShapeObject, TypeRef } from '../../../../src/data-graph/shape.ts';
import { toShape } from '../../../../src/data-graph/to-shape.ts';
import { typeText } from '../../../../src/data-graph/types.ts';

export interface GeneratedRows {
  readonly shape: GraphShape;
  readonly rows: readonly (readonly unknown[])[];
  readonly selection: RowSelection;
  /** The selection as GraphQL writes it. */
  readonly text: string;
}

/** A ClickHouse type and its values. Tuples are objects by the names of their members. */
interface GeneratedType {
  readonly type: string;
  readonly value: fc.Arbitrary<unknown>;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('],[', '"', '\\', '{"a":1}', 'null', '\u2028', '\u0000\n\t', '[[', ', ', '😀'),
  // Longer than what is copied by words.
  fc.string({ minLength: 120, maxLength: 300 }),
);
const leaves: readonly GeneratedType[] = [
  { type: 'String', value: text },
  { type: 'Nullable(String)', value: fc.option(text) },
  { type: 'UInt64', value: fc.maxSafeNat() },
  { type: 'Int32', value: fc.integer() },
  {
    type: 'Float64',
    value: fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
  },
  { type: 'Bool', value: fc.boolean() },
  { type: 'Map(String, UInt8)', value: fc.dictionary(text, fc.nat(255)) },
  { type: 'JSON', value: fc.dictionary(text, fc.jsonValue()) },
  { type: 'Tuple(UInt8, String)', value: fc.tuple(fc.nat(255), text) },
];
const labels = ['a', 'b_c', 'é', 'x y', 'id', '/', 'B'];

const types = fc.letrec<{ readonly type: GeneratedType; readonly tuple: GeneratedType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.constantFrom(...leaves) },
    { weight: 2, arbitrary: tie('tuple') },
    { weight: 2, arbitrary: tie('type').map(toArray) },
  ),
  tuple: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...labels), tie('type')), {
      minLength: 1,
      maxLength: 3,
      selector: ([label]) => label,
    })
    .chain((members) => fc.boolean().map((isNullable) => toTuple(members, isNullable))),
})).type;

function toArray({ type, value }: GeneratedType): GeneratedType {
  return { type: `Array(${type})`, value: fc.array(value, { maxLength: 3 }) };
}

function toTuple(
  members: readonly (readonly [string, GeneratedType])[],
  isNullable: boolean,
): GeneratedType {
  const type = `Tuple(${members.map(([label, one]) => `\`${label}\` ${one.type}`).join(', ')})`;
  const value = fc.record(Object.fromEntries(members.map(([label, one]) => [label, one.value])));
  return isNullable ? { type: `Nullable(${type})`, value: fc.option(value) } : { type, value };
}

/** @param maxRows of one case. */
export function generatedRows(maxRows: number): fc.Arbitrary<GeneratedRows> {
  const names = fc.constantFrom('day', 'avg_delay', 'avgDelay', 'count()', '日本', 'rows', 'day');
  const columns = fc.array(fc.record({ name: names, of: types }), { minLength: 1, maxLength: 6 });
  return columns.chain((made) => {
    const shape = toShape({
      field: 'airportDays',
      description: '',
      columns: made.map(({ name, of }) => ({ name, type: of.type })),
      variables: [],
    });
    const row = fc.tuple(...made.map(({ of }) => of.value));
    return fc
      .record({
        rows: fc.array(row, { maxLength: maxRows }),
        selected: selectionOf(shape, { name: shape.rowType, fields: shape.columns }, 0),
      })
      .map(({ rows, selected }) => ({ shape, rows, ...selected }));
  });
}

interface Selected {
  readonly selection: RowSelection;
  readonly text: string;
}

interface SelectedObject {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: TypeRef }[];
}

const aliases = ['a', 'b', 'value', 'aLongAliasOfAField', '__proto__', 'constructor', '_0', 'id'];

/** Any fields in any order, also several times, under their names or under aliases. */
function selectionOf(
  shape: GraphShape,
  object: SelectedObject,
  depth: number,
): fc.Arbitrary<Selected> {
  const one = fc.tuple(
    fc.nat(object.fields.length),
    fc.option(fc.constantFrom(...aliases), { freq: 2 }),
  );
  const picks = fc.uniqueArray(one, {
    minLength: 1,
    maxLength: 8,
    selector: ([at, alias]) => alias ?? object.fields[at]?.name ?? '__typename',
  });
  return picks
    .chain((chosen) =>
      fc.tuple(...chosen.map(([at, alias]) => fieldOf(shape, object, { at, alias, depth }))),
    )
    .map((fields) => ({
      selection: fields.map(({ field }) => field),
      text: `{ ${fields.map((field) => field.text).join(' ')} }`,
    }));
}

function fieldOf(
  shape: GraphShape,
  object: SelectedObject,
  {
    at,
    alias,
    depth,
  }: { readonly at: number; readonly alias: string | null; readonly depth: number },
): fc.Arbitrary<{ readonly field: SelectedField; readonly text: string }> {
  const field = object.fields[at];
  const name = field?.name ?? '__typename';
  const key = alias ?? name;
  const written = alias === null ? name : `${alias}: ${name}`;
  if (field === undefined)
    return fc.constant({ field: { kind: 'typename', key, value: object.name }, text: written });
  const inner = objectOf(shape, field.type);
  const made = (nested: Selected | null) => ({
    field: { kind: 'column', key, index: at, nested: nested?.selection ?? null } as const,
    text: nested === null ? written : `${written} ${nested.text}`,
  });
  return inner === null ? fc.constant(made(null)) : selectionOf(shape, inner, depth + 1).map(made);
}

export function objectOf({ objects }: GraphShape, type: TypeRef): ShapeObject | null {
  if ('list' in type) return objectOf({ objects } as GraphShape, type.list);
  return objects.find(({ name }) => name === type.name) ?? null;
}

/** As the engine lays out rows as arrays. */
export function toBytes(rows: readonly (readonly unknown[])[]): Buffer {
  const cells = rows.map((row) => `[${row.map((value) => JSON.stringify(value)).join(', ')}]`);
  return Buffer.from(`[${cells.join(',')}]`);
}

/** What graphql-js makes of the same, as JSON. */
export function executed({ shape, rows, text }: GeneratedRows): string {
  const schema = buildSchema(schemaText(shape));
  const document = parse(`{ rows ${text} }`);
  const [problem] = validate(schema, document);
  if (problem !== undefined) throw problem;
  const rootValue = { rows: rows.map((row) => toObject(shape, row)) };
  const { data, errors } = execute({ schema, document, rootValue }) as {
    readonly data?: { readonly rows: unknown };
    readonly errors?: readonly Error[];
  };
  if (errors?.[0] !== undefined) throw errors[0];
  return JSON.stringify(data?.rows);
}

function schemaText({ rowType, columns, objects }: GraphShape): string {
  const typeOf = (name: string, fields: SelectedObject['fields']) =>
    `type ${name} { ${fields.map((field) => `${field.name}: ${typeText(field.type)}`).join(' ')} }`;
  return [
    'scalar BigInt scalar JSON',
    `type Query { rows: [${rowType}!]! }`,
    typeOf(rowType, columns),
    ...objects.map(({ name, fields }) => typeOf(name, fields)),
  ].join('\n');
}

function toObject(shape: GraphShape, row: readonly unknown[]): object {
  return Object.fromEntries(
    shape.columns.map(({ name, type }, at) => [name, toValue(shape, type, row[at])]),
  );
}

function toValue(shape: GraphShape, type: TypeRef, value: unknown): unknown {
  if (value === null) return null;
  if ('list' in type)
    return (value as readonly unknown[]).map((one) => toValue(shape, type.list, one));
  const object = objectOf(shape, type);
  if (object === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    object.fields.map((field) => [field.name, toValue(shape, field.type, members[field.key])]),
  );
}
