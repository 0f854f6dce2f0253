/** Tables, and joins of up to four of them. */
import { aWhere } from './conditions.ts';
import { type Expression, isPlain } from './expressions.ts';
import { columnsOf, type Given, type Reach } from './reach.ts';
import type { TableName } from './schema.ts';
import { emptySelect, type Join, type Select, type Source } from './spec.ts';

export interface From {
  readonly ctes: Select['ctes'];
  readonly from: Source;
  readonly joins: readonly Join[];
  readonly arrayJoin: string;
  readonly scope: readonly Expression[];
  /** Expressions that together are different in each row; empty where there are none. */
  readonly identity: readonly string[];
}

export const plain = { ctes: [], joins: [], arrayJoin: '' } as const;

const baseTables: readonly (readonly [number, TableName])[] = [
  [8, 'orders'],
  [3, 'visits'],
  [2, 'customers'],
  [1, 'products'],
  [1, 'goals'],
  [5, 'readings'],
];

const identities: Record<TableName, readonly string[]> = {
  orders: ['id'],
  customers: ['id'],
  products: ['sku'],
  visits: [],
  goals: [],
  refunds: ['order_id'],
  readings: ['id'],
};

export function aTable({ random }: Given): From {
  const name = random.weighted(baseTables);
  const alias = random.chance(0.2) ? 'q' : '';
  return {
    ...plain,
    from: { kind: 'table', name, alias },
    scope: columnsOf(name, random.chance(0.5) ? alias : ''),
    identity: identities[name],
  };
}

interface Path {
  readonly base: TableName;
  readonly steps: readonly {
    readonly table: TableName;
    readonly alias: string;
    readonly on: string;
    /** As USING, where the names allow it. */
    readonly using?: string;
  }[];
}

const paths: readonly Path[] = [
  { base: 'orders', steps: [{ table: 'customers', alias: 'c', on: 'ON b.customer = c.id' }] },
  {
    base: 'orders',
    steps: [{ table: 'products', alias: 'p', on: 'ON b.sku = p.sku', using: 'USING (sku)' }],
  },
  {
    base: 'orders',
    steps: [
      { table: 'customers', alias: 'c', on: 'ON b.customer = c.id' },
      { table: 'products', alias: 'p', on: 'ON p.sku = b.sku' },
      {
        table: 'goals',
        alias: 'g',
        on: 'ON g.country = c.country AND g.month = toStartOfMonth(b.day)',
      },
    ],
  },
  {
    base: 'visits',
    steps: [
      { table: 'customers', alias: 'c', on: 'ON c.id = b.customer' },
      { table: 'customers', alias: 'pa', on: 'ON pa.id = c.parent' },
    ],
  },
  {
    base: 'visits',
    steps: [
      {
        table: 'orders',
        alias: 'o',
        on: 'ON o.customer = b.customer AND o.day = b.day',
        using: 'USING (customer, day)',
      },
    ],
  },
  { base: 'orders', steps: [{ table: 'refunds', alias: 'r', on: 'ON r.order_id = b.id' }] },
  {
    base: 'readings',
    steps: [
      { table: 'customers', alias: 'c', on: 'ON c.id = b.small', using: 'USING (id)' },
      { table: 'visits', alias: 'o', on: 'ON o.customer = c.id' },
    ],
  },
  {
    base: 'orders',
    steps: [{ table: 'readings', alias: 'r', on: 'ON r.id = b.id', using: 'USING (id)' }],
  },
  { base: 'customers', steps: [{ table: 'readings', alias: 'r', on: 'ON r.born = b.born' }] },
  {
    base: 'customers',
    steps: [
      { table: 'goals', alias: 'g', on: 'ON b.country = g.country', using: 'USING (country)' },
      { table: 'orders', alias: 'o', on: 'ON o.customer = b.id' },
    ],
  },
];

const OUTER = /LEFT|RIGHT|FULL/;
const kinds: readonly (readonly [number, string])[] = [
  [6, 'INNER JOIN'],
  [5, 'LEFT JOIN'],
  [3, 'JOIN'],
  [1, 'RIGHT JOIN'],
  [1, 'FULL JOIN'],
  [1, 'ANY LEFT JOIN'],
  [1, 'SEMI LEFT JOIN'],
  [1, 'ANTI LEFT JOIN'],
];

export function joined(given: Given): From {
  const { random } = given;
  const { base, steps } = random.pick(paths);
  const taken = steps.slice(0, random.int(1, steps.length));
  let scope = columnsOf(base, 'b');
  const joins = taken.map(({ table, alias, on, using }): Join => {
    const kind = random.weighted(kinds);
    const inner = given.isBold && random.chance(0.2) ? filteredTable(given, table) : null;
    const source: Source =
      inner === null
        ? { kind: 'table', name: table, alias }
        : { kind: 'select', select: inner, alias };
    if (!/^(SEMI|ANTI)/.test(kind)) scope = [...scope, ...columnsOf(table, alias)];
    const isUsing = using !== undefined && random.chance(0.4) && taken.length === 1;
    const more =
      given.isBold && !isUsing && random.chance(0.15)
        ? onVariable({ ...given, scope: columnsOf(table, alias) })
        : '';
    return { kind, source, on: `${isUsing ? using : on}${more}` };
  });
  const isOuter = joins.some(({ kind }) => OUTER.test(kind));
  return {
    ...plain,
    from: { kind: 'table', name: base, alias: 'b' },
    joins,
    // The engine's optimizer takes 1900-01-01 for the Date32 of a row without a match, which is 1970-01-01.
    scope: isOuter ? scope.filter(({ type }) => type !== 'Date32') : scope,
    identity: [],
  };
}

/** A variable in the condition of a JOIN. */
function onVariable({ random, variables, scope }: Reach): string {
  const column = random.pick(scope.filter((one) => isPlain(one)));
  return ` AND ${column.text} ${random.pick(['=', '=', '>=', '!='])} ${variables.scalar(column)}`;
}

function filteredTable(given: Given, name: TableName): Select {
  const where = aWhere({ ...given, scope: columnsOf(name, '') }, 0);
  return {
    ...emptySelect,
    items: [{ text: '*', alias: null }],
    from: { kind: 'table', name, alias: '' },
    where,
  };
}
