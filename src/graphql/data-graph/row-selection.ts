/** What a document selects of a shape's rows. */
import type { FieldNode } from 'graphql';
import type { RowSelection } from '../../data-graph/rows/row-selection.ts';
import type { GraphShape, TypeRef } from '../../data-graph/shape.ts';
import { collectFields, type Selecting, setsOf } from '../collect-fields.ts';

/** For a valid document. `nodes`: the nodes of the field `rows`. */
export function rowSelectionOf(
  selecting: Selecting,
  shape: GraphShape,
  nodes: readonly FieldNode[],
): RowSelection {
  const select = (of: Members, selected: readonly FieldNode[]): RowSelection =>
    [...collectFields(selecting, setsOf(selected))].map(([key, inner]) => {
      const name = inner[0].name.value;
      if (name === '__typename') return { key, kind: 'typename', value: of.typeName };
      const index = of.fields.findIndex((field) => field.name === name);
      const type = of.fields[index]?.type;
      if (type === undefined) throw new Error(`${of.typeName} has no field ${name}`);
      const object = shape.objects.find((one) => one.name === baseOf(type));
      const nested =
        object === undefined
          ? null
          : select({ typeName: object.name, fields: object.fields }, inner);
      return { key, kind: 'column', index, nested };
    });
  return select({ typeName: shape.rowType, fields: shape.columns }, nodes);
}

interface Members {
  readonly typeName: string;
  readonly fields: readonly { readonly name: string; readonly type: TypeRef }[];
}

function baseOf(type: TypeRef): string {
  return 'list' in type ? baseOf(type.list) : type.name;
}
