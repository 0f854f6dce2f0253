/** Compiles a selection to the bytes written around the cells of a row, once per plan. */
import type { GraphShape, ShapeObject, TypeRef } from '../shape.ts';
import { toWords, type WordBytes } from './byte-words.ts';
import type { ColumnLayout } from './fit-columns.ts';

import type { RowSelection } from './row-selection.ts';

/**
 * A selection over rows with the columns of one result. It can be cached and shared, since it does not refer to any
 * rows.
 */
export interface CompiledRows extends CompiledObject {
  readonly kind: 'row';
}

export interface CompiledObject {
  /** Number of cells of a row in the engine's bytes, or of members of a tuple. */
  readonly width: number;
  /** In selection order. */
  readonly cells: readonly CompiledCell[];
  /** The bytes after the last cell: `,"__typename":"AirportRow"}`. */
  readonly tail: WordBytes;
  /** Whether no cell has a nested selection. */
  readonly isFlat: boolean;
  /** Number of bytes of an object besides its cells. */
  readonly fixedBytes: number;
  /** Start and end of each cell of the row being written; only valid during one row. */
  readonly ends: Uint32Array;
}

interface CompiledCell {
  /** `{"day":` or `,"late":`, including preceding constants. */
  readonly before: WordBytes;
  /** Index among the `width` cells. */
  readonly index: number;
  readonly nested: CompiledNested | null;
}

export type CompiledNested =
  | { readonly kind: 'list'; readonly of: CompiledNested }
  | (CompiledObject & {
      readonly kind: 'tuple';
      /** The members' names as JSON texts, in tuple order. */
      readonly keys: readonly Buffer[];
    });

/**
 * @param layout positions of the result's columns; when absent they are the shape's, in order. Throws for a selection
 * that does not belong to this shape, which no valid document has.
 */
export function compileRows(
  shape: GraphShape,
  selection: RowSelection,
  layout: ColumnLayout = ownLayout(shape),
): CompiledRows {
  const types = shape.columns.map(({ type }) => type);
  const compiled = compileObject(shape.objects, { types, selection, layout });
  return { kind: 'row', ...compiled };
}

function ownLayout({ columns }: GraphShape): ColumnLayout {
  return { width: columns.length, positions: columns.map((_, at) => at) };
}

interface Selected {
  readonly types: readonly TypeRef[];
  readonly selection: RowSelection;
  readonly layout: ColumnLayout;
}

function compileObject(
  objects: GraphShape['objects'],
  { types, selection, layout }: Selected,
): CompiledObject {
  const cells: CompiledCell[] = [];
  let pending = '{';
  for (const [at, field] of selection.entries()) {
    pending += `${at === 0 ? '' : ','}${JSON.stringify(field.key)}:`;
    if (field.kind === 'typename') {
      pending += JSON.stringify(field.value);
      continue;
    }
    const type = types[field.index];
    const index = layout.positions[field.index];
    if (type === undefined || index === undefined || index < 0 || index >= layout.width)
      throw new Error(`the rows have no column for the field "${field.key}"`);
    const nested = compileNested(objects, type, field.nested);
    cells.push({ before: toWords(pending), index, nested });
    pending = '';
  }
  const { width } = layout;
  const tail = toWords(`${pending}}`);
  return {
    width,
    cells,
    tail,
    isFlat: cells.every(({ nested }) => nested === null),
    fixedBytes: cells.reduce((sum, { before }) => sum + before.length, tail.length),
    ends: new Uint32Array(2 * width),
  };
}

function compileNested(
  objects: GraphShape['objects'],
  type: TypeRef,
  selection: RowSelection | null,
): CompiledNested | null {
  if ('list' in type) {
    const of = compileNested(objects, type.list, selection);
    return of === null ? null : { kind: 'list', of };
  }
  const object = objects.find(({ name }) => name === type.name);
  if ((object === undefined) !== (selection === null))
    throw new Error(`a selection of ${type.name} does not fit the type`);
  if (object === undefined || selection === null) return null;
  return compileTuple(objects, object, selection);
}

function compileTuple(
  objects: GraphShape['objects'],
  { fields }: ShapeObject,
  selection: RowSelection,
): CompiledNested {
  const layout = { width: fields.length, positions: fields.map((_, at) => at) };
  const types = fields.map(({ type }) => type);
  const keys = fields.map(({ key }) => Buffer.from(JSON.stringify(key)));
  return { kind: 'tuple', keys, ...compileObject(objects, { types, selection, layout }) };
}
