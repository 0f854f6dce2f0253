/** Input that no operation may accept, by the kind of its member. */
import fc from 'fast-check';

export type Kind =
  | 'name'
  | 'text'
  | 'flag'
  | 'age'
  | 'cadence'
  | 'rows'
  | 'query'
  | 'count'
  | 'object'
  | 'names';

const twoMegabytes = 2 * 1024 * 1024;
const hugeText = 'x'.repeat(twoMegabytes);

/** The text holds something that cannot be stored. */
const unstorable = fc
  .tuple(fc.string({ maxLength: 8 }), fc.constantFrom('\u0000', '\ud800', '\udfff', 'a\udc00b'))
  .map(([before, bad]) => before + bad);

const nested = fc.integer({ min: 65, max: 3000 }).map((depth) => {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
});

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e308, -1e308, 2 ** 53, 2 ** 63, 0.1, -0.5),
);
const list = fc.array(fc.integer(), { maxLength: 3 });
const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3 });
const anyText = fc.string({ maxLength: 12 });

const notText = fc.oneof(number, fc.boolean(), list, object, nested);

/** Whole numbers outside what the member takes, and everything that is no whole number. */
function notWithin(min: number, max: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.integer({ min: -(2 ** 31), max: min - 1 }),
    ...(max < Number.MAX_SAFE_INTEGER ? [fc.integer({ min: max + 1, max: 2 ** 40 })] : []),
    fc.double({ min: min + 0.01, max: min + 0.99, noNaN: true }),
    fc.constantFrom(1e308, 2 ** 53 + 2, 2 ** 64),
    anyText,
    fc.boolean(),
    list,
    object,
    nested,
  );
}

const table = fc.stringMatching(/^missing_[a-z]{1,12}$/);
const refusedQuery = fc.oneof(
  fc.constantFrom('', ' ', '\n\t', ';', ';;', '--', '/*', '(', 'SELECT', "SELECT 'a", 'SELECT 1,'),
  table.map((name) => `SELECT * FROM ${name}`),
  table.map((name) => `SELECT ${name} FROM sales`),
  table.map((name) => `SELECT ${name}(amount) FROM sales`),
  table.map((name) => `SELECT {variables.${name}} AS a`),
  table.map((name) => `SELECT {a:${name}} AS a`),
  fc.constantFrom(
    'DROP TABLE sales',
    'TRUNCATE TABLE sales',
    'ALTER TABLE sales DELETE WHERE 1',
    "INSERT INTO sales VALUES ('x', 1, today(), NULL)",
    'CREATE TABLE t (a UInt8) ENGINE = Memory',
    'SHOW TABLES',
    'SET max_threads = 1',
    'USE system',
    'KILL QUERY WHERE 1',
    'EXPLAIN SELECT 1',
    'SELECT 1; DROP TABLE sales',
    'SELECT 1; SELECT 2',
    'SELECT 1 FORMAT Null',
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT * FROM file('/etc/passwd')",
    'SELECT 1 AS a, ',
    'SELECT * FROM sales WHERE',
    'SELECT sum(sum(amount)) FROM sales',
    "SELECT '\u0000'",
    "SELECT '\ud800'",
  ),
  fc.integer({ min: 262_145, max: 300_000 }).map((length) => `SELECT '${'x'.repeat(length)}'`),
  fc.integer({ min: 1000, max: 20_000 }).map((depth) => `SELECT ${'('.repeat(depth)}1`),
  fc.integer({ min: 2000, max: 20_000 }).map((depth) => `SELECT ${'-'.repeat(depth)}`),
);

const refusedDefinition = fc.oneof(
  refusedQuery.map((query) => ({ kind: 'SQLQuery', query })),
  anyText.map((kind) => ({ kind: `x${kind}`, query: 'SELECT 1' })),
  notText.map((query) => ({ kind: 'SQLQuery', query })),
  fc.constantFrom([], 'x', 5, true).map((variables) => ({
    kind: 'SQLQuery',
    query: 'SELECT 1',
    variables,
  })),
  fc
    .constantFrom(5, 'x', [], { type: 'x' }, { code_name: '' }, { isNull: 1 }, { x: 1 })
    .map((definition) => ({ kind: 'SQLQuery', query: 'SELECT 1', variables: { a: definition } })),
  anyText.map((member) => ({ kind: 'SQLQuery', query: 'SELECT 1', [`x${member}`]: 1 })),
  nested.map((variables) => ({ kind: 'SQLQuery', query: 'SELECT 1', variables: { a: variables } })),
);

/** Values that a member of the kind must refuse; null, which many take, is never among them. */
export const hostile: Readonly<Record<Kind, fc.Arbitrary<unknown>>> = {
  name: fc.oneof(
    notText,
    unstorable,
    fc.constantFrom('', ' ', '1', '-', '_a', 'a b', 'ü', '../..', 'a/b', 'x'.repeat(129), hugeText),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${text}!`),
  ),
  text: fc.oneof(notText, unstorable, fc.constant(hugeText)),
  flag: fc.oneof(number, anyText, list, object, nested),
  age: notWithin(0, 86_400),
  rows: notWithin(1, 1_000_000_000),
  cadence: fc.oneof(
    notText,
    anyText.map((text) => `${text}x`),
    fc.constant(hugeText),
  ),
  query: fc.oneof(
    refusedQuery,
    refusedDefinition,
    number,
    fc.boolean(),
    list,
    nested,
    fc.constant(hugeText),
  ),
  count: notWithin(0, Number.MAX_SAFE_INTEGER),
  object: fc.oneof(number, anyText, fc.boolean(), list, nested),
  names: fc.oneof(
    number,
    fc.boolean(),
    object,
    nested,
    fc.array(fc.oneof(number, fc.boolean(), unstorable, fc.constantFrom('', '1', 'a b', null)), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constant([hugeText]),
    fc.constant(Array.from({ length: 1001 }, (_, at) => `name_${at}`)),
  ),
};

/** The members of an endpoint that a caller writes. */
export const endpointMembers = {
  name: 'name',
  description: 'text',
  query: 'query',
  cache_age_seconds: 'age',
  is_active: 'flag',
  is_materialized: 'flag',
  sync_frequency: 'cadence',
  max_stored_rows: 'rows',
} as const satisfies Readonly<Record<string, Kind>>;

/** The members of a run. */
export const runMembers = {
  client_query_id: 'text',
  debug: 'flag',
  filters_override: 'object',
  limit: 'count',
  offset: 'count',
  query_override: 'object',
  refresh: 'cadence',
  variables: 'object',
  version: 'count',
  integers: 'cadence',
} as const satisfies Readonly<Record<string, Kind>>;

/** One member of the table with a value that it must refuse. */
export function hostileMember(
  members: Readonly<Record<string, Kind>>,
): fc.Arbitrary<{ readonly member: string; readonly value: unknown }> {
  return fc
    .constantFrom(...Object.entries(members))
    .chain(([member, kind]) => hostile[kind].map((value) => ({ member, value })));
}

export const unknownMember = fc
  .string({ maxLength: 20 })
  .map((text) => ({ member: `unknown_${text}`, value: 1 as unknown }));

/** The same on every machine and every day. */
export const settings = { seed: 20_260_301, verbose: 1 } as const;
