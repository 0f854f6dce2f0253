/** Windows whose frames the engine computes wrongly. Found in ClickHouse 26.7. Pure. */
import { isNullable, parseClickHouseType } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  partOf,
  sortedValue,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfWindow(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'WINDOW' || node.id === null) return null;
  const keys = partOf(node, 'ORDER BY');
  const collated = keys.find((key) => attributeOf(key, 'collator') !== '');
  if (collated !== undefined)
    return `A window${positionOfName(lexed, 'collate')} is sorted with COLLATE, but the engine compares its rows without it; sort it by a text that needs none, such as lower(…).`;
  const [key] = keys;
  return key === undefined ? null : refusalOfRange(node, key, lexed);
}

/** With an offset, the engine compares a value with the NULLs or NaNs after it as if they were numbers. */
function refusalOfRange(node: TreeNode, key: TreeNode, lexed: LexedText): string | null {
  if (attributeOf(node, 'frame_type') !== 'RANGE') return null;
  const bounds = ['frame_begin_type', 'frame_end_type'].map((name) => attributeOf(node, name));
  if (!bounds.some((bound) => bound.startsWith('offset'))) return null;
  const sorted = sortedValue(key);
  if (sorted === undefined) return null;
  const column = attributeOf(sorted, 'column_name') || 'x';
  const where = `A window${positionOfName(lexed, 'range')} has RANGE with an offset`;
  if (/^B?Float/.test(bareTypeOf(sorted).name) && !isNumber(sorted))
    return `${where} over a floating point number, which may be NaN, and the engine counts rows with NaN as near; write a number in its place that is far from the others, as in ORDER BY ifNotFinite(${column}, 1e18).`;
  if (!isNullable(parseClickHouseType(typeOf(sorted))) || areNullsBelow(key)) return null;
  return `${where} over a value that may be NULL, and the engine takes NULLs for values near the last one; write ORDER BY ${column} NULLS FIRST, or DESC NULLS LAST.`;
}

/** Whether it is never NaN: `ifNotFinite(x, 0)`, or `toFloat64(n)` of an integer. */
function isNumber(value: TreeNode): boolean {
  const name = attributeOf(value, 'function_name');
  const [of] = argumentsOf(value);
  const isWhole = of !== undefined && /^U?Int\d+$/.test(bareTypeOf(of).name);
  return name === 'ifNotFinite' || (/^toFloat(?:32|64)$/.test(name) && isWhole);
}

/** The tree has the direction of NULLs only where it is not that of the values. */
function areNullsBelow(key: TreeNode): boolean {
  const nulls = attributeOf(key, 'nulls_sort_direction');
  return (nulls === '' ? attributeOf(key, 'sort_direction') : nulls) === 'DESCENDING';
}
