/** Introspection data that is the same in every data graph. */
import { GraphQLObjectType, isIntrospectionType, isObjectType, TypeKind } from 'graphql';
import type { TypeRef } from '../../../data-graph/shape.ts';
import { schemaOf } from '../shape-types.ts';
import { type RootName, runFields, staticTypes } from '../static-types.ts';
import {
  bareType,
  type MetaDirective,
  type MetaField,
  type MetaType,
  openMetaTypes,
} from './meta-types.ts';

/** A project without endpoints: its meta types and directives are the same everywhere. */
const empty = schemaOf([]);
const converter = openMetaTypes();
const all = Object.values(empty.getTypeMap());

const inAllGraphs: ReadonlySet<string> = new Set(staticTypes.map(({ name }) => name));

/** Before the root types, in graphql-js's order. */
export const leadingTypes: readonly MetaType[] = all
  .filter(({ name }) => inAllGraphs.has(name))
  .map(converter.of);

/** After the types of all shapes. */
export const trailingTypes: readonly MetaType[] = all
  .filter((type) => isIntrospectionType(type))
  .map(converter.of);

export const metaDirectives: readonly MetaDirective[] = empty
  .getDirectives()
  .map(converter.ofDirective);

/** A root type of a project without endpoints. */
export function emptyRoot(name: RootName): MetaType {
  return converter.of(requireObject(name));
}

/** The fields of every run's type after `rows`. */
export const staticRunFields: readonly MetaField[] = Object.values(
  new GraphQLObjectType({ name: 'Run', fields: runFields }).getFields(),
).map(converter.ofField);

/** The object type of that name among graphql-js's own: `__Type`, `__Schema`. */
export function requireObject(name: string): GraphQLObjectType {
  const type = empty.getType(name);
  if (!isObjectType(type)) throw new Error(`GraphQL has no object type ${name}.`);
  return type;
}

const byName: ReadonlyMap<string | null, MetaType> = new Map(
  leadingTypes.map((type) => [type.name, type]),
);
const lists = new WeakMap<MetaType, MetaType>();
const nonNulls = new WeakMap<MetaType, MetaType>();
/** Deeper lists are not shared, so that the number of shared objects is bounded. */
const maxSharedLists = 2;

/** A reference to a type that all data graphs have, one object for equal references; undefined for any other. */
export function sharedReference(ref: TypeRef, listsAround = 0): MetaType | undefined {
  const type = 'list' in ref ? sharedList(ref.list, listsAround) : byName.get(ref.name);
  return type === undefined || !ref.nonNull ? type : wrap(type, TypeKind.NON_NULL, nonNulls);
}

function sharedList(item: TypeRef, listsAround: number): MetaType | undefined {
  if (listsAround === maxSharedLists) return undefined;
  const type = sharedReference(item, listsAround + 1);
  return type === undefined ? undefined : wrap(type, TypeKind.LIST, lists);
}

function wrap(ofType: MetaType, kind: TypeKind, known: WeakMap<MetaType, MetaType>): MetaType {
  const found = known.get(ofType);
  if (found !== undefined) return found;
  const made: MetaType = { ...bareType, kind, name: null, ofType, isStatic: true };
  known.set(ofType, made);
  return made;
}
