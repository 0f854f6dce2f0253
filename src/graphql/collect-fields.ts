/** Collects the fields of a selection as GraphQL execution does. Only for valid documents. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';

export interface Selecting {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Coerced variable values. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** Keyed by response key, in order, with fragments flattened; several nodes with the same key are one field. */
export function collectFields(
  selecting: Selecting,
  sets: readonly SelectionSetNode[],
): ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]> {
  const found = new Map<string, [FieldNode, ...FieldNode[]]>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isSkipped(selection, selecting)) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) spread(selection.name.value);
      else {
        const key = selection.alias?.value ?? selection.name.value;
        const nodes = found.get(key);
        if (nodes === undefined) found.set(key, [selection]);
        else nodes.push(selection);
      }
    }
  };
  const spread = (name: string): void => {
    const fragment = selecting.fragments.get(name);
    if (fragment === undefined || seen.has(name)) return;
    seen.add(name);
    collect(fragment.selectionSet);
  };
  for (const set of sets) collect(set);
  return found;
}

export function setsOf(nodes: readonly FieldNode[]): readonly SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
}

function isSkipped(
  selection: SelectionSetNode['selections'][number],
  { values }: Selecting,
): boolean {
  if ((selection.directives ?? []).length === 0) return false;
  if (getDirectiveValues(GraphQLSkipDirective, selection, values)?.if === true) return true;
  return getDirectiveValues(GraphQLIncludeDirective, selection, values)?.if === false;
}
