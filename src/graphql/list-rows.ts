/** Estimates how many rows a document's field may return, from its arguments. */
import {
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import type { RowCount } from './cost.ts';

/** Row counts of lists without a size argument, by field name. */
export type ListSizes = ReadonlyMap<string, number>;

/** The default size of a page. */
const defaultRows = 100;
/** The maximum page size: larger numbers are capped to it. */
const maxRows = 1000;

/** Arguments that determine the number of rows: the page size, or one row per id. */
const sizeArguments: ReadonlySet<string> = new Set(['first', 'last', 'ids']);

/** Fields that return pages, or one row per item of `ids`. A field of another type with the same name counts too. */
export function listSizes(schema: GraphQLSchema): ListSizes {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ args }) => args.some(({ name }) => sizeArguments.has(name)));
  return new Map(fields.map(({ name }) => [name, defaultRows]));
}

/** Null for a field that is not a list. */
export function rowsOf(field: FieldNode, lists: ListSizes): RowCount | null {
  const unstated = lists.get(field.name.value);
  if (unstated === undefined) return null;
  const toRows = (sizes: readonly number[]): number =>
    sizes.length === 0 ? unstated : Math.min(Math.max(1, ...sizes), maxRows);
  const fixed: number[] = [];
  const variables: { readonly argument: string; readonly name: string }[] = [];
  for (const { name, value } of field.arguments ?? []) {
    const argument = name.value;
    if (!sizeArguments.has(argument)) continue;
    if (value.kind === Kind.VARIABLE) variables.push({ argument, name: value.name.value });
    else fixed.push(...sizeOf(argument, valueFromASTUntyped(value)));
  }
  if (variables.length === 0) return toRows(fixed);
  return (read) =>
    toRows([...fixed, ...variables.flatMap(({ argument, name }) => sizeOf(argument, read(name)))]);
}

/** Empty for null and absent values, which leave the size open. Anything but a number is refused before it is used. */
function sizeOf(argument: string, value: unknown): readonly number[] {
  if (value === undefined || value === null) return [];
  if (argument === 'ids') return [Array.isArray(value) ? value.length : 1];
  return [typeof value === 'number' && Number.isInteger(value) ? value : maxRows];
}
