/** Which parts of a project's data graph a document names. Pure. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql';
import { fragmentsOf } from '../fragments-of.ts';
import { isRootName } from './static-types.ts';

export interface NamesInDocument {
  /** Distinct fields of the root type, excluding introspection and `__typename`. */
  readonly fields: readonly string[];
  /** Types in fragment conditions and variable definitions. */
  readonly types: readonly string[];
}

/** The document may be invalid. */
export function namesIn(document: DocumentNode): NamesInDocument {
  const fragments = fragmentsOf(document);
  const fields = rootFields(document, fragments);
  const types = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      for (const { type } of definition.variableDefinitions ?? []) types.add(nameOf(type));
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      types.add(definition.typeCondition.name.value);
    } else continue;
    addConditions(definition.selectionSet, types);
  }
  return { fields: [...fields], types: [...types] };
}

function rootFields(
  document: DocumentNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlySet<string> {
  const fields = new Set<string>();
  const seen = new Set<string>();
  const addFragment = (name: string): void => {
    const fragment = fragments.get(name);
    if (fragment === undefined || seen.has(name)) return;
    seen.add(name);
    addFields(fragment.selectionSet);
  };
  const addFields = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) addFragment(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) addFields(selection.selectionSet);
      else if (!selection.name.value.startsWith('__')) fields.add(selection.name.value);
    }
  };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) addFields(definition.selectionSet);
  }
  for (const [name, { typeCondition }] of fragments) {
    if (isRootName(typeCondition.name.value)) addFragment(name);
  }
  return fields;
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

function addConditions({ selections }: SelectionSetNode, types: Set<string>): void {
  for (const selection of selections) {
    if (selection.kind === Kind.INLINE_FRAGMENT && selection.typeCondition !== undefined)
      types.add(selection.typeCondition.name.value);
    if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet !== undefined)
      addConditions(selection.selectionSet, types);
  }
}
