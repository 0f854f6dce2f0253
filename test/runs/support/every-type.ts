/** Every type beside every other: alone, in each container, and two containers deep. */
import fc from 'fast-check';
import {
  arrayOf,
  dynamicOf,
  geometries,
  jsonObjects,
  mapOf,
  namedTupleOf,
  nestedOf,
  nullableOf,
  shapes,
  simpleStateOf,
  tupleOf,
  variantOf,
  vectors,
} from './nested-cases.ts';
import { scalars, type TypeCase } from './value-cases.ts';

const alone: readonly TypeCase[] = [...scalars, jsonObjects, ...shapes, geometries, ...vectors];

const byType = (type: string): TypeCase => {
  const found = scalars.find((one) => one.type === type);
  if (found === undefined) throw new Error(`no values of ${type}`);
  return found;
};
const text = byType('String');
const number = byType('UInt64');

const noVariant = /^(Variant|Dynamic|Nullable)\b/;

type Container = (of: TypeCase) => TypeCase | null;

/** Null where the engine has no such type. */
const containers: readonly Container[] = [
  (of) => (of.allows.null ? nullableOf(of) : null),
  (of) => arrayOf(of),
  (of) => tupleOf(of, text),
  (of) => namedTupleOf(number, of),
  (of) => nestedOf(of, number),
  (of) => mapOf(text, of),
  (of) => (of.allows.key ? mapOf(of, number) : null),
  (of) => (of.allows.dynamic && !noVariant.test(of.type) ? variantOf(of) : null),
  (of) => (of.allows.dynamic ? dynamicOf(of) : null),
  (of) => (of.isJson || /LowCardinality/.test(of.type) ? null : simpleStateOf(of)),
];

function inside(all: readonly TypeCase[]): readonly TypeCase[] {
  return all.flatMap((of) => containers.flatMap((container) => container(of) ?? []));
}

/** They differ in their names alone. */
const alike = /^(Interval(?!Nanosecond|Day)|DateTime32|Enum\()/;
const oneDeep = inside(alone.filter(({ type }) => !alike.test(type)));

/** Types with their values, each once: a Dynamic does not declare what it holds. */
export const systematic: readonly TypeCase[] = unique([...alone, ...oneDeep]);

/** @param seed decides which of the many they are. */
export function sampled(seed: number, size: number): readonly TypeCase[] {
  const container = fc.constantFrom(...containers);
  const arbitrary = fc.tuple(fc.constantFrom(...oneDeep), container, fc.option(container));
  return unique(
    fc.sample(arbitrary, { seed, numRuns: size }).flatMap(([of, first, second]) => {
      const once = first(of);
      return (once === null || second === null ? once : second(once)) ?? [];
    }),
  );
}

const MOST_COLUMNS = 40;
/** A query has at most so many, and each run reads what its text makes. */
const MOST_LETTERS = 60_000;

/** As many as one table may have, those that no table may have for themselves. */
export function batchesOf(all: readonly TypeCase[]): readonly (readonly TypeCase[])[] {
  const batches: TypeCase[][] = [];
  for (const isIt of [isTransient, (of: TypeCase) => !isTransient(of)]) {
    let letters = Number.POSITIVE_INFINITY;
    for (const of of all.filter(isIt)) {
      const own = of.cells.reduce((sum, { sql }) => sum + sql.length, 0);
      letters += own;
      const last = batches.at(-1);
      if (last === undefined || letters > MOST_LETTERS || last.length === MOST_COLUMNS) {
        batches.push([of]);
        letters = own;
      } else last.push(of);
    }
  }
  return batches;
}

/** These are for results alone: the engine takes no column of them. */
export function isTransient({ type, cells }: TypeCase): boolean {
  return /Nothing/.test(type) || cells.some(({ sql }) => sql.includes('Interval'));
}

function unique(all: readonly TypeCase[]): readonly TypeCase[] {
  return [...new Map(all.map((one) => [`${one.type} ${one.cells[0]?.sql}`, one])).values()];
}
