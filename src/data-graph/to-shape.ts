import { createHash } from 'node:crypto';
import type { Variable } from '../query/variables.ts';
import { findPlaceholders } from '../sql/placeholders.ts';
import { isSortable } from '../sql/value-type.ts';
import { conformDefault, isWritable } from './conform-default.ts';
import {
  argumentNames,
  columnNames,
  isEnumMember,
  nestedTypeName,
  pascalCase,
  versionField,
} from './names.ts';
import type { GraphShape, ShapeArgument, ShapeColumn, TypeRef } from './shape.ts';
import { inputType, type OwnTypes, outputType } from './types.ts';

/** What a shape is made of: facts of one version as they are stored. */
export interface ShapeSource {
  /** Of the endpoint. */
  readonly field: string;
  /** The version's number where it has a field of its own; absent for that of the endpoint. */
  readonly versionSuffix?: number | null;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly variables: readonly Variable[];
  /** Of the query: shows which variables are written `{variables.name}` and may therefore be null. Absent: none of them. */
  readonly text?: string;
}

/** The same facts always give the same shape; never throws. */
export function toShape(source: ShapeSource): GraphShape {
  const { field, description, versionSuffix = null } = source;
  const { rowType, runType } = typesOf(field);
  const own: OwnTypes = { objects: [], enums: [] };
  const columns = toColumns(source, rowType, own);
  const args = toArguments(source, runType, own);
  const sortable = sortableOf(columns);
  const shape = withId({ field, ...typesOf(field), sortable, columns, args, ...own, description });
  return versionSuffix === null ? shape : toVersionShape(shape, versionSuffix);
}

/** The shape of an older version as a field of its own beside that of its endpoint. */
export function toVersionShape(shape: GraphShape, version: number): GraphShape {
  const field = versionField(shape.field, version);
  const { id: _id, objects, enums, ...rest } = shape;
  const { rowType, runType } = typesOf(field);
  const newNames = new Map([
    ...objects.map(({ name }) => [name, rowType + name.slice(shape.rowType.length)] as const),
    ...enums.map(({ name }) => [name, runType + name.slice(shape.runType.length)] as const),
  ]);
  const named = <T extends { readonly name: string }>(one: T): T => {
    return { ...one, name: newNames.get(one.name) ?? one.name };
  };
  const retype = (type: TypeRef): TypeRef =>
    'list' in type ? { ...type, list: retype(type.list) } : named(type);
  const typed = <T extends { readonly type: TypeRef }>(one: T): T => {
    return { ...one, type: retype(one.type) };
  };
  return withId({
    ...rest,
    field,
    ...typesOf(field),
    columns: shape.columns.map(typed),
    args: shape.args.map(typed),
    objects: objects.map((object) => named({ ...object, fields: object.fields.map(typed) })),
    enums: enums.map(named),
  });
}

function typesOf(field: string) {
  const pascal = pascalCase(field);
  return {
    runType: `${pascal}Run`,
    rowType: `${pascal}Row`,
    orderType: `${pascal}Order`,
    columnType: `${pascal}Column`,
  };
}

function withId(shape: Omit<GraphShape, 'id'>): GraphShape {
  const { field, columns, args, objects, enums } = shape;
  // The other members follow from these, whose own members have one order.
  const text = JSON.stringify([field, columns, args, objects, enums]);
  const hash = createHash('sha256').update(text).digest('base64url');
  return { id: hash.slice(0, 22), ...shape };
}

function toColumns(
  { columns }: ShapeSource,
  rowType: string,
  own: OwnTypes,
): readonly ShapeColumn[] {
  const names = columnNames(columns.map(({ name }) => name));
  return columns.map(({ name: source, type: engineType }, at) => {
    const name = names[at] ?? '';
    const type = outputType(engineType, nestedTypeName(rowType, name), own);
    return { name, source, engineType, type };
  });
}

/** A run sorts by a column's own name, which must then be that of one column only. */
function sortableOf(columns: readonly ShapeColumn[]): readonly string[] {
  const times = new Map<string, number>();
  for (const { source } of columns) times.set(source, (times.get(source) ?? 0) + 1);
  return columns
    .filter(({ source, engineType }) => times.get(source) === 1 && isSortable(engineType))
    .map(({ name }) => name)
    .filter(isEnumMember);
}

function toArguments(
  { variables, text }: ShapeSource,
  runType: string,
  own: OwnTypes,
): readonly ShapeArgument[] {
  const names = argumentNames(variables.map(({ name }) => name));
  const isKept = openKeptCheck(text);
  return variables.map((variable, at) => {
    const name = names[at] ?? '';
    const bare = inputType(variable.type, nestedTypeName(runType, name), own);
    const { name: source, description, required: isRequired } = variable;
    const defaultValue = isRequired
      ? undefined
      : conformDefault(variable.default, { type: bare, enums: own.enums });
    // Without a default that GraphQL can write, the argument could not be left out if it were never null.
    const mayBeNull = !isRequired && (!isWritable(defaultValue) || isKept(variable));
    const type = mayBeNull ? { ...bare, nonNull: false } : bare;
    return { name, source, type, isRequired, defaultValue, description };
  });
}

/** Types that both spellings of a variable have. */
const ambiguous: ReadonlySet<string> = new Set(['String', 'Date']);
const keptOnly: ReadonlySet<string> = new Set(['Number', 'Boolean', 'List']);

/** Whether a variable is written `{variables.name}`; the text is read where the type does not tell. */
function openKeptCheck(text: string | undefined): (variable: Variable) => boolean {
  let kept: ReadonlySet<string> | undefined;
  return ({ name, type }) => {
    if (keptOnly.has(type)) return true;
    if (!ambiguous.has(type) || text?.includes('variables.') !== true) return false;
    kept ??= new Set(
      findPlaceholders(text).flatMap((one) => (one.kind === 'variable' ? [one.name] : [])),
    );
    return kept.has(name);
  };
}
