/** Groupings whose rows the engine gets wrong. Found in ClickHouse 26.7. Pure. */
import {
  argumentsOf,
  attributeOf,
  isAggregate,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { isSymbol, type LexedText, nameAt, positionOfName } from '../parse/lexed-text.ts';
import {
  closingBrackets,
  itemsOf,
  itemsWithin,
  type Range,
  type Reader,
} from '../parse/ordered-operands.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfGrouping(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'QUERY') return null;
  const type = attributeOf(node, 'group_by_type');
  if (type === 'grouping_sets') return refusalOfTotal(node, lexed);
  return /^(?:rollup|cube)$/.test(type) ? refusalOfTuple(node, type, lexed) : null;
}

/** The row of the set `()` is missing where nothing is aggregated. */
function refusalOfTotal(query: TreeNode, lexed: LexedText): string | null {
  const sets = query.children.filter(({ kind }) => kind === 'GROUP BY').flatMap(listsIn);
  const hasEmpty = sets.some((set) => set.attributes === 'nodes: 0');
  if (!hasEmpty || query.children.flatMap(nodesOf).some(isAggregate)) return null;
  return `GROUPING SETS${positionOfName(lexed, 'sets')} has an empty set, whose row the engine leaves out where no aggregate is computed; select an aggregate too, such as count().`;
}

/** Of GROUP BY, a list of the sets, each a list of its keys. */
function listsIn(part: TreeNode): readonly TreeNode[] {
  return part.children.flatMap(({ children }) => children).filter(({ kind }) => kind === 'LIST');
}

/** The engine divides a tuple that is a key into several keys, as it takes a list in parentheses. */
function refusalOfTuple(query: TreeNode, type: string, lexed: LexedText): string | null {
  // The key of a position, as in GROUP BY 1, is another node.
  const keys = new Set(partOf(query, 'GROUP BY').map(({ attributes }) => attributes));
  const parts = ['PROJECTION', 'HAVING', 'ORDER BY'].flatMap((name) => partOf(query, name));
  const divided = parts.flatMap(nodesOf).find((node) => {
    const items = attributeOf(node, 'function_name') === 'tuple' ? argumentsOf(node) : [];
    return items.length > 0 && items.every(({ attributes }) => keys.has(attributes));
  });
  if (divided === undefined || writtenKeys(lexed).includes(keys.size)) return null;
  const name = type.toUpperCase();
  return `The engine divides a tuple that is a key of ${name}${positionOfName(lexed, type)} into several keys; make the tuple in a subquery, as in SELECT k, count() FROM (SELECT (a, b) AS k, … FROM …) GROUP BY ${name}(k), or, for a key of its own for each part, write GROUP BY ${name}(a, b) and select a and b.`;
}

/** How many keys each ROLLUP and CUBE of the text has as written, those within parentheses included. */
function writtenKeys(text: LexedText): readonly number[] {
  const reader: Reader = { text, closing: closingBrackets(text) };
  const isWord = (at: number, words: RegExp) => words.test(nameAt(text, at));
  return [...text.tokens.keys()].flatMap((at) => {
    if (!isWord(at, /^group$/i) || !isWord(at + 1, /^by$/i)) return [];
    const from = at + 2;
    if (isWord(from, FORM) && isSymbol(text, from + 1, '('))
      return [countKeys(reader, itemsWithin(reader, from + 1))];
    let end = from;
    while (end < text.tokens.length && !isWord(end, /^with$/i))
      end = (reader.closing.get(end) ?? end) + 1;
    return isWord(end + 1, FORM) ? [countKeys(reader, itemsOf(reader, [from, end]))] : [];
  });
}

const FORM = /^(?:rollup|cube)$/i;

function countKeys(reader: Reader, items: readonly Range[]): number {
  const counts = items.map(([start, end]) => {
    const isList = isSymbol(reader.text, start, '(') && reader.closing.get(start) === end - 1;
    return isList ? countKeys(reader, itemsWithin(reader, start)) : 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The node and all below it, but for subqueries. */
function nodesOf(node: TreeNode): readonly TreeNode[] {
  if (/^(?:QUERY|UNION|JOIN TREE)$/.test(node.kind)) return [];
  return [node, ...node.children.flatMap(nodesOf)];
}
