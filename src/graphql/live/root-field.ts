import {
  type DocumentNode,
  type FieldNode,
  getOperationAST,
  Kind,
  type SelectionNode,
} from 'graphql';
import { fragmentsOf } from '../fragments-of.ts';

export interface RootField {
  /** The response key. */
  readonly key: string;
  readonly node: FieldNode;
}

/** The single root field of a valid subscription. */
export function rootFieldOf(document: DocumentNode, operationName: string | undefined): RootField {
  const fragments = fragmentsOf(document);
  let node: SelectionNode | undefined = getOperationAST(document, operationName)?.selectionSet
    .selections[0];
  while (node !== undefined && node.kind !== Kind.FIELD) {
    const within = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    node = within?.selectionSet.selections[0];
  }
  if (node === undefined) throw new Error('the subscription has no field');
  return { key: (node.alias ?? node.name).value, node };
}
