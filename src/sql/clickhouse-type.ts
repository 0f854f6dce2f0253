/**
 * Parses ClickHouse type names into trees: `Array(Nullable(Int128))`, `Tuple(a UInt8, b String)`, `Enum8('a' = 1)`.
 *
 * Tolerant: a text that is not a type gives a node without arguments, never an error. Only the engine knows which types
 * exist.
 */
import { ownValue } from '../lib/own-value.ts';

export interface ClickHouseType {
  /** `Array`, `DateTime64`, `String`: the part before the brackets. */
  readonly name: string;
  /** In order; null when the text has no parentheses at all. */
  readonly args: readonly TypeArgument[] | null;
}

export interface TypeArgument {
  /** The element's name in Tuple and Nested, as the engine writes it (back-quoted where needed). */
  readonly label: string | null;
  /** The nested type; null for a number, a quoted string, an enum member or a function name. */
  readonly type: ClickHouseType | null;
  /** The argument as written, including its label. */
  readonly text: string;
}

/** Which arguments of a type constructor are types; every other constructor has only literals. */
type ArgumentKind = 'types' | 'labelled' | 'function-then-types';
const argumentKinds: Readonly<Record<string, ArgumentKind>> = {
  Array: 'types',
  Nullable: 'types',
  LowCardinality: 'types',
  Map: 'types',
  Variant: 'types',
  Tuple: 'labelled',
  Nested: 'labelled',
  SimpleAggregateFunction: 'function-then-types',
  AggregateFunction: 'function-then-types',
};

const LABELLED = /^(`(?:[^`\\]|``|\\.)*`|"(?:[^"\\]|""|\\.)*"|[A-Za-z_]\w*)\s+(?=\S)/;

export function parseClickHouseType(text: string): ClickHouseType {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  if (open < 0 || !trimmed.endsWith(')')) return { name: trimmed, args: null };
  const name = trimmed.slice(0, open).trim();
  const kind = ownValue(argumentKinds, name);
  const args = splitArguments(trimmed.slice(open + 1, -1)).map((arg, index) =>
    toArgument(arg, index, kind),
  );
  return { name, args };
}

function toArgument(text: string, index: number, kind: ArgumentKind | undefined): TypeArgument {
  const isType = kind !== undefined && !(kind === 'function-then-types' && index === 0);
  if (!isType) return { label: null, type: null, text };
  const label = kind === 'labelled' ? (LABELLED.exec(text)?.[1] ?? null) : null;
  const rest = label === null ? text : text.slice(label.length);
  return { label, type: parseClickHouseType(rest), text };
}

/** Splits at commas outside of parentheses and quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? '';
    if (char === "'" || char === '`' || char === '"') i = endOfQuoted(text, i);
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' && parts.length === 0 ? [] : [...parts, last];
}

/** Index of the quote that closes the one at `start`, skipping doubled and escaped quotes. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === quote) {
      if (text[i + 1] !== quote) return i;
      i += 1;
    }
  }
  return text.length;
}

/** The type as one line of text that the engine accepts. */
export function typeToText(type: ClickHouseType): string {
  if (type.args === null) return type.name;
  const args = type.args.map((arg) => {
    if (arg.type === null) return arg.text;
    return arg.label === null ? typeToText(arg.type) : `${arg.label} ${typeToText(arg.type)}`;
  });
  return `${type.name}(${args.join(', ')})`;
}

/** The first argument's type, for constructors that contain one; `String` when the text was malformed. */
export function innerType(type: ClickHouseType): ClickHouseType {
  return type.args?.[0]?.type ?? { name: 'String', args: null };
}

/** The arguments that are types, in order. */
export function elementTypes(type: ClickHouseType): readonly ClickHouseType[] {
  return (type.args ?? []).flatMap((arg) => (arg.type === null ? [] : [arg.type]));
}

/** The type without wrappers that do not change a value's representation. */
export function withoutWrappers(type: ClickHouseType): ClickHouseType {
  return type.name === 'Nullable' || type.name === 'LowCardinality'
    ? withoutWrappers(innerType(type))
    : type;
}

/** Whether NULL is one of the type's values. */
export function isNullable(type: ClickHouseType): boolean {
  if (type.name === 'LowCardinality') return isNullable(innerType(type));
  return /^(Nullable|Variant|Dynamic|Nothing)$/.test(type.name);
}

/**
 * Whether values of the type, or parts of them, may be states of an aggregate. Looks at the text only, so it is also true
 * for an enum with a member of this name.
 */
export function mayHoldState(type: string): boolean {
  return /(?<!Simple)AggregateFunction\(/.test(type);
}

/** The integer literal at `index`, such as the scale of a DateTime64; null when there is none. */
export function numberArgument(type: ClickHouseType, index: number): number | null {
  const text = type.args?.[index]?.text ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** The names of an Enum's members, unescaped, in order. */
export function enumMembers(type: ClickHouseType): readonly string[] {
  return (type.args ?? []).map((arg) => {
    const end = arg.text.startsWith("'") ? endOfQuoted(arg.text, 0) : arg.text.length;
    return unquote(arg.text.slice(0, end + 1));
  });
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
  N: '',
};

/** The text that a backslash and a character represent. The engine keeps the backslash where it has no meaning. */
export function unescaped(char: string): string {
  const isItself = /[\\'"`/=\p{Cc}]/u.test(char);
  return escapes[char] ?? (isItself ? char : `\\${char}`);
}

/** Bytes in hexadecimal, another escape, or a doubled quote. */
const SPECIAL = /((?:\\x[\da-fA-F]{2})+)|\\(.)|(['`"])\3/gs;

/**
 * The text inside single quotes, back-quotes or double quotes; anything else unchanged. Only the quotes that enclose it
 * can be doubled in it.
 */
export function unquote(text: string): string {
  const quote = text[0] ?? '';
  if (text.length < 2 || !'\'`"'.includes(quote) || !text.endsWith(quote)) return text;
  return text
    .slice(1, -1)
    .replace(SPECIAL, (all, bytes?: string, escaped?: string, doubled?: string) => {
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString();
      if (escaped !== undefined) return unescaped(escaped);
      return doubled === quote ? quote : all;
    });
}

/** A String, possibly Nullable, as written in a query. */
export function isTextType(type: string): boolean {
  return /^(?:(?:Nullable|LowCardinality)\()*String\)*$/.test(type.replace(/\s/g, ''));
}

/** An array of these. */
export function isTextListType(type: string): boolean {
  return /^Array\((?:(?:Nullable|LowCardinality)\()*String\)+$/.test(type.replace(/\s/g, ''));
}
