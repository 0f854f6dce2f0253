/** Whether a result is one that the query may give, where ORDER BY leaves ties open and LIMIT returns any of them. */
import { findSurplus, isSameRow, type Result, type Row } from './rows.ts';
import { render, type Select } from './spec.ts';

export interface Judged {
  readonly select: Select;
  readonly inline: Result;
  readonly stored: Result;
  /** Runs a query with the values of the run, inline. */
  readonly ask: (sql: string) => Promise<Result>;
}

/** How the stored result is none of the query's; null when it is one. */
export async function findMistake({ select, inline, stored, ask }: Judged): Promise<string | null> {
  const [expected, actual] = [inline.names.join(), stored.names.join()];
  if (expected !== actual) return `the columns are ${expected} inline and ${actual} stored`;
  if (inline.rows.length !== stored.rows.length) {
    return `${inline.rows.length} rows inline and ${stored.rows.length} stored`;
  }
  const isTolerant = addsFloats(select);
  const isSame = inline.rows.every((row, at) => isSameRow(row, stored.rows[at] ?? [], isTolerant));
  if (isSame) return null;
  const isCut = select.limit !== null || select.offset !== null || select.limitBy !== '';
  if (!isCut) {
    const found = describe(findSurplus(inline.rows, stored.rows, isTolerant));
    if (found !== null || select.orderBy.length === 0) return found;
  }
  const all = await ask(render(withSortKeys(select)));
  return judgeOrder({ select, stored: stored.rows, width: inline.names.length, all, isTolerant });
}

/**
 * Sums of floating point numbers depend on the order of adding up, and which of 0 and -0 stands for a group on which
 * comes first. Everything else has to be the same to the digit.
 */
function addsFloats(select: Select): boolean {
  return /\b(sum|avg|stddev|var|covar|corr|entropy|skew|quantile|median)\w*\s*\(|\bGROUP BY\b/i.test(
    render(select),
  );
}

const keyName = '__sorted_by';

/** All rows from which LIMIT takes some, each with what it is sorted by. */
function withSortKeys(select: Select): Select {
  const keys = select.orderBy.map(({ text }, at) => ({ text, alias: `${keyName}${at}` }));
  return {
    ...select,
    items: [...select.items, ...keys],
    limit: null,
    offset: null,
    limitBy: '',
    isWithTies: false,
  };
}

interface Ordered {
  readonly select: Select;
  readonly stored: readonly Row[];
  /** Columns of the query. */
  readonly width: number;
  /** Its rows and their sort keys, in order. */
  readonly all: Result;
  readonly isTolerant: boolean;
}

function judgeOrder({ select, stored, width, all, isTolerant }: Ordered): string | null {
  const runs = tiedRuns(all.rows, width);
  if (select.limitBy !== '') return judgeLimitBy(runs, stored, isTolerant);
  const first = Number(select.offset ?? 0);
  let start = 0;
  for (const run of runs) {
    const end = start + run.length;
    const [from, to] = [Math.max(start, first), Math.min(end, first + stored.length)];
    if (to > from) {
      const part = stored.slice(from - first, to - first);
      const surplus = findSurplus(run, part, isTolerant);
      const isWhole = from === start && to === end;
      if (surplus !== null && (isWhole || surplus.extra.length > 0))
        return `rows ${from} to ${to}: ${describe(surplus) ?? ''}`;
    }
    start = end;
  }
  return null;
}

/** The rows with equal sort keys, together. */
function tiedRuns(rows: readonly Row[], width: number): readonly (readonly Row[])[] {
  const runs: Row[][] = [];
  let last: Row | null = null;
  for (const row of rows) {
    const keys = row.slice(width).map((cell) => (cell === '-0' ? '0' : cell));
    const isTied = last !== null && isSameRow(last, keys, true);
    if (isTied) runs.at(-1)?.push(row.slice(0, width));
    else runs.push([row.slice(0, width)]);
    last = keys;
  }
  return runs;
}

/** Every row is one of the query's, and none comes before one with a lower key. */
function judgeLimitBy(
  runs: readonly (readonly Row[])[],
  stored: readonly Row[],
  isTolerant: boolean,
): string | null {
  let [at, rest] = [0, [...(runs[0] ?? [])]];
  for (const row of stored) {
    let found = rest.findIndex((one) => isSameRow(one, row, isTolerant));
    while (found < 0) {
      at += 1;
      if (at >= runs.length) return `${JSON.stringify(row)} is no row, or not in its place`;
      rest = [...(runs[at] ?? [])];
      found = rest.findIndex((one) => isSameRow(one, row, isTolerant));
    }
    rest.splice(found, 1);
  }
  return null;
}

function describe(surplus: ReturnType<typeof findSurplus>): string | null {
  if (surplus === null) return null;
  const { missing, extra } = surplus;
  const some = (rows: readonly Row[]) => JSON.stringify(rows.slice(0, 3)).slice(0, 500);
  return `${missing.length} rows are missing, as ${some(missing)}, and ${extra.length} are too many, as ${some(extra)}`;
}
