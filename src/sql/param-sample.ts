import { type ClickHouseType, parseClickHouseType } from './clickhouse-type.ts';
import { nullText } from './param-value.ts';

/** A valid value per type, for describing queries without running them. */
const scalarSamples: readonly (readonly [RegExp, string])[] = [
  [/^(String|FixedString|Dynamic|Variant)$/, ''],
  [/^JSON$/, '{}'],
  [/^U?Int\d+$|^(B?Float|Decimal)\d*$/, '1'],
  [/^Bool$/, 'true'],
  [/^Date(32)?$/, '2001-01-01'],
  [/^DateTime(32|64)?$/, '2001-01-01 00:00:00'],
  [/^Time(64)?$/, '00:00:00'],
  [/^UUID$/, '00000000-0000-0000-0000-000000000000'],
  [/^IPv4$/, '0.0.0.0'],
  [/^IPv6$/, '::'],
];

/** A valid value of the type as the engine's text; empty for other types. */
export function sampleParam(type: string): string {
  return sampleOf(parseClickHouseType(type), false);
}

function sampleOf(type: ClickHouseType, quoted: boolean): string {
  const inner = (type.args ?? []).flatMap((arg) => (arg.type === null ? [] : [arg.type]));
  const [first] = inner;
  if (type.name === 'Nullable') return quoted ? 'NULL' : nullText;
  if (type.name === 'LowCardinality' && first !== undefined) return sampleOf(first, quoted);
  if (type.name === 'Array' || type.name === 'Nested') return '[]';
  if (type.name === 'Map') return '{}';
  if (type.name === 'Tuple') return `(${inner.map((member) => sampleOf(member, true)).join(',')})`;
  if (type.name.startsWith('Enum')) return enumMember(type, quoted);
  const sample = scalarSamples.find(([names]) => names.test(type.name))?.[1] ?? '';
  const bare = /^(U?Int|B?Float|Decimal|Bool)/.test(type.name);
  return quoted && !bare ? `'${sample}'` : sample;
}

function enumMember(type: ClickHouseType, quoted: boolean): string {
  const member = /^'((?:[^'\\]|\\.|'')*)'/.exec(type.args?.[0]?.text ?? '')?.[1] ?? '';
  return quoted ? `'${member}'` : member;
}
