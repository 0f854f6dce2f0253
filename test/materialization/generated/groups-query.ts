/** Queries that group. */
import { type Aggregate, aMetric, metricPool } from './aggregates.ts';
import { aWhere } from './conditions.ts';
import { anExpression, type Expression, isOf, isPlain } from './expressions.ts';
import type { Given, Reach } from './reach.ts';
import { aSource } from './sources.ts';
import { type Condition, emptySelect, type Item, type Select } from './spec.ts';
import { aliasFor, baseOf, constantsOf, tail } from './tails.ts';
import { groupWindow } from './windows.ts';

/** A key of a grouping: few values, at times chosen by a variable. */
function aKey(reach: Reach): Expression {
  const { random, scope, variables, isBold } = reach;
  if (isBold && random.chance(0.06)) {
    const time = anExpression(random, scope, isOf('date', 'time'));
    if (isOf('date', 'time')(time)) {
      const unit = variables.given('String', ['month', 'day', 'month', 'day', 'week']);
      const text = `if(${unit} = 'month', toStartOfMonth(${time.text}), toDate(${time.text}))`;
      return { ...time, text, kind: 'date', type: 'Date' };
    }
  }
  return anExpression(
    random,
    scope,
    (one) => one.isKey && (isPlain(one) || (one.kind === 'odd' && random.chance(0.3))),
  );
}

interface Grouped {
  readonly items: readonly Item[];
  readonly groupBy: readonly string[];
  readonly keys: readonly (Expression & { readonly alias: string })[];
  readonly metrics: readonly (Aggregate & { readonly alias: string })[];
}

export function grouped(reach: Reach, atLeastKeys: number, prefix = ''): Grouped {
  const { random } = reach;
  const found = Array.from(
    {
      length: random.weighted([
        [atLeastKeys === 0 ? 2 : 0, 0],
        [6, 1],
        [4, 2],
        [1, 3],
      ]),
    },
    () => aKey(reach),
  );
  const keys = found
    .filter(({ text }, at) => found.findIndex((other) => other.text === text) === at)
    .map((key, at) => ({
      ...key,
      alias: aliasFor(reach, key, `${prefix}k${at}`) ?? `${prefix}k${at}`,
    }))
    .filter(({ alias }, at, all) => all.findIndex((other) => other.alias === alias) === at);
  const metrics = Array.from({ length: random.int(1, 3) }, (_none, at) => ({
    ...aMetric(reach),
    alias: `${prefix}m${at}`,
  }));
  const isNumbered = random.chance(0.15);
  const groupBy = keys.map(({ text, alias }, at) =>
    isNumbered ? String(at + 1) : random.chance(0.6) ? text : alias,
  );
  const items = [...keys, ...metrics].map(({ text, alias }) => ({ text, alias }));
  return { items, groupBy, keys, metrics };
}

export function groupsQuery(given: Given): Select {
  const { random } = given;
  const source = aSource(given);
  const reach: Reach = { ...given, scope: source.scope };
  const { items, groupBy, keys, metrics } = grouped(reach, 0);
  const grouping =
    keys.length === 0 || !given.isBold || !random.chance(0.2)
      ? ''
      : random.pick([' WITH ROLLUP', ' WITH CUBE', ' ALL', ' ALL']);
  const more =
    given.isBold && random.chance(0.15) && keys.length > 0
      ? [{ text: groupWindow(random, keys, metrics), alias: 'w' }]
      : [];
  // A key that is grouped by and not selected has no name to be sorted by.
  const isKeyLeftOut =
    random.chance(0.08) && keys.length > 1 && grouping === '' && groupBy[0] === keys[0]?.text;
  const shown = isKeyLeftOut ? keys.slice(1) : keys;
  const aliases = shown.map(({ alias }) => alias);
  const counted = metrics.filter((one) => one.kind === 'int').map(({ alias }) => alias);
  const identity = random.chance(0.6) ? aliases : [];
  const end = keys.length === 0 ? {} : tail(reach, [...aliases, ...counted], identity);
  return {
    ...emptySelect,
    ...baseOf(source),
    ...end,
    items: [...(isKeyLeftOut ? items.slice(1) : items), ...more],
    where: aWhere(reach),
    groupBy: isKeyLeftOut ? keys.map(({ text }) => text) : groupBy,
    grouping,
    having: random.chance(0.2) ? aHaving(reach, { keys, metrics }) : null,
    named: constantsOf(random),
  };
}

function aHaving(
  { random, variables, isBold }: Reach,
  { keys, metrics }: Pick<Grouped, 'keys' | 'metrics'>,
): Condition {
  const counted = variables.given('UInt32', [1, 2, 0, 1000, 5]);
  const number = metrics.find(({ kind }) => kind === 'int');
  const key = keys.find(isPlain);
  const constants = ['count() > 1', 'count() > 2 AND count() < 500'];
  if (!isBold) return { kind: 'atom', text: random.pick(constants) };
  const texts = [
    ...constants,
    `count() >= ${counted}`,
    ...(number === undefined
      ? []
      : [
          `${number.alias} > 0`,
          `${number.alias} >= ${variables.scalar({ kind: 'int', type: 'Int64', pool: metricPool })}`,
        ]),
    ...(key === undefined
      ? []
      : [`${key.text} != ${variables.scalar(key)}`, `${key.text} = ${variables.scalar(key)}`]),
  ];
  return { kind: 'atom', text: random.pick(texts) };
}
