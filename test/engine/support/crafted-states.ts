/** States of aggregate functions: with crafted bytes, in every way to give them to the engine, and the engine's own. */
import type { Catalog, HostileText } from './hostile-calls.ts';
import { aggregateArguments, pick, type Random, someArguments } from './hostile-values.ts';

/** A state that the engine made: its type, and its bytes in hexadecimal. */
export interface RealState {
  readonly name: string;
  readonly type: string;
  readonly hex: string;
}

function mutated(random: Random, hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  const how = random();
  if (how < 0.25) return bytes.subarray(0, Math.floor(random() * bytes.length)).toString('hex');
  if (how < 0.5)
    return Buffer.from(Array.from({ length: 1 + random() * 40 }, () => random() * 256)).toString(
      'hex',
    );
  const changed = Buffer.from(bytes);
  for (let n = 0; n < 4 && changed.length > 0; n += 1) {
    changed[Math.floor(random() * changed.length)] = pick(random, [
      0,
      255,
      128,
      127,
      1,
      Math.floor(random() * 256),
    ]);
  }
  return changed.toString('hex');
}

/** Every way that a text could have to give the engine the bytes of a state. */
const givings: readonly ((bytes: string, type: string) => string)[] = [
  (bytes, type) => `SELECT finalizeAggregation(CAST(${bytes}, '${type}'))`,
  (bytes, type) => `SELECT hex(${bytes}::${type.replaceAll("\\'", "'")})`,
  (bytes, type) => `SELECT accurateCastOrNull(${bytes}, '${type}')`,
  (bytes, type) => `SELECT accurateCastOrDefault(${bytes}, '${type}')`,
  (bytes, type) => `SELECT _CAST(${bytes}, '${type}')`,
  (bytes, type) => `SELECT reinterpret(${bytes}, '${type}')`,
  (bytes, type) => `SELECT CAST([${bytes}], 'Array(${type})')`,
  (bytes, type) => `SELECT CAST((1, ${bytes}), 'Tuple(a UInt8, b ${type})')`,
  (bytes, type) => `SELECT CAST(map('k', ${bytes}), 'Map(String, ${type})')`,
  (bytes, type) => `SELECT CAST(${bytes}, 'Variant(UInt8, ${type})')`,
  (bytes, type) => `SELECT JSONExtract(concat('{"a":"', ${bytes}, '"}'), 'a', '${type}')`,
  (bytes, type) => `SELECT * FROM values('s ${type}', (${bytes}))`,
  (bytes, type) => `SELECT * FROM format(TSV, 's ${type}', ${bytes})`,
  (bytes, type) => `WITH '${type}' AS t SELECT CAST(${bytes}, t)`,
  (bytes, type) => `SELECT CAST(${bytes}, concat('${type.slice(0, 7)}', '${type.slice(7)}'))`,
  (bytes, type) => `SELECT * APPLY(x -> CAST(x, '${type}')) FROM (SELECT ${bytes})`,
  (bytes, type) => `SELECT arrayMap(x -> CAST(x, '${type}'), [${bytes}])`,
  (bytes, type) => `SELECT dynamicElement(CAST(${bytes}, 'Dynamic'), '${type}')`,
  (bytes, type) => `SELECT {s:${type.replaceAll("\\'", "'")}}, ${bytes}`,
  (bytes, type) => `SELECT (SELECT CAST(${bytes}, 'SimpleAggregateFunction(any, ${type})'))`,
];

export function craftedState(random: Random, states: readonly RealState[]): HostileText {
  const { type, hex } = pick(random, states);
  const bytes = `unhex('${mutated(random, hex)}')`;
  const escaped = type.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return { family: 'states', sql: pick(random, givings)(bytes, escaped), mustBeRefused: true };
}

/** What may be done with states that the engine made. */
export function realState(
  random: Random,
  catalog: Catalog,
  values: readonly string[],
): HostileText {
  const name = pick(random, catalog.aggregates);
  const other = random() < 0.7 ? name : pick(random, catalog.aggregates);
  const params = random() < 0.3 ? `(${someArguments(random, values, 2).join(', ')})` : '';
  const inner = `SELECT number % 3 AS k, ${name}State${params}(${aggregateArguments(random, values).join(', ')}) AS s FROM numbers(50) GROUP BY k`;
  const uses = [
    `${other}Merge${params}(s)`,
    `finalizeAggregation(any(s))`,
    `hex(${other}MergeState${params}(s))`,
    `arrayReduce('${other}Merge', groupArray(s))`,
    `${other}MergeState${params}(s) AS m, finalizeAggregation(m)`,
    `groupArray(s)[1] AS f, finalizeAggregation(f)`,
    `finalizeAggregation(${other}MergeState${params}(s) + ${other}MergeState${params}(s))`,
  ];
  return {
    family: 'real states',
    sql: `SELECT ${pick(random, uses)} FROM (${inner})`,
    mustBeRefused: false,
  };
}
