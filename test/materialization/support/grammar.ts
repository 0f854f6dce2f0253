/** Queries over every supported construct, with values for their variables. */
import fc from 'fast-check';
import type { Case } from './comparison.ts';
import { aggregates, constantConditions, groupings, rowItems } from './fragments.ts';
import type { Values } from './laboratory.ts';
import { type Placed, placedPredicates } from './predicate-grammar.ts';
import type { TableName } from './tables.ts';

interface Source {
  readonly from: string;
  /** Conditions on variables that stand in the main WHERE. */
  readonly where: string;
  readonly with: string;
}

const tableName = fc.constantFrom<TableName[]>(
  'none',
  'one',
  'few',
  'some',
  'some',
  'many',
  'many',
);
const constants = fc.subarray([...constantConditions], { maxLength: 2 });

/** How a query reads its table, and where its conditions on variables stand. */
function sourceOf(table: string, { conditions, kinds }: Placed, pick: number): Source {
  const where = conditions.join(' AND ');
  const isEach = kinds.every((kind) => kind === '=');
  if (pick === 1) return { from: `(SELECT * FROM ${table} WHERE ${where})`, where: '', with: '' };
  if (pick === 2) {
    const cte = `WITH src AS (SELECT * FROM ${table} AS q WHERE ${where})`;
    return { from: 'src', where: '', with: cte };
  }
  if (pick === 3)
    return { from: `${table} AS q LEFT JOIN other AS o ON q.s = o.s`, where, with: '' };
  if (pick === 4) return { from: `${table} ARRAY JOIN arr AS x`, where, with: '' };
  if (pick === 5 && isEach) {
    return { from: `(SELECT DISTINCT * FROM ${table} WHERE ${where}) AS q`, where: '', with: '' };
  }
  if (pick === 6) {
    const inner = `SELECT * FROM (SELECT * FROM ${table}) WHERE ${where}`;
    return { from: `(SELECT * FROM (${inner}) AS q1) AS q2`, where: '', with: '' };
  }
  return { from: table, where, with: '' };
}

function whereOf(source: Source, more: readonly string[]): string {
  const all = [...more.slice(0, 1), source.where, ...more.slice(1)].filter((text) => text !== '');
  return all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
}

interface Tail {
  readonly order: number;
  readonly direction: string;
  readonly limit: number;
  readonly offset: number;
}

const tail = fc.record<Tail>({
  order: fc.integer({ min: 0, max: 3 }),
  direction: fc.constantFrom('', ' DESC', ' DESC NULLS FIRST', ' ASC NULLS FIRST'),
  limit: fc.constantFrom(0, 0, 1, 3, 10),
  offset: fc.constantFrom(0, 0, 2),
});

/** ORDER BY by these, LIMIT only when they determine the position of every row. */
function tailOf(
  { order, direction, limit, offset }: Tail,
  by: readonly string[],
  isTotal: boolean,
) {
  const isOrdered = (order > 0 || limit > 0) && by.length > 0;
  if (!isOrdered) return { text: '', isTotal: false };
  const orderBy = ` ORDER BY ${by.map((text, at) => (at === 0 ? `${text}${direction}` : text)).join(', ')}`;
  const isCut = limit > 0 && isTotal;
  const cut = isCut ? ` LIMIT ${limit}${offset > 0 ? ` OFFSET ${offset}` : ''}` : '';
  return { text: `${orderBy}${cut}`, isTotal };
}

type Choice = {
  readonly table: string;
  readonly pick: number;
  readonly placed: Placed;
  readonly more: string[];
  readonly tail: Tail;
};

const choice: fc.Arbitrary<Choice> = fc.record({
  table: tableName,
  pick: fc.integer({ min: 0, max: 12 }),
  placed: placedPredicates,
  more: constants,
  tail,
});

const rowsQuery: fc.Arbitrary<Case> = fc
  .record({
    choice,
    items: fc.subarray([...rowItems], { minLength: 1, maxLength: 4 }),
    form: fc.constantFrom('plain', 'plain', 'star', 'distinct', 'limit by', 'window'),
    sort: fc.constantFrom('i', 's', 'n', 'lower(s)', 'd', 'lcn', 'i * -1'),
  })
  .map(({ choice: chosen, items, form, sort }) => {
    const { placed } = chosen;
    const isMultiplied = chosen.pick === 3 || chosen.pick === 4;
    const source = sourceOf(chosen.table, placed, chosen.pick);
    const left = placed.lefts.join(', ');
    const isWindowed = form === 'window' && source.where !== '' && !isMultiplied;
    const window = `row_number() OVER (PARTITION BY ${left} ORDER BY id) AS rn, sum(i) OVER (PARTITION BY ${left}, u ORDER BY id DESC) AS si`;
    const list = form === 'star' ? '*' : items.map(({ text }) => text).join(', ');
    const selected = isWindowed ? `${list}, ${window}` : list;
    const isDistinct = form === 'distinct';
    const isCuttable = !isMultiplied && form !== 'star';
    const by = isDistinct ? items.map(({ name }) => name) : [sort, 'id'];
    const hasTies = isDistinct ? items.some(({ isFloat }) => isFloat) : isMultiplied;
    const end = tailOf(chosen.tail, by, !hasTies && (isCuttable || !isMultiplied));
    const limitBy =
      form === 'limit by' && !isMultiplied && end.text !== '' ? ' LIMIT 2 BY u, lower(s)' : '';
    const [orderBy, cut = ''] = end.text.split(/(?= LIMIT)/);
    const sql = `${source.with} SELECT ${isDistinct ? 'DISTINCT ' : ''}${selected} FROM ${source.from}${whereOf(source, chosen.more)}${orderBy ?? ''}${limitBy}${cut}`;
    return { sql: sql.trim(), values: placed.values, isTotallyOrdered: end.isTotal };
  });

/** What the variables are compared with, as keys that are selected under a name. */
function comparedKeys({ lefts }: Placed) {
  return lefts.map((left, at) => ({
    item: `${left} AS compared${at}`,
    key: at % 2 === 0 ? `compared${at}` : left,
    isItem: true,
    isFloat: left === 'f',
  }));
}

const groupsQuery: fc.Arbitrary<Case> = fc
  .record({
    choice,
    grouped: fc.subarray([...groupings], { maxLength: 2 }),
    /** Grouped by what the variables are compared with as well. */
    isByCompared: fc.constantFrom(false, false, true),
    computed: fc.subarray([...aggregates], { minLength: 1, maxLength: 4 }),
    having: fc.constantFrom(
      '',
      '',
      ' HAVING count() > 2',
      " HAVING max(s) != 'zz' AND count() < 50",
    ),
    isPositional: fc.boolean(),
    isDistinct: fc.constantFrom(false, false, false, true),
  })
  .map(({ choice: chosen, grouped, isByCompared, computed, having, isPositional, isDistinct }) => {
    const { placed } = chosen;
    const source = sourceOf(chosen.table, placed, chosen.pick);
    const keys = isByCompared ? [...grouped.slice(0, 1), ...comparedKeys(placed)] : grouped;
    const items = [
      ...keys.map(({ item }) => item),
      ...computed.map((text, at) => (at % 2 === 0 ? `${text} AS a${at}` : text)),
    ];
    const isNumbered = isPositional && keys.every(({ isItem }) => isItem);
    const groupBy = keys.map(({ key }, at) => (isNumbered ? String(at + 1) : key)).join(', ');
    const by = [...(chosen.tail.order >= 2 ? ['count() DESC'] : []), ...keys.map(({ key }) => key)];
    const isTotal = keys.every(({ isFloat }) => !isFloat) && keys.length > 0 && !isDistinct;
    const end = isDistinct
      ? { text: '', isTotal: false }
      : tailOf({ ...chosen.tail, direction: '' }, keys.length > 0 ? by : [], isTotal);
    const sql = `${source.with} SELECT ${isDistinct ? 'DISTINCT ' : ''}${items.join(', ')} FROM ${source.from}${whereOf(source, chosen.more)}${groupBy === '' ? '' : ` GROUP BY ${groupBy}`}${having}${end.text}`;
    return { sql: sql.trim(), values: placed.values, isTotallyOrdered: end.isTotal };
  });

/** Groups within a subquery, grouped again. */
const nestedQuery: fc.Arbitrary<Case> = fc
  .record({ table: tableName, placed: placedPredicates, form: fc.integer({ min: 0, max: 2 }) })
  .map(({ table, placed, form }) => {
    const isEach = placed.kinds.every((kind) => kind === '=');
    const inner = `SELECT s, u, count() AS c, sum(i) AS si, max(d) AS md FROM ${table} WHERE ${placed.conditions.join(' AND ')} GROUP BY s, u`;
    const outer = [
      `SELECT s, sum(c) AS total, max(md), avg(si) FROM (${inner}) GROUP BY s ORDER BY s`,
      `WITH g AS (${inner}) SELECT * FROM g WHERE c > 1 ORDER BY s, u LIMIT 5`,
      `SELECT count(), sum(si), min(md) FROM (${inner}) AS q`,
    ];
    const flat = `SELECT s, u, count() AS c FROM ${table} WHERE ${placed.conditions.join(' AND ')} GROUP BY s, u ORDER BY s, u`;
    return {
      sql: isEach ? (outer[form] ?? flat) : flat,
      values: placed.values,
      isTotallyOrdered: true,
    };
  });

const wholeQuery: fc.Arbitrary<Case> = fc
  .record({ table: tableName, more: constants, form: fc.integer({ min: 0, max: 4 }) })
  .map(({ table, more, form }) => {
    const where = more.length === 0 ? '' : ` WHERE ${more.join(' AND ')}`;
    const none: readonly Values[] = [{}];
    const forms = [
      { sql: `SELECT * FROM ${table}${where} ORDER BY s DESC, id LIMIT 7`, isTotallyOrdered: true },
      {
        sql: `SELECT s, count() AS c, arraySort(groupArray(i))[1] FROM ${table}${where} GROUP BY s ORDER BY s`,
        isTotallyOrdered: false,
      },
      {
        sql: `SELECT id, s FROM ${table}${where} UNION ALL SELECT w, g FROM other`,
        isTotallyOrdered: false,
      },
      {
        sql: `SELECT u, sum(i) FROM ${table}${where} GROUP BY u WITH ROLLUP ORDER BY u DESC, 2`,
        isTotallyOrdered: true,
      },
      {
        sql: `SELECT i, row_number() OVER (ORDER BY id) FROM ${table}${where} ORDER BY id DESC -- the last first\n;`,
        isTotallyOrdered: true,
      },
    ];
    return { ...(forms[form] ?? { sql: 'SELECT 1', isTotallyOrdered: true }), values: none };
  });

export const cases: fc.Arbitrary<Case> = fc.oneof(
  { weight: 8, arbitrary: rowsQuery },
  { weight: 12, arbitrary: groupsQuery },
  { weight: 3, arbitrary: nestedQuery },
  { weight: 1, arbitrary: wholeQuery },
);
