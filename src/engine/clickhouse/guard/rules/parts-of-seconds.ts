/**
 * `toMillisecond(ts)` and the like of a DateTime64. The engine takes them for functions that grow with the time, so that conditions,
 * ORDER BY and DISTINCT by a sorting key return other rows. Found in ClickHouse 26.7 (issue 116944). Pure.
 */
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  isAggregate,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { decimalsOf } from '../../../../sql/time-text.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/** How many of them a second has. */
const parts: ReadonlyMap<string, number> = new Map([
  ['toMillisecond', 1000],
  ['toMicrosecond', 1_000_000],
  ['toNanosecond', 1_000_000_000],
]);

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfPartOfSecond(node: TreeNode, lexed: LexedText): string | null {
  const name = attributeOf(node, 'function_name');
  const part = parts.get(name);
  const [time] = argumentsOf(node);
  if (part === undefined || time === undefined || bareTypeOf(time).name !== 'DateTime64')
    return null;
  if (!readsColumn(time)) return null;
  const column = attributeOf(time, 'column_name') || 'x';
  const written = writtenOf(column, part, decimalsOf(bareTypeOf(time)));
  return `${name}${positionOfName(lexed, name)} of a DateTime64 returns other rows where that is in the sorting key of a table; write ${written}.`;
}

/** Whether the time of a row of a table is in it, and not only aggregates of such times. */
function readsColumn(node: TreeNode): boolean {
  if (node.kind === 'COLUMN') return true;
  return !isAggregate(node) && node.children.some(readsColumn);
}

/** In the unit of the type, since the engine rounds times before 1970 up to a coarser one. */
function writtenOf(time: string, part: number, decimals: number): string {
  const [unit, ticks] =
    decimals <= 3
      ? ['Milli', 1000]
      : decimals <= 6
        ? ['Micro', 1_000_000]
        : ['Nano', 1_000_000_000];
  const ofSecond = `positiveModulo(toUnixTimestamp64${unit}(${time}), ${ticks})`;
  if (ticks === part) return ofSecond;
  return ticks > part ? `intDiv(${ofSecond}, ${ticks / part})` : `${ofSecond} * ${part / ticks}`;
}
