/** What a generated SELECT reads: tables, joins, subqueries, CTEs, arrays. */
import { aWhere } from './conditions.ts';
import { type Expression, isPlain } from './expressions.ts';
import { aTable, type From, joined, plain } from './joins.ts';
import { columnsOf, type Given } from './reach.ts';
import { emptySelect, type Item, type Select } from './spec.ts';

export function aSource(given: Given): From {
  return given.random.weighted<(one: Given) => From>([
    [6, aTable],
    [5, joined],
    [3, aSubquery],
    [3, aCte],
    [2, unfolded],
    [1, joinedWithItself],
    [1, joinedWithGroups],
  ])(given);
}

/** Renamed columns of a table or a join, with conditions or without. */
function inner(given: Given): {
  readonly select: Select;
  readonly scope: readonly Expression[];
  readonly identity: readonly string[];
} {
  const { random } = given;
  const base = random.chance(0.3) ? joined(given) : aTable(given);
  const ids = base.scope.filter(({ text }) => base.identity.includes(text.replace(/^.*\./, '')));
  const rest = base.scope.filter((one) => !ids.includes(one));
  const chosen = [...ids, ...random.some(rest, 4, 9)];
  const items: Item[] = chosen.map(({ text }, at) => ({ text, alias: `c${at}` }));
  const scope = chosen.map((one, at) => ({ ...one, text: `c${at}` }));
  const where =
    given.isBold || random.chance(0.4) ? aWhere({ ...given, scope: base.scope }, 0) : null;
  const { from, joins } = base;
  const select = { ...emptySelect, items, from, joins, where };
  return { select, scope, identity: ids.map((_one, at) => `c${at}`) };
}

function aSubquery(given: Given): From {
  const { select, scope, identity } = inner(given);
  return { ...plain, from: { kind: 'select', select, alias: 'q' }, scope, identity };
}

function aCte(given: Given): From {
  const { select, scope, identity } = inner(given);
  return {
    ...plain,
    ctes: [{ name: 'base', select }],
    from: { kind: 'table', name: 'base', alias: '' },
    scope,
    identity,
  };
}

/** A CTE that is read twice. */
function joinedWithItself(given: Given): From {
  const { select, scope } = inner(given);
  const key = given.random.pick(scope.filter((one) => isPlain(one)));
  const group: Select = {
    ...emptySelect,
    items: [
      { text: key.text, alias: 'k' },
      { text: 'count()', alias: 'k_count' },
    ],
    from: { kind: 'table', name: 'base', alias: '' },
    groupBy: [key.text],
  };
  const counted: Expression = {
    text: 't.k_count',
    kind: 'int',
    type: 'UInt64',
    isNullable: false,
    isKey: true,
    pool: { present: [1, 2, 5], edges: [0, 100], absent: [100_000] },
  };
  return {
    ...plain,
    ctes: [{ name: 'base', select }],
    from: { kind: 'table', name: 'base', alias: 'b' },
    joins: [
      {
        kind: 'JOIN',
        source: { kind: 'select', select: group, alias: 't' },
        on: `ON b.${key.text} = t.k`,
      },
    ],
    scope: [...scope.map((one) => ({ ...one, text: `b.${one.text}` })), counted],
    identity: [],
  };
}

/** Rows beside the totals of their group. */
function joinedWithGroups(given: Given): From {
  const { random } = given;
  const scope = columnsOf('orders', 'b');
  const where = given.isBold ? aWhere({ ...given, scope: columnsOf('orders', '') }, 0) : null;
  const select: Select = {
    ...emptySelect,
    items: [
      { text: 'customer', alias: 'k' },
      { text: 'sum(total)', alias: 'spent' },
      { text: 'count()', alias: 'times' },
    ],
    from: { kind: 'table', name: 'orders', alias: '' },
    where,
    groupBy: ['customer'],
  };
  const times: Expression = {
    text: 't.times',
    kind: 'int',
    type: 'UInt64',
    isNullable: false,
    isKey: true,
    pool: { present: [1, 2, 5], edges: [0, 100], absent: [100_000] },
  };
  const spent: Expression = {
    text: 't.spent',
    kind: 'decimal',
    type: 'Decimal(38, 2)',
    isNullable: false,
    isKey: false,
    pool: { present: ['100', '0'], edges: ['-1'], absent: ['0.01'] },
  };
  return {
    ...plain,
    from: { kind: 'table', name: 'orders', alias: 'b' },
    joins: [
      {
        kind: random.pick(['JOIN', 'LEFT JOIN']),
        source: { kind: 'select', select, alias: 't' },
        on: 'ON b.customer = t.k',
      },
    ],
    scope: [...scope, times, spent],
    identity: ['b.id'],
  };
}

function unfolded({ random }: Given): From {
  const tag: Expression = {
    text: 'tag',
    kind: 'text',
    type: 'String',
    isNullable: false,
    isKey: true,
    pool: { present: ['new', 'sale', 'é'], edges: [''], absent: ['old'] },
  };
  return {
    ...plain,
    from: { kind: 'table', name: 'orders', alias: '' },
    arrayJoin: random.pick(['ARRAY JOIN tags AS tag', 'LEFT ARRAY JOIN tags AS tag']),
    scope: [...columnsOf('orders', ''), tag, tag],
    identity: [],
  };
}
