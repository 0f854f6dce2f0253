/** The lists of objects in a response as tables, with column types from the schema. Pure. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { kindOf } from '../run/clickhouse-types.ts';
import type { ResultColumn, ResultRow } from '../run/grid-model.ts';

export interface GraphTable {
  /** Its path in the response: `airportDelays › rows`. */
  readonly title: string;
  readonly path: readonly string[];
  readonly columns: readonly ResultColumn[];
  /** By column: the row field's own name; null for a field of an object within the row. */
  readonly fields: readonly (string | null)[];
  readonly rows: readonly ResultRow[];
  /** Null when the document did not request it. */
  readonly hasMore: boolean | null;
}

interface Reading {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** A selected field, with its name in the response. */
interface Selected {
  readonly key: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly sets: readonly SelectionSetNode[];
}

type Members = Readonly<Record<string, unknown>>;

export interface ResponseContext {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Empty for the only operation. */
  readonly operation: string;
}

export function tablesOf(
  { schema, document, operation }: ResponseContext,
  data: unknown,
): readonly GraphTable[] {
  const definitions = document.definitions;
  const found = definitions.find(
    (one) =>
      one.kind === Kind.OPERATION_DEFINITION && (operation === '' || one.name?.value === operation),
  );
  if (found?.kind !== Kind.OPERATION_DEFINITION || !isMembers(data)) return [];
  const root = schema.getRootType(found.operation);
  const fragments = new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const reading = { schema, fragments };
  return root === null || root === undefined
    ? []
    : tablesIn(reading, selectedOf(reading, root, [found.selectionSet]), data, {
        path: [],
        type: root,
      });
}

/** An object in the response. */
interface Place {
  readonly path: readonly string[];
  readonly type: GraphQLNamedType;
}

function tablesIn(
  reading: Reading,
  selected: readonly Selected[],
  members: Members,
  { path, type }: Place,
): readonly GraphTable[] {
  const byField = (name: string) => {
    const one = selected.find(({ field }) => field.name === name);
    return one === undefined ? undefined : members[one.key];
  };
  const page = byField('pageInfo');
  const declared = byField('hasMore') ?? (isMembers(page) ? page.hasNextPage : undefined);
  const hasMore = typeof declared === 'boolean' ? declared : hasPages(type) ? null : false;
  return selected.flatMap(({ key, field, sets }): readonly GraphTable[] => {
    const value = members[key];
    const here = [...path, key];
    const title = here.join(' › ');
    if (field.name === 'results' && Array.isArray(value) && sets.length === 0)
      return [
        {
          title,
          path: here,
          hasMore,
          fields: [],
          ...untyped(value, byField('types'), byField('columns')),
        },
      ];
    const inner = innerOf(reading, field.type, sets);
    if (inner === null) return [];
    if (isListType(getNullableType(field.type)))
      return Array.isArray(value)
        ? [{ title, path: here, hasMore, ...typed(reading, inner, value) }]
        : [];
    const next = { path: here, type: getNamedType(field.type) };
    return isMembers(value) ? tablesIn(reading, inner, value, next) : [];
  });
}

/** Whether its lists may be pages of longer ones. */
function hasPages(type: GraphQLNamedType): boolean {
  if (!isObjectType(type)) return false;
  const fields = type.getFields();
  return fields.hasMore !== undefined || fields.pageInfo !== undefined;
}

/** Null when its values have no fields. */
function innerOf(
  reading: Reading,
  type: GraphQLOutputType,
  sets: readonly SelectionSetNode[],
): readonly Selected[] | null {
  const named = getNamedType(type);
  return isCompositeType(named) && sets.length > 0 ? selectedOf(reading, named, sets) : null;
}

/** All fields that objects of the type may have in the response. */
function selectedOf(
  reading: Reading,
  type: { readonly name: string },
  sets: readonly SelectionSetNode[],
): readonly Selected[] {
  const found = new Map<string, Selected>();
  for (const { parent, node } of sets.flatMap((set) => fieldsOf(reading, type.name, set))) {
    const key = node.alias?.value ?? node.name.value;
    const owner = reading.schema.getType(parent);
    if (!isObjectType(owner) && !isInterfaceType(owner)) continue;
    const field = owner.getFields()[node.name.value];
    if (field === undefined) continue;
    const before = found.get(key)?.sets ?? [];
    const own = node.selectionSet === undefined ? [] : [node.selectionSet];
    found.set(key, { key, field, sets: [...before, ...own] });
  }
  return [...found.values()];
}

interface FieldOf {
  readonly parent: string;
  readonly node: FieldNode;
}

function fieldsOf(reading: Reading, parent: string, set: SelectionSetNode): readonly FieldOf[] {
  return set.selections.flatMap((selection): readonly FieldOf[] => {
    if (selection.kind === Kind.FIELD) return [{ parent, node: selection }];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const on = selection.typeCondition?.name.value ?? parent;
      return fieldsOf(reading, on, selection.selectionSet);
    }
    const fragment = reading.fragments.get(selection.name.value);
    if (fragment === undefined) return [];
    return fieldsOf(reading, fragment.typeCondition.name.value, fragment.selectionSet);
  });
}

interface Column extends ResultColumn {
  readonly path: readonly string[];
  readonly field: string | null;
}

function typed(reading: Reading, selected: readonly Selected[], values: readonly unknown[]) {
  const columns = columnsOf(reading, selected, []).filter(
    // A field skipped by a directive has no values.
    ({ path }) => values.length === 0 || values.some((row) => valueAt(row, path) !== undefined),
  );
  const rows = values.map((row) =>
    columns.map(({ path, type }) => cellOf(valueAt(row, path), type)),
  );
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    fields: columns.map(({ field }) => field),
    rows,
  };
}

/** Fields of objects within a row become separate columns: `node.name`. */
function columnsOf(
  reading: Reading,
  selected: readonly Selected[],
  path: readonly string[],
): readonly Column[] {
  return selected.flatMap(({ key, field, sets }): readonly Column[] => {
    const here = [...path, key];
    const isList = isListType(getNullableType(field.type));
    const inner = isList ? null : innerOf(reading, field.type, sets);
    if (inner !== null) return columnsOf(reading, inner, here);
    const own = path.length === 0 ? field.name : null;
    return [{ name: here.join('.'), type: String(field.type), path: here, field: own }];
  });
}

function valueAt(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isMembers(value) ? value[key] : undefined), row);
}

/** A double has no digits to lose, whatever its notation. */
function cellOf(value: unknown, type: string): unknown {
  const isDouble = typeof value === 'string' && kindOf(type) === 'float';
  return isDouble ? Number(value) : (value ?? null);
}

/** Rows of a field that returns the names and types of its columns beside them. */
function untyped(values: readonly unknown[], types: unknown, names: unknown) {
  const pairs = Array.isArray(types) ? (types as readonly (readonly [string, string])[]) : [];
  const known = new Map(pairs);
  const [first] = values;
  if (isMembers(first)) {
    const keys = [...new Set(values.flatMap((row) => (isMembers(row) ? Object.keys(row) : [])))];
    const rows = values.map((row) => keys.map((key) => valueAt(row, [key]) ?? null));
    return { columns: keys.map((name) => ({ name, type: known.get(name) ?? '' })), rows };
  }
  const rows = values.map((row) => (Array.isArray(row) ? (row as ResultRow) : [row]));
  const declared = Array.isArray(names) ? names.map((name) => [String(name), ''] as const) : [];
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Array.from({ length: width }, (_, at) => {
    const [name, type] = pairs[at] ?? declared[at] ?? [String(at + 1), ''];
    return { name, type };
  });
  return { columns, rows };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
