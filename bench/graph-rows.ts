/** Rows as the objects of a selection: our pass over the bytes beside other ways to the same bytes, in turns in one process. */
import { buildSchema, execute, type GraphQLSchema, parse } from 'graphql';
import { compileRows } from '../src/data-graph/rows/compile-rows.ts';
import { spliceRows } from '../src/data-graph/rows/splice-rows.ts';
import { toShape } from '../src/data-graph/to-shape.ts';
import { typeText } from '../src/data-graph/types.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';

const shape = toShape({
  field: 'airportDays',
  description: '',
  columns: [
    { name: 'day', type: 'Date' },
    { name: 'origin', type: 'String' },
    { name: 'airport_name', type: 'String' },
    { name: 'flights', type: 'UInt64' },
    { name: 'late', type: 'UInt64' },
    { name: 'avg_delay', type: 'Float64' },
    { name: 'late_share', type: 'Nullable(Float64)' },
    { name: 'last_departure', type: 'DateTime' },
  ],
  variables: [],
});
const names = shape.columns.map(({ name }) => name);
const compiled = compileRows(
  shape,
  names.map((key, index) => ({ kind: 'column', key, index, nested: null })),
);
const limits = { maxBytes: 1_000_000_000 };
const schema: GraphQLSchema = buildSchema(`scalar Date scalar DateTime scalar BigInt
type Query { rows: [${shape.rowType}!]! }
type ${shape.rowType} { ${shape.columns.map(({ name, type }) => `${name}: ${typeText(type)}`).join(' ')} }`);
const document = parse(`{ rows { ${names.join(' ')} } }`);

const ways = {
  pass: (rows: Buffer) => spliceRows(rows, compiled, limits),
  parsed: (rows: Buffer) => Buffer.from(JSON.stringify(toObjects(rows))),
  graphqlJs: (rows: Buffer) => {
    const { data } = execute({ schema, document, rootValue: { rows: toObjects(rows) } }) as {
      readonly data: { readonly rows: unknown };
    };
    return Buffer.from(JSON.stringify(data.rows));
  },
} as const satisfies Record<string, (rows: Buffer) => Buffer>;

type Way = keyof typeof ways;

function toObjects(rows: Buffer): readonly object[] {
  const parsed = JSON.parse(rows.toString()) as readonly (readonly unknown[])[];
  return parsed.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

/** As the engine writes them, some 90 bytes each. */
function sampleRows(count: number): Buffer {
  const airports = ['San Francisco International', 'Zürich "Kloten"', 'Chicago O\\Hare', 'A'];
  const rows = Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.UTC(2001, 0, 1 + (at % 180))).toISOString().slice(0, 10);
    const share = at % 7 === 0 ? null : ((at * 7919) % 1_000_000) / 1_000_000;
    const values = [day, 'SFO', airports[at % 4], (at * 31) % 100_000, at % 1000, at / 8, share];
    return `[${[...values, `${day}T10:15:00Z`].map((value) => JSON.stringify(value)).join(', ')}]`;
  });
  return Buffer.from(`[${rows.join(',')}]`);
}

const sizes = [20, 5_000, 50_000];

export async function measureGraphRows(effort: Effort): Promise<readonly Figure[]> {
  const { rounds, seconds } = effort.of({ rounds: 21, seconds: 0.1 });
  return sizes.flatMap((count) => compare(count, { rounds, seconds }));
}

function compare(
  count: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): readonly Figure[] {
  const rows = sampleRows(count);
  requireEqual(rows);
  const times: Record<Way, number[]> = { pass: [], parsed: [], graphqlJs: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of Object.keys(ways) as Way[]) {
      const micros = cpuMicros(() => ways[way](rows), seconds);
      if (round > 0) times[way].push(micros);
    }
  }
  const ratio = (way: Way) =>
    times[way].map((micros, at) => micros / (times.pass[at] ?? Number.NaN));
  const name = `${count.toLocaleString('en')} rows of 8 columns`;
  return [
    figure(name, 'µs of one pass', { samples: times.pass }),
    figure(name, 'times that: parse, objects, stringify', {
      samples: ratio('parsed'),
      target: { atLeast: 2 },
    }),
    figure(name, 'times that: through graphql-js', {
      samples: ratio('graphqlJs'),
      target: { atLeast: 8 },
    }),
  ];
}

function requireEqual(rows: Buffer): void {
  const expected = ways.graphqlJs(rows);
  for (const way of Object.values(ways))
    if (!way(rows).equals(expected)) throw new Error('the ways give different bytes');
}

/** Processor time of one call, of as many as fit into the time. */
function cpuMicros(work: () => void, seconds: number): number {
  const start = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let calls = 0;
  do {
    work();
    calls += 1;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}
