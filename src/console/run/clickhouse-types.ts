/** What the console needs to know about ClickHouse types, the legacy names of variable types, and GraphQL types. */

const wrapper =
  /^(?:(?:Nullable\(|LowCardinality\(|SimpleAggregateFunction\(\w+(?:\([^()]*\))?,)([\s\S]*)\)|([^()]*)!)$/;

/**
 * The type within a wrapper that does not change the form of values, `Nullable(X)`, `LowCardinality(X)`,
 * `SimpleAggregateFunction(f, X)` or `X!`; null for another type.
 */
export function wrappedType(type: string): string | null {
  const found = wrapper.exec(type.trim());
  return found === null ? null : (found[1] ?? found[2] ?? '').trim();
}

/** The type without any wrapper. */
export function bareType(type: string): string {
  const inner = wrappedType(type);
  return inner === null ? type.trim() : bareType(inner);
}

export type TypeKind =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'date'
  | 'time'
  | 'boolean'
  | 'text'
  | 'other';

const kinds: readonly (readonly [RegExp, TypeKind])[] = [
  [/^(?:U?Int\d+|Int|BigInt|HugeInt)$/, 'integer'],
  [/^Decimal/, 'decimal'],
  [/^(?:B?Float\d+|Float|Number)$/, 'float'],
  [/^Date(?:32)?$/, 'date'],
  [/^DateTime/, 'time'],
  [/^Bool(?:ean)?$/, 'boolean'],
  [/^(?:String|FixedString|UUID|Enum|IPv|ID$)/, 'text'],
];

export function kindOf(type: string): TypeKind {
  const bare = bareType(type);
  return kinds.find(([pattern]) => pattern.test(bare))?.[1] ?? 'other';
}

export function isNumeric(type: string): boolean {
  return ['integer', 'decimal', 'float'].includes(kindOf(type));
}

/** Whether a double cannot hold every value of the type: results and variables represent these as strings of digits. */
export function isWide(type: string): boolean {
  const bits = Number(/^U?Int(\d+)$/.exec(bareType(type))?.[1] ?? 0);
  return bits >= 64 || kindOf(type) === 'decimal';
}

/** The names of an Enum's values; null for another type. */
export function enumValues(type: string): readonly string[] | null {
  const list = /^Enum(?:8|16)?\(([\s\S]*)\)$/.exec(bareType(type))?.[1];
  if (list === undefined) return null;
  const names = [...list.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, name = '']) => name);
  return names.map((name) => name.replace(/\\(.)/g, '$1'));
}

/** The type of a list's elements; null for another type. */
export function elementType(type: string): string | null {
  if (type === 'List') return 'String';
  return /^Array\(([\s\S]*)\)$/.exec(bareType(type))?.[1] ?? null;
}

/** Whether values of the type are lists or objects other than a list of single values, and so are typed as JSON. */
export function isTypedAsJson(type: string): boolean {
  const isNested = (one: string) => /^(?:Array|Tuple|Map|Nested)\(|^JSON\b/.test(bareType(one));
  const element = elementType(type);
  return element === null ? isNested(type) : isNested(element);
}
