/** Queries over groups and over unions. */
import { metricPool } from './aggregates.ts';
import { aWhere, constantCondition } from './conditions.ts';
import { type Expression, isNumber } from './expressions.ts';
import { grouped } from './groups-query.ts';
import { columnsOf, type Given, type Reach } from './reach.ts';
import { aSource } from './sources.ts';
import { type Condition, emptySelect, type Select } from './spec.ts';
import { baseOf, both, tail } from './tails.ts';

/** Groups in a subquery or a CTE, filtered, sorted or grouped once more. */
export function nestedQuery(given: Given): Select {
  const { random } = given;
  const source = aSource(given);
  const { items, groupBy, keys, metrics } = grouped({ ...given, scope: source.scope }, 1);
  const inner: Select = {
    ...emptySelect,
    ...baseOf(source),
    items,
    groupBy,
    where: aWhere({ ...given, scope: source.scope }, random.int(0, 1)),
  };
  const scope = [
    ...keys.map((key): Expression => ({ ...key, text: key.alias })),
    ...metrics
      .filter(({ kind }) => ['int', 'float', 'decimal'].includes(kind))
      .map(
        ({ alias, kind, type }): Expression => ({
          text: alias,
          kind,
          type: type === '' ? 'Float64' : type,
          isNullable: true,
          isKey: false,
          pool: metricPool,
        }),
      ),
  ];
  const reach: Reach = { ...given, scope };
  const isCte = random.chance(0.5);
  const base = isCte
    ? {
        ctes: [...inner.ctes, { name: 'inside', select: { ...inner, ctes: [] } }],
        from: { kind: 'table', name: 'inside', alias: '' } as const,
      }
    : { from: { kind: 'select', select: inner, alias: 'inside' } as const };
  const outer = isCte && random.chance(0.3) ? aboveAverage(reach) : constantOrNone(reach);
  const where = both(outer, random.chance(0.4) ? aWhere(reach) : null);
  if (random.chance(0.4)) {
    const end = tail(
      reach,
      keys.map(({ alias }) => alias),
      keys.map(({ alias }) => alias),
    );
    return { ...emptySelect, ...base, ...end, items: [{ text: '*', alias: null }], where };
  }
  const again = grouped(reach, 0, 'o');
  const end =
    again.keys.length === 0
      ? {}
      : tail(
          reach,
          again.keys.map(({ alias }) => alias),
          [],
        );
  return { ...emptySelect, ...base, ...end, where, items: again.items, groupBy: again.groupBy };
}

function constantOrNone(reach: Reach): Condition | null {
  return reach.random.chance(0.3) ? constantCondition(reach) : null;
}

/** Reads the CTE a second time. */
function aboveAverage({ random, scope }: Reach): Condition | null {
  const number = scope.find(isNumber);
  if (number === undefined) return null;
  return {
    kind: 'atom',
    text: `${number.text} >= (SELECT ${random.pick(['avg', 'max', 'min'])}(${number.text}) FROM inside)`,
  };
}

export function unionQuery(given: Given): Select {
  const { random } = given;
  const part = (name: 'orders' | 'visits'): Select => {
    const scope = columnsOf(name, '');
    const items = [
      { text: 'toUInt64(customer)', alias: 'who' },
      { text: 'toString(day)', alias: 'what' },
      { text: name === 'orders' ? 'toInt64(qty)' : 'toInt64(ifNull(ms, 0))', alias: 'n' },
    ];
    return {
      ...emptySelect,
      items,
      from: { kind: 'table', name, alias: '' },
      where: given.isBold ? aWhere({ ...given, scope }, 0) : null,
    };
  };
  const both: Select = {
    ...part('orders'),
    unions: [{ kind: random.pick(['UNION ALL', 'UNION DISTINCT']), select: part('visits') }],
  };
  if (random.chance(0.3)) return both;
  const from = { kind: 'select', select: both, alias: 'u' } as const;
  if (random.chance(0.4)) {
    const sorted = ['who', 'what', 'n'].map((text) => ({ text, direction: '' }));
    return {
      ...emptySelect,
      items: [{ text: '*', alias: null }],
      from,
      orderBy: sorted,
      limit: '50',
    };
  }
  const who: Expression = {
    text: 'who',
    kind: 'int',
    type: 'UInt64',
    isNullable: false,
    isKey: false,
    pool: { present: [0, 1, 5], edges: [239], absent: [999] },
  };
  return {
    ...emptySelect,
    items: [
      { text: 'what', alias: null },
      { text: 'sum(n)', alias: 'm' },
    ],
    from,
    where: given.isBold ? aWhere({ ...given, scope: [who] }, 0) : null,
    groupBy: ['what'],
    orderBy: [{ text: 'what', direction: '' }],
  };
}
