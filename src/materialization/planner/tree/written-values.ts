/**
 * Functions that write values as text. Each run decides whether 64-bit integers are quoted in JSON (`integers`), also
 * where the query itself writes it.
 */
import { type Node, partOf, walk } from './canonical-node.ts';

const WRITES_ROWS = /^(toJSONString|formatRow(NoNewline)?)$/;
const WRITES_TEXT = /^(toString|_?CAST|accurateCast\w*|concat)$/;
const LONG_INTEGER = /\b(U?Int(64|128|256)|Interval[A-Z]\w*)\b/;
const OF_ANY_TYPE = /\b(JSON|Dynamic)\b/;

/** Whether texts of the query's rows may differ between runs with integers as numbers and as strings. */
export function writesIntegers(query: Node): boolean {
  for (const node of walk(query)) if (mayWriteInteger(node)) return true;
  return false;
}

function mayWriteInteger(node: Node): boolean {
  if (node.kind !== 'FUNCTION') return false;
  const args = partOf(node, 'ARGUMENTS');
  const types = args.map(({ type }) => withoutTexts(type));
  const holds = (pattern: RegExp) => types.some((type) => pattern.test(type));
  // Within a JSON value, every format writes integers as JSON does.
  if (WRITES_ROWS.test(node.name))
    return holds(OF_ANY_TYPE) || (isOfJson(args) && holds(LONG_INTEGER));
  // A JSON or Dynamic value may hold such integers. Of several arguments `concat` writes each in another way.
  const isText = WRITES_TEXT.test(node.name) && /\bString\b/.test(withoutTexts(node.type));
  return isText && !(node.name === 'concat' && args.length > 1) && holds(OF_ANY_TYPE);
}

/** `formatRow` has the format as its first argument, `toJSONString` none. */
function isOfJson([format]: readonly Node[]): boolean {
  return format?.kind !== 'CONSTANT' || format.type !== 'String' || /JSON/i.test(format.detail);
}

/** A type without members of enums and quoted names, which may be called like types. */
function withoutTexts(type: string): string {
  return type.replace(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
}
