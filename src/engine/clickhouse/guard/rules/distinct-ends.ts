/**
 * Where the engine ends a DISTINCT too early: as soon as each part of a table has as many different rows as LIMIT and
 * OFFSET say together. Of an OFFSET alone that is too few, and so it is of negative numbers and of fractions. No setting
 * prevents it. Found in ClickHouse 26.7. Pure.
 */
import { attributeOf, hasPart, partOf, type TreeNode } from '../../../../sql/query-tree.ts';

const NEGATIVE_OR_FRACTION = /^(?:Int\d+_-|Float\d+_|BFloat16_|Decimal\d+_)/;

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfDistinctEnd(node: TreeNode): string | null {
  if (node.kind !== 'QUERY' || attributeOf(node, 'is_distinct') !== '1') return null;
  if (hasPart(node, 'LIMIT BY')) return null;
  const numbers = ['LIMIT', 'OFFSET'].flatMap((name) => partOf(node, name));
  if (numbers.some((number) => NEGATIVE_OR_FRACTION.test(attributeOf(number, 'constant_value'))))
    return 'DISTINCT is not accepted beside a negative number or a fraction in LIMIT or OFFSET, since the engine leaves out rows; put it into a subquery, as in SELECT * FROM (SELECT DISTINCT x FROM t) ORDER BY x LIMIT -1.';
  if (hasPart(node, 'OFFSET') && !hasPart(node, 'LIMIT'))
    return 'DISTINCT is not accepted beside OFFSET without LIMIT, since the engine leaves out rows; add a LIMIT, or put the DISTINCT into a subquery, as in SELECT * FROM (SELECT DISTINCT x FROM t) ORDER BY x OFFSET 10.';
  return null;
}
