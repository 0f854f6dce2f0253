/** The fields of a row, or of a named tuple in it, as a document selects them: in its order, under its response keys. */
export type RowSelection = readonly SelectedField[];

export type SelectedField =
  | {
      readonly kind: 'column';
      /** The response key: the alias, or the field's name. */
      readonly key: string;
      /** Of the shape's columns; in a tuple, of the object type's fields. */
      readonly index: number;
      /** What is selected of a named tuple, or of each in lists of such; null for all other types. */
      readonly nested: RowSelection | null;
    }
  | {
      readonly kind: 'typename';
      readonly key: string;
      /** Of the object type. */
      readonly value: string;
    };
