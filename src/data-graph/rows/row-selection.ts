/**
 * The fields that a document selects of a row, or of a named tuple in it: in document order, with their response keys.
 */
export type RowSelection = readonly SelectedField[];

export type SelectedField =
  | {
      readonly kind: 'column';
      /** The response key: the alias, or the field's name. */
      readonly key: string;
      /** Index among the shape's columns; in a tuple, among the object type's fields. */
      readonly index: number;
      /** The selection of a named tuple, or of the tuples in a list; null for all other types. */
      readonly nested: RowSelection | null;
    }
  | {
      readonly kind: 'typename';
      readonly key: string;
      /** Name of the object type. */
      readonly value: string;
    };
