/** What the service holds while it is attacked. */

/** One endpoint for each type, which hands the value back. */
export const valueTypes = [
  'String',
  'Nullable(String)',
  'LowCardinality(String)',
  'FixedString(5)',
  'UInt8',
  'Int64',
  'UInt256',
  'Float32',
  'Float64',
  'Decimal(18, 4)',
  'Bool',
  'Date',
  'Date32',
  'DateTime',
  "DateTime('Europe/Paris')",
  'DateTime64(3)',
  'UUID',
  'IPv4',
  'IPv6',
  "Enum8('a' = 1, 'it\\'s' = 2)",
  'Array(String)',
  'Array(UInt64)',
  'Array(Array(Nullable(Float64)))',
  'Array(DateTime64(3))',
  'Tuple(String, UInt8)',
  'Tuple(a UInt8, b String)',
  'Map(String, UInt64)',
  'JSON',
] as const;

export const legacyTypes = ['String', 'Number', 'Boolean', 'List', 'Date'] as const;

export const typedName = (at: number) => `typed_${at}`;
export const legacyName = (type: string) => `legacy_${type.toLowerCase()}`;

export interface Saved {
  readonly name: string;
  readonly query: unknown;
  readonly cache_age_seconds?: number;
}

const typed: readonly Saved[] = valueTypes.map((type, at) => ({
  name: typedName(at),
  query: `SELECT {v:${type}} AS v`,
}));

const legacy: readonly Saved[] = legacyTypes.map((type) => ({
  name: legacyName(type),
  query: {
    kind: 'HogQLQuery',
    query: 'SELECT {variables.v} AS v',
    variables: { v: { code_name: 'v', type } },
  },
}));

/** What every file of tests needs. */
export const fewEndpoints: readonly Saved[] = [
  { name: 'bystander', query: 'SELECT number AS n FROM numbers(3)' },
  { name: 'victim', query: 'SELECT 1 AS one, {a:UInt8} AS a' },
  { name: 'plain', query: 'SELECT 1 AS one' },
  { name: 'constructor', query: 'SELECT {toString:UInt8} AS hasOwnProperty' },
  { name: 'filtered', query: 'SELECT number AS n FROM numbers(10) WHERE {filters}' },
];

export const valueEndpoints: readonly Saved[] = [...typed, ...legacy];
