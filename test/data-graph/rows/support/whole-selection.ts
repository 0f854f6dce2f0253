/** Everything that a shape has, last field first, and what it is of parsed rows. */
import type { RowSelection } from '../../../../src/data-graph/rows/row-selection.ts';
import type { GraphShape, TypeRef } from '../../../../src/data-graph/shape.ts';
import { objectOf } from './generated-rows.ts';

interface OfObject {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: TypeRef }[];
}

/** A typename, then each field under its name. */
export function wholeSelection(shape: GraphShape): RowSelection {
  return selectionOf(shape, { name: shape.rowType, fields: shape.columns });
}

function selectionOf(shape: GraphShape, { name, fields }: OfObject): RowSelection {
  const columns = fields.map((field, index) => {
    const object = objectOf(shape, field.type);
    const nested = object === null ? null : selectionOf(shape, object);
    return { kind: 'column', key: field.name, index, nested } as const;
  });
  return [{ kind: 'typename', key: '__typename', value: name }, ...columns.toReversed()];
}

/** The objects of that selection. @param row parsed. */
export function wholeRow(shape: GraphShape, row: readonly unknown[]): object {
  return toObject(shape, { name: shape.rowType, fields: shape.columns }, row);
}

function toObject(
  shape: GraphShape,
  { name, fields }: OfObject,
  values: readonly unknown[],
): object {
  const members = fields.map(({ name: field, type }, at) => [
    field,
    toValue(shape, type, values[at]),
  ]);
  return Object.fromEntries([['__typename', name], ...members.toReversed()]);
}

function toValue(shape: GraphShape, type: TypeRef, value: unknown): unknown {
  if (value === null) return null;
  if ('list' in type)
    return (value as readonly unknown[]).map((one) => toValue(shape, type.list, one));
  const object = objectOf(shape, type);
  if (object === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return toObject(
    shape,
    object,
    object.fields.map(({ key }) => members[key]),
  );
}

/** The same as GraphQL writes it, within braces. */
export function wholeText(shape: GraphShape): string {
  return textOf(shape, shape.columns);
}

function textOf(shape: GraphShape, fields: OfObject['fields']): string {
  const written = fields.map(({ name, type }) => {
    const object = objectOf(shape, type);
    return `${name}${object === null ? '' : ` ${textOf(shape, object.fields)}`}`;
  });
  return `{ ${['__typename', ...written.toReversed()].join(' ')} }`;
}
