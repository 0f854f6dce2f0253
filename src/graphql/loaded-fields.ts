/** Resolves fields whose value is already in the row, without checking which query loaded it. */
import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql';

/**
 * The Prisma plugin checks for each such field of each row whether the query for this part of the document loaded it,
 * by the field's path; that takes an eighth of the time of a list. If a row has the columns that the field selects,
 * they can be used whichever query loaded them: they are the same columns of the same row.
 */
export function resolveLoadedFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const { pothosOriginalResolve: own, pothosPrismaSelect: select } = extensionsOf(field);
      const has = field.args.length === 0 && !isOfRows(field) ? columnsOf(select) : null;
      if (own === undefined || has === null || resolve === undefined) continue;
      field.resolve = (row, args, context, info) =>
        has(row) ? own(row, args, context, info) : resolve(row, args, context, info);
    }
  }
  return schema;
}

interface PluginExtensions {
  readonly pothosOriginalResolve?: GraphQLFieldResolver<unknown, unknown>;
  readonly pothosPrismaSelect?: unknown;
}

function extensionsOf({ extensions }: GraphQLField<unknown, unknown>): PluginExtensions {
  return extensions as PluginExtensions;
}

/** Whether the value consists of rows, whose fields may have to know which query loaded them. */
function isOfRows({ type }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  if (isLeafType(named)) return false;
  return !isObjectType(named) || named.extensions.pothosPrismaModel !== undefined;
}

/** Whether a row has certain columns, including those of referenced rows. */
type HasColumns = (row: unknown) => boolean;

/** Null for a selection with conditions or filters. */
function columnsOf(select: unknown): HasColumns | null {
  if (typeof select !== 'object' || select === null) return null;
  // Counts may cover only some of the rows.
  if ('_count' in select) return null;
  const members = Object.entries(select).map(([name, of]) => [name, memberOf(of)] as const);
  const checks = members.flatMap(([name, has]) => (has === null ? [] : [{ name, has }]));
  if (checks.length < members.length || checks.length === 0) return null;
  return (row) => {
    if (typeof row !== 'object' || row === null) return false;
    for (const { name, has } of checks)
      if (!has((row as Readonly<Record<string, unknown>>)[name])) return false;
    return true;
  };
}

function memberOf(of: unknown): HasColumns | null {
  if (of === true) return (value) => value !== undefined;
  if (typeof of !== 'object' || of === null) return null;
  const { select, ...more } = of as { readonly select?: unknown };
  const has = Object.keys(more).length === 0 ? columnsOf(select) : null;
  // A null reference.
  return has === null ? null : (value) => value === null || has(value);
}
