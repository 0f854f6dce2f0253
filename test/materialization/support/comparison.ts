/** One generated case: a query is planned and stored once, then read with several values. */
import type { Laboratory, Query, Values } from './laboratory.ts';

export interface Case extends Query {
  /** Sets of values to run with. */
  readonly values: readonly Values[];
  /** Whether ORDER BY says the place of every row. */
  readonly isTotallyOrdered: boolean;
}

export interface Outcome {
  /** How many sets of values gave the same rows; those for which the inline run fails not counted. */
  readonly compared: number;
  readonly withRows: number;
  /** Why the query was refused; null when it was planned. */
  readonly refusal: string | null;
}

/** Throws with both answers when a read differs from the inline run. */
export async function compare(laboratory: Laboratory, example: Case): Promise<Outcome> {
  const planned = await laboratory.plan(example);
  if (planned.kind === 'refusal') return { compared: 0, withRows: 0, refusal: planned.reason };
  const { plan } = planned;
  const table = await laboratory.store(plan);
  let compared = 0;
  let withRows = 0;
  for (const values of example.values) {
    const [inline, read] = await Promise.all([
      laboratory.run(example, values),
      laboratory.read({ plan, table }, example, values),
    ]);
    if (inline.length > 2) withRows += 1;
    const isSame = example.isTotallyOrdered
      ? inline.join('\n') === read.join('\n')
      : sorted(inline).join('\n') === sorted(read).join('\n');
    // A query that fails, as on values that its column's type does not take, has no rows to compare.
    if (inline[0]?.startsWith('error')) continue;
    if (isSame) {
      compared += 1;
      continue;
    }
    throw new Error(
      [
        example.sql,
        `values: ${JSON.stringify(values)}`,
        `stored: ${plan.storedQuery}`,
        `read:   ${plan.readQuery}`,
        `inline:\n${inline.slice(0, 20).join('\n')}`,
        `materialized:\n${read.slice(0, 20).join('\n')}`,
      ].join('\n'),
    );
  }
  await laboratory.drop(table);
  return { compared, withRows, refusal: null };
}

function sorted(lines: readonly string[]): readonly string[] {
  return [...lines.slice(0, 2), ...lines.slice(2).sort()];
}
