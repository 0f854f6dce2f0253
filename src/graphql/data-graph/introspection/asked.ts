/** What an introspection field is asked for, as plain data. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isObjectType,
} from 'graphql';
import { collectFields, type Selecting, setsOf } from '../../collect-fields.ts';

/** The field nodes that have one response key, of a document that is valid, with the values of its variables. */
export interface IntrospectionField extends Selecting {
  readonly nodes: readonly FieldNode[];
}

/** A member that is asked for: equal ones have equal JSON, however the document is written. */
export interface Asked {
  /** Of the response. */
  readonly key: string;
  readonly name: string;
  readonly withDeprecated: boolean;
  /** Name of the meta type that has the member. */
  readonly parent: string;
  /** Null for scalars and enums. */
  readonly members: readonly Asked[] | null;
}

/** The members of the field's value that are asked for, in the order of the response. */
export function readAsked(
  field: IntrospectionField,
  metaType: GraphQLObjectType,
): readonly Asked[] {
  return [...collectFields(field, setsOf(field.nodes))].map(([key, nodes]) =>
    readMember(field, metaType, { key, nodes }),
  );
}

function readMember(
  field: IntrospectionField,
  metaType: GraphQLObjectType,
  { key, nodes }: { readonly key: string; readonly nodes: readonly [FieldNode, ...FieldNode[]] },
): Asked {
  const [node] = nodes;
  const name = node.name.value;
  const parent = metaType.name;
  const defined = metaType.getFields()[name];
  if (defined === undefined) {
    return { key, name, withDeprecated: false, parent, members: null };
  }
  const type = getNamedType(defined.type);
  const members = isObjectType(type) ? readAsked({ ...field, nodes }, type) : null;
  return { key, name, withDeprecated: withDeprecated(field, defined, node), parent, members };
}

function withDeprecated(
  { values }: IntrospectionField,
  defined: GraphQLField<unknown, unknown>,
  node: FieldNode,
): boolean {
  return getArgumentValues(defined, node, values).includeDeprecated === true;
}
