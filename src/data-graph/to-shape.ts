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

/** The stored facts of one version that its shape is built from. */
export interface ShapeSource {
  /** The endpoint's field. */
  readonly field: string;
  /** The version's number when it has its own field; absent for the endpoint's field. */
  readonly versionSuffix?: number | null;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly variables: readonly Variable[];
  /**
   * The query's text: shows which variables are written `{variables.name}` and may therefore be null. Absent when none
   * are.
   */
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

/** The shape of an older version with its own field beside the endpoint's. */
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
  // The other members are derived from these, whose own members have a fixed order.
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

/** A run sorts by a column's own name, which must then be unique. */
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
  const isLegacy = openLegacyCheck(text);
  return variables.map((variable, at) => {
    const name = names[at] ?? '';
    const bare = inputType(variable.type, nestedTypeName(runType, name), own);
    const { name: source, description, required: isRequired } = variable;
    const defaultValue = isRequired
      ? undefined
      : conformDefault(variable.default, { type: bare, enums: own.enums });
    // Without a default that GraphQL can write, a non-nullable argument could not be omitted.
    const mayBeNull = !isRequired && (!isWritable(defaultValue) || isLegacy(variable));
    const type = mayBeNull ? { ...bare, nonNull: false } : bare;
    return { name, source, type, isRequired, defaultValue, description };
  });
}

/** Type names that both spellings of a variable have. */
const ambiguous: ReadonlySet<string> = new Set(['String', 'Date']);
const legacyOnly: ReadonlySet<string> = new Set(['Number', 'Boolean', 'List']);

/** Whether a variable is written `{variables.name}`; reads the text when the type is ambiguous. */
function openLegacyCheck(text: string | undefined): (variable: Variable) => boolean {
  let legacy: ReadonlySet<string> | undefined;
  return ({ name, type }) => {
    if (legacyOnly.has(type)) return true;
    if (!ambiguous.has(type) || text?.includes('variables.') !== true) return false;
    legacy ??= new Set(
      findPlaceholders(text).flatMap((one) => (one.kind === 'variable' ? [one.name] : [])),
    );
    return legacy.has(name);
  };
}
