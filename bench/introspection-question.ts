/** The introspection that generators of clients ask for. */
import { getIntrospectionQuery, getOperationAST, Kind, parse } from 'graphql';
import type { IntrospectionField } from '../src/graphql/data-graph/introspection/selected-members.ts';
import { fragmentsOf } from '../src/graphql/fragments-of.ts';

export const question = parse(getIntrospectionQuery({ specifiedByUrl: true, oneOf: true }));

/** Its only root field. */
export const questionField: IntrospectionField = {
  nodes: (getOperationAST(question)?.selectionSet.selections ?? []).flatMap((node) =>
    node.kind === Kind.FIELD ? [node] : [],
  ),
  fragments: fragmentsOf(question),
  values: {},
};
