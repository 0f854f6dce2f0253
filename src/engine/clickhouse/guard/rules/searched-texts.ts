/** Searches of texts that the engine answers wrongly: refused, or noted, so that they are sent with a setting. Found in ClickHouse 26.7. Pure. */
import {
  innerType,
  isNullable,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

const IN_LIST = /^(?:has|indexof|indexofassumesorted|countequal)$/i;

/**
 * Of a text in a list, otherwise than by `=`: the engine compares the text with the number of an Enum, and with the zero bytes
 * at the end of a FixedString.
 *
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfSearchedText(node: TreeNode, lexed: LexedText): string | null {
  const written = attributeOf(node, 'function_name');
  const [list, value] = argumentsOf(node);
  if (!IN_LIST.test(written) || list === undefined || value === undefined) return null;
  const listed = withoutWrappers(innerType(parseClickHouseType(typeOf(list))));
  const type = bareTypeOf(value);
  if (listed.name !== 'String' || !/^(?:Enum\d+|FixedString)$/.test(type.name)) return null;
  const column = attributeOf(value, 'column_name');
  const name = column === '' ? 'value' : column;
  const shown = type.name === 'FixedString' ? typeToText(type) : type.name;
  return `${written}${positionOfName(lexed, written)} is not accepted for ${name} of type ${shown} in an array of String, since the engine does not find it there; write ${written}(…, CAST(${name} AS String)).`;
}

const SEARCHES =
  /^(?:has(?:Token|AnyTokens?|AllTokens?|Phrase)|(?:not)?i?like$|match$|startsWith|endsWith)/i;
const COMPARISONS = /^(?:equals|notEquals|in|notIn)$/;

/** Whether a query searches a text that may be NULL, as an index of type text does. @param nodes nodes of the resolved tree. */
export function searchesNull(nodes: readonly TreeNode[]): boolean {
  return nodes.some((node) => isTextSearch(node) && isNullable(parseClickHouseType(typeOf(node))));
}

function isTextSearch(node: TreeNode): boolean {
  const name = attributeOf(node, 'function_name');
  if (SEARCHES.test(name)) return true;
  return (
    COMPARISONS.test(name) && argumentsOf(node).some((side) => bareTypeOf(side).name === 'String')
  );
}
