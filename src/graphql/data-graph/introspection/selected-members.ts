/** The selection of an introspection field, as plain data. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isObjectType,
} from 'graphql';
import { collectFields, type Selecting, setsOf } from '../../collect-fields.ts';

/** The field nodes with one response key in a valid document, with its variable values. */
export interface IntrospectionField extends Selecting {
  readonly nodes: readonly FieldNode[];
}

/** A selected member. Equal selections have equal JSON, however the document is written. */
export interface SelectedMember {
  /** Response key. */
  readonly key: string;
  readonly name: string;
  readonly withDeprecated: boolean;
  /** The meta type that has the member. */
  readonly parent: string;
  /** Null for scalars and enums. */
  readonly members: readonly SelectedMember[] | null;
}

/** The selected members of the field's value, in response order. */
export function readSelection(
  field: IntrospectionField,
  metaType: GraphQLObjectType,
): readonly SelectedMember[] {
  return [...collectFields(field, setsOf(field.nodes))].map(([key, nodes]) =>
    readMember(field, metaType, { key, nodes }),
  );
}

function readMember(
  field: IntrospectionField,
  metaType: GraphQLObjectType,
  { key, nodes }: { readonly key: string; readonly nodes: readonly [FieldNode, ...FieldNode[]] },
): SelectedMember {
  const [node] = nodes;
  const name = node.name.value;
  const parent = metaType.name;
  const defined = metaType.getFields()[name];
  if (defined === undefined) {
    return { key, name, withDeprecated: false, parent, members: null };
  }
  const type = getNamedType(defined.type);
  const members = isObjectType(type) ? readSelection({ ...field, nodes }, type) : null;
  return { key, name, withDeprecated: withDeprecated(field, defined, node), parent, members };
}

function withDeprecated(
  { values }: IntrospectionField,
  defined: GraphQLField<unknown, unknown>,
  node: FieldNode,
): boolean {
  return getArgumentValues(defined, node, values).includeDeprecated === true;
}
