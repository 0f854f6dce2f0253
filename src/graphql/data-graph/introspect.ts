/** Resolves `__schema` and `__type`, which describe the complete data graph of a project. */
import { getArgumentValues, TypeMetaFieldDef } from 'graphql';
import { fieldOfType } from '../../data-graph/field-of-type.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import type { Catalogue } from './catalogue.ts';
import type { Introspection } from './introspection/introspection.ts';
import type { IntrospectionField } from './introspection/selected-members.ts';
import { isRootName } from './static-types.ts';

/** The field's value as JSON, in pieces. */
export type Introspect = (
  projectId: number,
  field: IntrospectionField,
) => Promise<readonly Buffer[]>;

export function openIntrospect(catalogue: Catalogue, introspection: Introspection): Introspect {
  return async (projectId, field) => {
    const [node] = field.nodes;
    if (node?.name.value !== '__type')
      return introspection.schema(field, await catalogue.list(projectId));
    const { name } = getArgumentValues(TypeMetaFieldDef, node, field.values);
    return introspection.type(field, await shapesWith(catalogue, projectId, String(name)));
  };
}

/** Shapes that may have the type. */
async function shapesWith(
  catalogue: Catalogue,
  projectId: number,
  typeName: string,
): Promise<readonly GraphShape[]> {
  if (isRootName(typeName)) return catalogue.list(projectId);
  const owner = fieldOfType(typeName);
  const field = owner === null ? null : await catalogue.find(projectId, owner);
  return field === null ? [] : [field.shape];
}
