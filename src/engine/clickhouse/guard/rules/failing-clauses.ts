/** Clauses that the engine accepts in a text and refuses in each run, whatever the rows are. Found in ClickHouse 26.7. Pure. */
import { typeToText } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  columnOf,
  conjunctsOf,
  nodesIn,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { refusalOfFill } from './filled-values.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfFailingClause(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind === 'JOIN') return refusalOfJoin(node, lexed);
  const isFilled = node.kind === 'SORT' && attributeOf(node, 'with_fill') === '1';
  return isFilled ? refusalOfFill(node, lexed) : null;
}

/** Keys of a type whose values may be of several types. */
function refusalOfJoin(join: TreeNode, lexed: LexedText): string | null {
  const keys = partOf(join, 'JOIN EXPRESSION').flatMap(conjunctsOf).filter(isKey);
  const key = keys
    .flatMap(argumentsOf)
    .find((side) => /^(?:Dynamic|Variant)$/.test(bareTypeOf(side).name));
  const where = `JOIN${positionOfName(lexed, 'join')} does not compare keys of the type`;
  if (key === undefined) {
    const joined = new Set(
      partOf(join, 'RIGHT TABLE EXPRESSION')
        .flatMap(nodesIn)
        .map(({ id }) => id),
    );
    const [first] = keys.filter((one) => isKeyOf(joined, one)).flatMap(differingTypes);
    return first === undefined ? null : `${where}s ${first}.`;
  }
  const name = attributeOf(key, 'column_name') || 'key';
  return `${where} ${bareTypeOf(key).name}; cast them, as in ${name}::String.`;
}

/**
 * Whether it compares a value of the joined side with one of the others, as the engine looks up.
 *
 * @param joined ids of the nodes of the joined side.
 */
function isKeyOf(joined: ReadonlySet<number | null>, condition: TreeNode): boolean {
  const sides = argumentsOf(condition).map((side) =>
    [...sourcesOf(side)].map((id) => joined.has(id)),
  );
  return sides.some((side) => side.every(Boolean)) && sides.some((side) => !side.some(Boolean));
}

/** By what a value of the type has to be converted to a type that the other one has in common with it. */
const CONVERSIONS: readonly (readonly [RegExp, RegExp, string])[] = [
  [
    /^(?:Fixed)?String$/,
    /^(?:U?Int\d+|Float\d+|Decimal|Date|Date32|DateTime|DateTime64|UUID|IPv[46])$/,
    'toString',
  ],
  [/^U?Int\d+$|^Float\d+$|^Decimal$/, /^DateTime(?:64)?$/, 'toUnixTimestamp'],
  [/^Float\d+$/, /^U?Int64$|^Decimal$/, 'toFloat64'],
  [/^Int(?:8|16|32|64)$/, /^UInt64$/, 'toInt128'],
];

/** The types of keys without a common type, and what to write; none if they have one. */
function differingTypes(condition: TreeNode): readonly string[] {
  const sides = argumentsOf(condition);
  return [sides, sides.toReversed()].flatMap(([one, other]) => {
    if (one === undefined || other === undefined) return [];
    const [own, given] = [bareTypeOf(one), bareTypeOf(other)];
    const found = CONVERSIONS.find(
      ([left, right]) => left.test(own.name) && right.test(given.name),
    );
    const name = attributeOf(other, 'column_name') || '…';
    const types = `${typeToText(own)} and ${typeToText(given)}, which have none in common`;
    return found === undefined ? [] : [`${types}; convert one, as in ${found[2]}(${name})`];
  });
}

/** Whether it compares a value of one side with one of the other by =. */
function isKey(condition: TreeNode): boolean {
  const [left, right] = argumentsOf(condition).map(sourcesOf);
  const isEqual = attributeOf(condition, 'function_name') === 'equals';
  if (!isEqual || left === undefined || right === undefined) return false;
  return left.size > 0 && right.size > 0 && [...left].every((source) => !right.has(source));
}

function sourcesOf(node: TreeNode): ReadonlySet<number | null> {
  return new Set(nodesIn(node).flatMap((one) => columnOf(one)?.source ?? []));
}
