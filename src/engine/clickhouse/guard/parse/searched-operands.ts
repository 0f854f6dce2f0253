/** Where a text looks for a value in a list or a map, as written: the second argument of `has(list, x)`, and x of `map[x]`. Pure. */
import { isSymbol, type LexedText, nameAt } from './lexed-text.ts';
import {
  argumentsOfCall,
  closingBrackets,
  itemsWithin,
  type Operand,
  type Reader,
} from './ordered-operands.ts';

const SEARCH = /^(?:has|indexOf|countEqual|mapContains(?:Key|Value)?|arrayElement(?:OrNull)?)$/i;

/** Sorted by start; an operand may contain others. Linear time. */
export function searchedOperands(text: LexedText): readonly Operand[] {
  const reader: Reader = { text, closing: closingBrackets(text) };
  return [...text.tokens.keys()].flatMap((at) => [...calledAt(reader, at), ...indexAt(reader, at)]);
}

function calledAt(reader: Reader, at: number): readonly Operand[] {
  const { text } = reader;
  const name = text.tokens[at];
  if (name === undefined || !SEARCH.test(nameAt(text, at))) return [];
  const [, value, more] = argumentsOfCall(reader, at);
  if (value === undefined || more !== undefined) return [];
  return operandOf(reader, value).map((operand) => ({ ...operand, name }));
}

function indexAt(reader: Reader, at: number): readonly Operand[] {
  const { text } = reader;
  const before = text.tokens[at - 1];
  if (before === undefined || !isSymbol(text, at, '[')) return [];
  const isAccess =
    /^(?:word|name)$/.test(before.kind) || /^[)\]}]$/.test(text.sql[before.end - 1] ?? '');
  const items = itemsWithin(reader, at);
  return isAccess && items.length === 1 ? items.flatMap((item) => operandOf(reader, item)) : [];
}

function operandOf({ text }: Reader, [start, end]: readonly [number, number]): readonly Operand[] {
  const [first, last] = [text.tokens[start], text.tokens[end - 1]];
  return first === undefined || last === undefined || end <= start
    ? []
    : [{ start: first.start, end: last.end }];
}
