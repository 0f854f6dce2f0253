/** Whether the columns of a result still match a version's shape. */
import { nestedTypeName } from '../names.ts';
import type { GraphShape, ShapeColumn, ShapeObject, TypeRef } from '../shape.ts';
import { type OwnTypes, outputType } from '../types.ts';

/** Positions of the shape's columns in the rows of one result. */
export interface ColumnLayout {
  /** Number of columns of the result. */
  readonly width: number;
  /** By the column's index in the shape; -1 for one that was not needed or not found. */
  readonly positions: readonly number[];
}

/** A selected column whose result type breaks the promise of its field's type. */
export interface ColumnMisfit {
  readonly column: ShapeColumn;
  /** The column's ClickHouse type in the result; null when the column is missing or ambiguous. */
  readonly found: string | null;
}

export interface ColumnFit {
  readonly layout: ColumnLayout;
  /** When empty, the rows can be written with the layout. */
  readonly misfits: readonly ColumnMisfit[];
}

interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

/**
 * Finds selected columns by name in a result that may have been computed after its tables were altered, or by another
 * version. A column fits when its values are of its field's type; a non-nullable one also fits a nullable field.
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

/** Columns that share a name are matched by order, as long as their number is unchanged. */
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

/**
 * Whether every value of the second type is valid for the first. Tuples must have the same members in the same order.
 */
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
