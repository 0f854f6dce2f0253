/** Whether the columns of a result still are what the shape of a version says. */
import { nestedTypeName } from '../names.ts';
import type { GraphShape, ShapeColumn, ShapeObject, TypeRef } from '../shape.ts';
import { type OwnTypes, outputType } from '../types.ts';

/** Where the shape's columns are in the rows of one result. */
export interface ColumnLayout {
  /** Number of columns of the result. */
  readonly width: number;
  /** By the column's index in the shape; -1 for one that was not looked for, or not found. */
  readonly positions: readonly number[];
}

/** A selected column that the result cannot give as the type of its field promises it. */
export interface ColumnMisfit {
  readonly column: ShapeColumn;
  /** The column's ClickHouse type in the result; null when there is no such column, or no telling which of several it is. */
  readonly found: string | null;
}

export interface ColumnFit {
  readonly layout: ColumnLayout;
  /** Empty: the rows can be written by the layout. */
  readonly misfits: readonly ColumnMisfit[];
}

interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * Finds selected columns by their own names in a result that may have been computed after its tables were altered, or by
 * another version. A column fits when its values are of its field's type; one that is never null fits where it may be.
 *
 * @param selected indexes of the shape's columns.
 */
export function fitColumns(
  shape: GraphShape,
  selected: Iterable<number>,
  result: readonly ResultColumn[],
): ColumnFit {
  const misfits: ColumnMisfit[] = [];
  const positions = shape.columns.map(() => -1);
  for (const index of new Set(selected)) {
    const column = shape.columns[index];
    if (column === undefined) throw new Error(`${shape.rowType} has no column ${index}`);
    const at = positionOf(shape, index, result);
    const found = result[at]?.type ?? null;
    if (found === null || !fits(shape, column, found)) misfits.push({ column, found });
    positions[index] = at;
  }
  return { layout: { width: result.length, positions }, misfits };
}

/** Columns that share a name are told apart by their order, as long as there are as many of them as there were. */
function positionOf({ columns }: GraphShape, index: number, result: readonly ResultColumn[]) {
  const name = columns[index]?.source;
  const declared = columns.flatMap(({ source }, at) => (source === name ? [at] : []));
  const found = result.flatMap((column, at) => (column.name === name ? [at] : []));
  return declared.length === found.length ? (found[declared.indexOf(index)] ?? -1) : -1;
}

function fits(shape: GraphShape, column: ShapeColumn, found: string): boolean {
  if (found === column.engineType) return true;
  const own: OwnTypes = { objects: [], enums: [] };
  const type = outputType(found, nestedTypeName(shape.rowType, column.name), own);
  return isReadable({ type: column.type, objects: shape.objects }, { type, objects: own.objects });
}

interface TypeOfShape {
  readonly type: TypeRef;
  readonly objects: readonly ShapeObject[];
}

/** Whether a value of the second type is one of the first. Tuples must have the same members in the same order. */
function isReadable(declared: TypeOfShape, found: TypeOfShape): boolean {
  if (declared.type.nonNull && !found.type.nonNull) return false;
  if ('list' in declared.type)
    return (
      'list' in found.type &&
      isReadable(of(declared, declared.type.list), of(found, found.type.list))
    );
  if ('list' in found.type) return false;
  const [members, others] = [membersOf(declared), membersOf(found)];
  if (members === null || others === null)
    return members === others && declared.type.name === found.type.name;
  return (
    members.length === others.length &&
    members.every(({ key, type }, at) => {
      const other = others[at];
      return key === other?.key && isReadable(of(declared, type), of(found, other.type));
    })
  );
}

function of({ objects }: TypeOfShape, type: TypeRef): TypeOfShape {
  return { type, objects };
}

function membersOf({ type, objects }: TypeOfShape): ShapeObject['fields'] | null {
  if ('list' in type) return null;
  return objects.find(({ name }) => name === type.name)?.fields ?? null;
}
