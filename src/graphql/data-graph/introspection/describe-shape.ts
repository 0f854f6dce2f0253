/** The introspection data of a shape's types, built without GraphQL types, which would cost several times as much. */
import { TypeKind } from 'graphql';
import type { GraphShape, TypeRef } from '../../../data-graph/shape.ts';
import {
  columnDescription,
  orderTexts,
  type RootArgument,
  rootArguments,
  rowDescription,
  rowsDescription,
  runDescription,
} from '../shape-parts.ts';
import {
  bareType,
  type MetaField,
  type MetaInput,
  type MetaType,
  notDeprecated,
} from './meta-types.ts';
import { sharedReference, staticRunFields } from './static-meta.ts';

export interface DescribedShape {
  /** Field of the root types. */
  readonly field: MetaField;
  /** In graphql-js's order of discovery, starting at the field. */
  readonly types: readonly MetaType[];
}

type Growing = MetaType & { readonly fields: MetaField[] };

export function describeShape(shape: GraphShape): DescribedShape {
  const own = new Map<string, MetaType>();
  const add = <Type extends MetaType>(type: Type): Type => {
    own.set(type.name ?? '', type);
    return type;
  };
  for (const { name, members } of shape.enums) add(enumMeta(name, null, members));
  for (const type of orderMeta(shape)) add(type);
  const nested = shape.objects.map((object) => ({
    object,
    type: add(objectMeta(object.name, null)),
  }));
  const row = add(objectMeta(shape.rowType, rowDescription(shape)));
  const run = add(objectMeta(shape.runType, runDescription(shape)));
  for (const { object, type } of nested) {
    for (const field of object.fields) type.fields.push(metaField(field, null, own));
  }
  for (const column of shape.columns) {
    row.fields.push(metaField(column, columnDescription(column), own));
  }
  const rows = { name: 'rows', type: nonNullList(shape.rowType) };
  run.fields.push(metaField(rows, rowsDescription, own), ...staticRunFields);
  const args = rootArguments(shape).map((argument) => metaArgument(argument, own));
  const field: MetaField = {
    name: shape.field,
    description: shape.description || null,
    args,
    type: run,
    isStatic: false,
    ...notDeprecated,
  };
  return { field, types: inOrder(field) };
}

type Own = ReadonlyMap<string, MetaType>;

function nonNullList(name: string): TypeRef {
  return { list: { name, nonNull: true }, nonNull: true };
}

function metaField(
  { name, type }: { readonly name: string; readonly type: TypeRef },
  description: string | null,
  own: Own,
): MetaField {
  return {
    name,
    description,
    args: [],
    type: metaRef(type, own),
    isStatic: false,
    ...notDeprecated,
  };
}

function metaArgument({ name, description, type, literal }: RootArgument, own: Own): MetaInput {
  return { name, description, type: metaRef(type, own), defaultValue: literal, ...notDeprecated };
}

function metaRef(ref: TypeRef, own: Own): MetaType {
  const known = sharedReference(ref);
  if (known !== undefined) return known;
  const type: MetaType | undefined =
    'list' in ref
      ? { ...bareType, kind: TypeKind.LIST, name: null, ofType: metaRef(ref.list, own) }
      : own.get(ref.name);
  if (type === undefined) throw new Error('A shape refers to a type that it does not have.');
  return ref.nonNull ? { ...bareType, kind: TypeKind.NON_NULL, name: null, ofType: type } : type;
}

function objectMeta(name: string, description: string | null): Growing {
  return { ...bareType, kind: TypeKind.OBJECT, name, description, interfaces: [], fields: [] };
}

function enumMeta(name: string, description: string | null, members: readonly string[]): MetaType {
  const enumValues = members.map((member) => ({
    name: member,
    description: null,
    ...notDeprecated,
  }));
  return { ...bareType, kind: TypeKind.ENUM, name, description, enumValues };
}

function orderMeta(shape: GraphShape): readonly MetaType[] {
  if (shape.sortable.length === 0) return [];
  const column = enumMeta(shape.columnType, orderTexts.columnType(shape), shape.sortable);
  const direction = (name: 'asc' | 'desc'): MetaInput => ({
    name,
    description: orderTexts[name],
    type: column,
    defaultValue: null,
    ...notDeprecated,
  });
  const input: MetaType = {
    ...bareType,
    kind: TypeKind.INPUT_OBJECT,
    name: shape.orderType,
    description: orderTexts.orderType(shape),
    inputFields: [direction('asc'), direction('desc')],
    isOneOf: true,
  };
  return [input, column];
}

/** Non-static types reachable from the field, each before the types that it refers to. */
function inOrder(field: MetaField): readonly MetaType[] {
  const found = new Set<MetaType>();
  const visit = (reference: MetaType): void => {
    let type = reference;
    while (type.ofType !== null) type = type.ofType;
    if (type.isStatic || found.has(type)) return;
    found.add(type);
    for (const input of type.inputFields ?? []) visit(input.type);
    for (const inner of type.fields ?? []) visit(inner.type);
  };
  visit(field.type);
  for (const argument of field.args) visit(argument.type);
  return [...found];
}
