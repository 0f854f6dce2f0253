/**
 * Functions that write values as text. Each run decides whether 64-bit integers are quoted in JSON (`integers`), also
 * where the query itself writes it.
 */
import { refuse } from '../refusal.ts';
import { type Node, partOf } from './canonical-node.ts';

const WRITES_JSON = /^(toJSONString|formatRow(NoNewline)?)$/;
const WRITES_TEXT = /^(toString|_?CAST|accurateCast\w*|concat)$/;
const LONG_INTEGER = /\b(U?Int(64|128|256)|Interval[A-Z]\w*)\b/;
const OF_ANY_TYPE = /\b(JSON|Dynamic)\b/;

/** Throws Refusal for a function whose text depends on the run. */
export function requireSameText(node: Node): void {
  if (node.kind !== 'FUNCTION') return;
  const args = partOf(node, 'ARGUMENTS');
  const types = args.map(({ type }) => withoutTexts(type));
  const holds = (pattern: RegExp) => types.some((type) => pattern.test(type));
  if (writesJson(node.name, args) && (holds(LONG_INTEGER) || holds(OF_ANY_TYPE))) {
    refuse(
      `The text that ${node.name} writes depends on how a run wants 64-bit integers written (\`integers\`); write these as toString(…) within it, or return the value itself.`,
    );
  }
  const isText = WRITES_TEXT.test(node.name) && /\bString\b/.test(withoutTexts(node.type));
  // Of several arguments each is written in another way.
  if (!isText || (node.name === 'concat' && args.length > 1) || !holds(OF_ANY_TYPE)) return;
  refuse(
    'The text of a JSON or Dynamic value depends on how a run wants 64-bit integers written (`integers`), since it may hold some; read a path by its type, as in data.path.:String, or return the value itself.',
  );
}

/** `formatRow` writes any format, which is its first argument. */
function writesJson(name: string, [format]: readonly Node[]): boolean {
  if (!WRITES_JSON.test(name)) return false;
  return name === 'toJSONString' || format?.kind !== 'CONSTANT' || /JSON/i.test(format.detail);
}

/** A type without members of enums and quoted names, which may be called like types. */
function withoutTexts(type: string): string {
  return type.replace(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
}
