/** Filters as dashboards have them: optional ones, searches, containers, dates, subqueries. */
import { plainAtoms } from './comparisons.ts';
import { isNumber, isOf } from './expressions.ts';
import { type Atom, any, columnsOf, ordered, type Reach } from './reach.ts';
import type { TableName } from './schema.ts';

/** Conditions that a run can leave out. */
export const optional: Atom = (reach) => {
  const left = any(reach);
  if (left === null) return null;
  const { random, variables } = reach;
  const form = random.int(0, 9);
  if (form <= 2) {
    const given = variables.optional(left);
    const operator = ordered(left) ? random.pick(['=', '>=', '<']) : '=';
    return `(${given} IS NULL OR ${left.text} ${operator} ${given})`;
  }
  if (form <= 4) {
    const list = variables.list(left);
    return random.pick([
      `(empty(${list}) OR ${left.text} IN ${list})`,
      `(length(${list}) = 0 OR has(${list}, ${left.text}))`,
      `(notEmpty(${list}) AND ${left.text} IN ${list} OR empty(${list}))`,
    ]);
  }
  if (form === 5) return `${left.text} = coalesce(${variables.optional(left)}, ${left.text})`;
  if (form === 6) return `${left.text} = ifNull(${variables.optional(left)}, ${left.text})`;
  if (form === 7) {
    const flag = variables.given('Bool', [true, false, true, false, true]);
    return random.pick([
      `(NOT ${flag} OR ${left.text} = ${variables.scalar(left)})`,
      `if(${flag}, ${left.text} = ${variables.scalar(left)}, 1)`,
    ]);
  }
  if (left.kind !== 'text') return `${left.text} <=> ${variables.optional(left)}`;
  const text = variables.given('String', [
    left.pool.present[0],
    '',
    'all',
    left.pool.present.at(-1),
    '',
  ]);
  return random.pick([
    `(${text} = '' OR ${left.text} = ${text})`,
    `(${text} IN ('', 'all') OR ${left.text} = ${text})`,
    `${left.text} LIKE if(${text} = '', '%', ${text})`,
    `(${left.text} = ${text} OR ${text} = 'all')`,
  ]);
};

export const search: Atom = (reach) => {
  const left = any(reach, isOf('text'));
  if (left?.kind !== 'text') return null;
  const { random, variables } = reach;
  const part = variables.given(
    'String',
    random.pick([
      ['e', 'S', '', 'zzz', 'a'],
      ['Gr', 'ok', '%', '_', 'é'],
      ['%a%', 'O%', '%', '', 'we_'],
    ]),
  );
  const t = left.text;
  return random.pick([
    `${t} LIKE ${part}`,
    `${t} LIKE concat('%', ${part}, '%')`,
    `${t} ILIKE concat(${part}, '%')`,
    `${t} NOT LIKE concat('%', ${part}, '%')`,
    `startsWith(${t}, ${part})`,
    `endsWith(${t}, ${part})`,
    `position(${t}, ${part}) > 0`,
    `positionCaseInsensitiveUTF8(${t}, ${part}) > 0`,
    `match(${t}, ${variables.given('String', ['^o', 'e|a', '.*', 'zz+', '^$'])})`,
    `lower(${t}) = lower(${part})`,
    `length(${t}) > ${variables.given('UInt8', [0, 2, 3, 100, 1])}`,
  ]);
};

export const containers: Atom = (reach) => {
  const found = any(reach, isOf('texts', 'ints', 'map'));
  if (found === null || !isOf('texts', 'ints', 'map')(found)) return null;
  const { random, variables } = reach;
  const { pool, text } = found;
  if (found.kind === 'ints') {
    const one = variables.scalar({ kind: 'int', type: 'Int32', pool });
    return random.pick([
      `has(${text}, ${one})`,
      `arrayExists(x -> x > ${one}, ${text})`,
      `${text}[1] = ${one}`,
    ]);
  }
  const of = { kind: 'text', type: 'String', pool } as const;
  if (found.kind === 'map') {
    return random.pick([
      `mapContains(${text}, ${variables.scalar(of)})`,
      `${text}[${variables.scalar(of)}] > 0`,
    ]);
  }
  return random.pick([
    `has(${text}, ${variables.scalar(of)})`,
    `hasAny(${text}, ${variables.list(of)})`,
    `(empty(${variables.list(of)}) OR hasAll(${text}, ${variables.list(of)}))`,
    `NOT has(${text}, ${variables.scalar(of)})`,
    `indexOf(${text}, ${variables.scalar(of)}) = 1`,
  ]);
};

export const arithmetic: Atom = (reach) => {
  const { random, variables } = reach;
  if (random.chance(0.4)) {
    const time = any(reach, isOf('date', 'time'));
    if (time === null || !isOf('date', 'time')(time)) return null;
    const date = variables.given('Date', [
      '2024-03-01',
      '2024-03-15',
      '2024-02-26',
      '1970-01-01',
      '2024-04-07',
    ]);
    const n = variables.given('UInt16', [7, 30, 0, 365, 1]);
    return random.pick([
      `dateDiff('day', ${time.text}, ${date}) BETWEEN 0 AND ${n}`,
      `toDate(${time.text}) > ${date} - ${n}`,
      `${time.text} >= toStartOfMonth(${date}) AND ${time.text} < toStartOfMonth(${date}) + INTERVAL 1 MONTH`,
      `toDate(${time.text}) >= ${date} - INTERVAL ${n} DAY`,
      `toYYYYMM(${time.text}) = toYYYYMM(${date})`,
    ]);
  }
  const left = any(reach, isNumber);
  const other = any(reach, isNumber);
  if (left === null || other === null) return null;
  const number = variables.given('Int32', [1, 3, 10, -5, 100]);
  return random.pick([
    `${left.text} * ${number} > ${other.text}`,
    `${left.text} + ${number} >= 5`,
    `${left.text} - ${other.text} < ${number}`,
    `(${left.text} > ${number} AND ${other.text} <= ${number})`,
    `greatest(${left.text}, ${other.text}) >= ${number}`,
    `${number} < ${left.text} + 1`,
  ]);
};

/** One variable on two columns. */
export const shared: Atom = (reach) => {
  const left = any(reach);
  if (left === null) return null;
  const right = any(reach, (one) => one.kind === left.kind && one.text !== left.text);
  if (right === null || right.kind !== left.kind) return null;
  const given = reach.variables.scalar(left);
  return reach.random.pick([
    `(${left.text} = ${given} OR ${right.text} = ${given})`,
    `${left.text} = ${given} AND ${right.text} != ${given}`,
    ...(ordered(left) ? [`${left.text} <= ${given} AND ${right.text} >= ${given}`] : []),
  ]);
};

/** Whatever the rows hold. */
export const switched: Atom = ({ random, variables }) =>
  random.pick([
    `${variables.given('String', ['all', 'none', 'all', '', 'all'])} = 'all'`,
    `${variables.given('Bool', [true, true, false, true, false])}`,
    `length(${variables.given('Array(String)', [['a'], [], ['a', 'b'], ['x'], []])}) > 0`,
  ]);

export const inSubquery: Atom = (reach) => {
  const { random, scope } = reach;
  const found = links.flatMap(({ column, table, key }) =>
    scope
      .filter(({ text }) => text === column || text.endsWith(`.${column}`))
      .map(({ text }) => ({ text, table, key })),
  );
  if (found.length === 0) return null;
  const { text, table, key } = random.pick(found);
  const inner: Reach = { ...reach, scope: columnsOf(table, 's') };
  const condition = random.pick(plainAtoms)(inner) ?? '1';
  return random.pick([
    `${text} IN (SELECT s.${key} FROM ${table} AS s WHERE ${condition})`,
    `${text} NOT IN (SELECT s.${key} FROM ${table} AS s WHERE ${condition})`,
    `EXISTS (SELECT 1 FROM ${table} AS s WHERE s.${key} = ${text} AND ${condition})`,
    `${text} IN (SELECT s.${key} FROM ${table} AS s WHERE ${condition} GROUP BY s.${key} HAVING count() > 1)`,
    `${text} >= (SELECT min(s.${key}) FROM ${table} AS s WHERE ${condition})`,
    `${text} > (SELECT avg(s.${key}) FROM ${table} AS s) AND ${text} <= (SELECT max(s.${key}) FROM ${table} AS s WHERE ${condition})`,
  ]);
};

const links: readonly {
  readonly column: string;
  readonly table: TableName;
  readonly key: string;
}[] = [
  { column: 'customer', table: 'customers', key: 'id' },
  { column: 'customer', table: 'visits', key: 'customer' },
  { column: 'customer', table: 'orders', key: 'customer' },
  { column: 'sku', table: 'products', key: 'sku' },
  { column: 'id', table: 'refunds', key: 'order_id' },
  { column: 'qty', table: 'orders', key: 'qty' },
  { column: 'born', table: 'readings', key: 'born' },
  { column: 'far', table: 'readings', key: 'seen' },
  { column: 'id', table: 'readings', key: 'small' },
];
