/** Searches of texts that the engine answers otherwise than the comparison of each text. Found in ClickHouse 26.7. Pure. */
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
  nodesIn,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfSearchedText(node: TreeNode, lexed: LexedText): string | null {
  return refusalOfList(node, lexed) ?? refusalOfTokens(node, lexed);
}

const IN_LIST = /^(?:has|indexof|indexofassumesorted|countequal)$/i;

/** The engine compares a text with the number of an Enum, and with the zero bytes at the end of a FixedString. */
function refusalOfList(node: TreeNode, lexed: LexedText): string | null {
  const written = attributeOf(node, 'function_name');
  const [list, value] = argumentsOf(node);
  if (!IN_LIST.test(written) || list === undefined || value === undefined) return null;
  const listed = withoutWrappers(innerType(parseClickHouseType(typeOf(list))));
  const type = withoutWrappers(parseClickHouseType(typeOf(value)));
  if (listed.name !== 'String' || !/^(?:Enum\d+|FixedString)$/.test(type.name)) return null;
  const column = attributeOf(value, 'column_name');
  const name = column === '' ? 'value' : column;
  const shown = type.name === 'FixedString' ? typeToText(type) : type.name;
  return `${written}${positionOfName(lexed, written)} is not accepted for ${name} of type ${shown} in an array of String, since the engine does not find it there; write ${written}(…, CAST(${name} AS String)).`;
}

const TOKENS = /^(?:hasToken|hasAnyTokens?|hasAllTokens?)$/i;

/** An index of texts has no NULLs, so that NOT of what it finds has them. */
function refusalOfTokens(node: TreeNode, lexed: LexedText): string | null {
  if (attributeOf(node, 'function_name') !== 'not') return null;
  const found = nodesIn(node).find(
    (inner) =>
      TOKENS.test(attributeOf(inner, 'function_name')) &&
      isNullable(parseClickHouseType(typeOf(inner))),
  );
  if (found === undefined) return null;
  const written = attributeOf(found, 'function_name');
  return `${written}${positionOfName(lexed, written)} of a Nullable column is not accepted within NOT, since the engine's indexes of type text then find its NULLs; write ${written}(…) = 0.`;
}
