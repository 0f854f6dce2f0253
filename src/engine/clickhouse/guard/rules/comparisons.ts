/**
 * Comparisons that the engine evaluates differently over rows and over a table's sorting key, so that it skips rows
 * that the condition matches. Pure.
 */
import type { ClickHouseType } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  isComparison,
  isSearch,
  stringOf,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { isTimeType } from '../../../../sql/time-text.ts';
import { columnOrElse, type LexedText, positionWhere } from '../parse/lexed-text.ts';
import { type Given, refusalOfNested, toGiven } from './nested-values.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfComparison(node: TreeNode, lexed: LexedText): string | null {
  if (isSearch(node)) return refusalOfEnumList(node, lexed);
  if (!isComparison(node)) return null;
  const sides = argumentsOf(node);
  const given = sides.find(({ kind }) => kind === 'CONSTANT');
  const other = sides.find((side) => side !== given);
  if (given === undefined || other === undefined || other.kind === 'CONSTANT') return null;
  const constant = toGiven(given);
  return (
    refusalOfPadding(constant, other, lexed) ??
    refusalOfEnum(constant.type, other, lexed) ??
    refusalOfNested(constant, other, { operator: attributeOf(node, 'function_name'), lexed }) ??
    refusalOfDigits(given, other, lexed) ??
    refusalOfNaN(node, { given, other, lexed })
  );
}

/** A row equals the text without its trailing zero bytes, but the sorting key matches only with them. */
function refusalOfPadding(
  { type, mayBePadded }: Given,
  other: TreeNode,
  lexed: LexedText,
): string | null {
  const compared = bareTypeOf(other);
  const isText = compared.name === 'String' || compared.name === 'FixedString';
  const size = type.args?.[0]?.text;
  if (type.name !== 'FixedString' || !isText || !mayBePadded) return null;
  if (compared.args?.[0]?.text === size && compared.name === 'FixedString') return null;
  const what = columnOrElse(lexed, attributeOf(other, 'column_name'), 'A text');
  return `${what} is compared with a FixedString(${size ?? ''}), whose trailing zero bytes are not matched by the sorting key of a table; compare it with a String instead: a variable {name:String} or a string literal.`;
}

/** Rows are compared with the name of an Enum's value, but the sorting key with its number. */
function refusalOfEnum(type: ClickHouseType, other: TreeNode, lexed: LexedText): string | null {
  const compared = bareTypeOf(other);
  if (!/^Enum\d+$/.test(type.name) || !/^(?:Fixed)?String$/.test(compared.name)) return null;
  return enumOf(type.name, other, lexed);
}

function refusalOfEnumList(node: TreeNode, lexed: LexedText): string | null {
  const [value, set] = argumentsOf(node);
  if (value === undefined || set?.kind !== 'CONSTANT') return null;
  const [listed] = /^(?:(?:Array|Tuple|Nullable|LowCardinality)\()*Enum\d+/.exec(typeOf(set)) ?? [];
  if (listed === undefined || !/^(?:Fixed)?String$/.test(bareTypeOf(value).name)) return null;
  return enumOf(listed.replace(/.*\(/, ''), value, lexed);
}

function enumOf(type: string, other: TreeNode, lexed: LexedText): string {
  const what = columnOrElse(lexed, attributeOf(other, 'column_name'), 'A text');
  return `${what} is compared with a value of type ${type}, of which the sorting key of a table knows the number only; compare it with CAST(… AS String), or with a variable {name:String} or a string literal.`;
}

/**
 * Dates and times without separators, which the sorting key reads as seconds. Other digit strings are seconds
 * everywhere.
 */
const DAYS_OR_SECONDS = /^(\d{4})(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)(\d\d))?)?$/;

function refusalOfDigits(given: TreeNode, other: TreeNode, lexed: LexedText): string | null {
  const compared = bareTypeOf(other);
  const text = stringOf(given);
  if (text === null || !compared.name.startsWith('DateTime') || !isTimeType(compared)) return null;
  const [, year, month, day = '01', ...clock] = DAYS_OR_SECONDS.exec(text) ?? [];
  // A variable's value is parsed as a time before it is compared.
  const position = positionWhere(lexed, ({ sql, tokens }, at) => {
    const token = tokens[at];
    return token?.kind === 'text' && sql.slice(token.start, token.end) === `'${text}'`;
  });
  if (year === undefined || month === undefined || position === '') return null;
  const time = clock.every((part) => part !== undefined) ? ` ${clock.join(':')}` : '';
  return `The text '${text}'${position} is compared with a time, but the engine reads it as a day in the condition and as a number of seconds in the sorting key of a table; write '${year}-${month}-${day}${time}'.`;
}

interface Sides {
  readonly given: TreeNode;
  readonly other: TreeNode;
  readonly lexed: LexedText;
}

/** NOT of it is true of every row, but the sorting key reads the text as a number that is beyond all others. */
function refusalOfNaN(node: TreeNode, { given, other, lexed }: Sides): string | null {
  const isOrdering = /^(?:less|greater)/.test(attributeOf(node, 'function_name'));
  const text = stringOf(given) ?? '';
  if (!isOrdering || !/^[+-]?nan$/i.test(text)) return null;
  if (!/^B?Float/.test(bareTypeOf(other).name)) return null;
  const what = columnOrElse(lexed, attributeOf(other, 'column_name'), 'A number');
  return `${what} is compared with the text '${text}', which the sorting key of a table does not compare as NaN; write nan without quotes, or a variable {name:Float64}.`;
}
