/**
 * SELECT items about the texts of columns. Columns of one type share them: the engine needs more than a millisecond for
 * each expression of its own, and for thousands of them the square of that. Pure.
 */
import { quoteName } from '../../../sql/quote-name.ts';
import { type DoubtfulColumn, factsOf } from './written-types.ts';

interface ColumnFacts {
  readonly items: readonly string[];
  /** @returns the facts of each column, in order. @param row the values of `items`. */
  read(row: readonly unknown[]): readonly (readonly number[])[];
}

/** Columns that share an item: their texts in a block of rows are in memory once more. */
const SHARED = 64;

export function factsOfColumns(columns: readonly DoubtfulColumn[]): ColumnFacts {
  const shares = [...sharedBy(columns)];
  return {
    items: shares.map((share) => itemOf(share.map(({ column }) => column))),
    read(row) {
      const facts: (readonly number[])[] = columns.map(() => []);
      for (const [item, share] of shares.entries())
        for (const [slot, { at, column }] of share.entries())
          facts[at] = column.facts === null ? slotOf(row[item], slot) : numbers(row[item]);
      return facts;
    },
  };
}

interface Member {
  /** Position among all columns. */
  readonly at: number;
  readonly column: DoubtfulColumn;
}

/** The columns of each item. */
function* sharedBy(columns: readonly DoubtfulColumn[]): Iterable<readonly Member[]> {
  const byType = new Map<string, Member[]>();
  for (const [at, column] of columns.entries()) {
    const member = { at, column };
    const members = byType.get(column.type);
    if (column.facts !== null) yield [member];
    else if (members === undefined) byType.set(column.type, [member]);
    else members.push(member);
  }
  for (const members of byType.values())
    for (let from = 0; from < members.length; from += SHARED)
      yield members.slice(from, from + SHARED);
}

function itemOf(columns: readonly DoubtfulColumn[]): string {
  const [first] = columns;
  if (first === undefined) return '[]';
  if (first.facts !== null) return first.facts;
  const texts = columns.map(({ column }) => `assumeNotNull(${quoteName(column.name)})`);
  const list = `[${texts.join(', ')}]`;
  const facts = factsOf(first.type, {
    text: 'trimBoth(_x)',
    count: (condition) => `sumForEach(arrayMap(_x -> ifNull(${condition}, 0), ${list}))`,
    most: (number) => `maxForEach(arrayMap(_x -> ${number}, ${list}))`,
  });
  return `[${facts.map((fact) => (fact === '0' ? 'emptyArrayUInt64()' : fact)).join(', ')}]`;
}

/** @param facts a list per fact, of a number per column; without rows and for a fact that is not needed, an empty one. */
function slotOf(facts: unknown, slot: number): readonly number[] {
  return (facts as readonly (readonly unknown[])[]).map((ofColumns) =>
    Number(ofColumns[slot] ?? 0),
  );
}

function numbers(facts: unknown): readonly number[] {
  return (facts as readonly unknown[]).map(Number);
}
