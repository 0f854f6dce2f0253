/** Window functions over rows and over groups. */
import type { Aggregate } from './aggregates.ts';
import { anExpression, type Expression, isOf, isPlain } from './expressions.ts';
import type { Random } from './random.ts';
import type { Reach } from './reach.ts';

/** @param key to write into PARTITION BY. */
export function rowWindow(
  { random, scope }: Reach,
  key: string | null,
  identity: readonly string[],
): string {
  const number = anExpression(random, scope, isOf('int', 'decimal')).text;
  const sorted = [anExpression(random, scope, isPlain).text, ...identity].join(', ');
  const by = key === null ? '' : `PARTITION BY ${key} `;
  // Which of tied rows comes first is open, so an inline run and a stored table may differ.
  const oneByOne = [
    `row_number() OVER (${by}ORDER BY ${sorted})`,
    `sum(${number}) OVER (${by}ORDER BY ${sorted} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)`,
    `lagInFrame(${number}, 1) OVER (${by}ORDER BY ${sorted})`,
    `first_value(${number}) OVER (${by}ORDER BY ${sorted})`,
  ];
  return random.pick([
    ...(identity.length === 0 ? [] : oneByOne),
    `rank() OVER (${by}ORDER BY ${number} DESC)`,
    `dense_rank() OVER (${by}ORDER BY ${number})`,
    `sum(${number}) OVER (${by})`,
    `count() OVER (${by})`,
    `max(${number}) OVER (${by}ORDER BY ${sorted})`,
  ]);
}

/** Over the groups of a query. */
export function groupWindow(
  random: Random,
  keys: readonly Expression[],
  metrics: readonly Aggregate[],
): string {
  const [first] = keys;
  const key = first?.text ?? '1';
  const all = keys.map(({ text }) => text).join(', ');
  const metric = metrics.find(({ kind }) => kind === 'int')?.text ?? 'count()';
  return random.pick([
    'sum(count()) OVER ()',
    `round(count() / sum(count()) OVER (), 4)`,
    `rank() OVER (ORDER BY ${metric} DESC)`,
    `row_number() OVER (ORDER BY ${all})`,
    `sum(${metric}) OVER (ORDER BY ${all})`,
    `sum(count()) OVER (PARTITION BY ${key})`,
    `max(${metric}) OVER (PARTITION BY ${key})`,
    `lagInFrame(${metric}) OVER (ORDER BY ${all})`,
  ]);
}
