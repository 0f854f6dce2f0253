/** Times compared with other types of time: what the sorting key leaves out is never a row of the result. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { impliedCondition } from '../../../src/materialization/planner/key-conditions.ts';
import { readOf } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
});
afterAll(() => laboratory?.close());

const types = [
  'Date',
  'Date32',
  'DateTime',
  "DateTime('America/New_York')",
  "DateTime('Africa/Cairo')",
  'DateTime64(0)',
  'DateTime64(3)',
  "DateTime64(3, 'Asia/Kolkata')",
  'DateTime64(9)',
] as const;

/** The ends of the types and of where they are the same, days on which clocks change, and ordinary ones. */
const days =
  '1925-06-01 1969-12-31 1970-01-01 1970-12-31 1971-01-01 2001-01-11 2024-03-10 2024-04-26 2024-11-03 2105-12-31 2106-02-07 2149-06-06 2261-12-31'.split(
    ' ',
  );
const times =
  '00:00:00 00:00:00.000000001 00:00:00.0005 04:00:00 05:00:00 06:28:15.999 18:30:00 22:00:00 23:59:59.999999999'.split(
    ' ',
  );
const instants = `arrayJoin([${days.flatMap((day) => times.map((time) => `'${day} ${time}'`)).join(', ')}])`;
const ends: Readonly<Record<string, readonly string[]>> = {
  Date: ["toDate('1970-01-01')", "toDate('2149-06-06')"],
  Date32: ["toDate32('1900-01-01')", "toDate32('2299-12-31')"],
  DateTime: ['toDateTime(0)', 'toDateTime(4294967295)'],
  DateTime64: ["toDateTime64('1900-01-01 00:00:00', 0)", "toDateTime64('2261-12-31 23:59:59', 0)"],
};

const table = (type: string) => `t_${types.indexOf(type as (typeof types)[number])}`;

beforeAll(async () => {
  for (const type of types) {
    const own = ends[type.replace(/\(.*/, '')] ?? [];
    const values = `SELECT CAST(toDateTime64(${instants}, 9, 'UTC') AS ${type}) AS v UNION ALL SELECT CAST(arrayJoin([${own.join(', ')}]) AS ${type})`;
    await laboratory.admin(
      `CREATE TABLE ${table(type)} (v ${type}, id UInt64) ENGINE = MergeTree ORDER BY tuple() AS SELECT v, rowNumberInAllBlocks() AS id FROM (SELECT DISTINCT v FROM (${values}) ORDER BY v)`,
    );
  }
});

const kinds = { '=': 'equal', '<': 'range', '<=': 'range', '>': 'range', '>=': 'range' } as const;

function implied(operator: string, columnType: string, givenType: string): string {
  const right = [{ kind: 'BareWord', text: 'g', spaced: false }];
  const kind = kinds[operator as keyof typeof kinds];
  const comparison = { operator, kind, column: 0, right, role: 'whole' } as const;
  const condition = impliedCondition({ comparison, columnType, givenType, isTypeOpen: false });
  if (condition === null) throw new Error(`${columnType} ${operator} ${givenType}`);
  return condition;
}

/** Per operator: whether rows are found, how many of them the index would lose, and whether it leaves any out. */
function counts(column: string, given: string): string {
  const items = Object.keys(kinds).map((operator) => {
    const [holds, reads] = [`__v0 ${operator} g`, implied(operator, column, given)];
    return `[countIf(${holds}) > 0, countIf(${holds} AND NOT ${reads}), countIf(NOT ${reads}) > 9]`;
  });
  return `SELECT [${items.join(', ')}] AS counts FROM (SELECT v AS __v0 FROM ${table(column)}) AS a CROSS JOIN (SELECT v AS g FROM ${table(given)}) AS b`;
}

describe('the condition that the index evaluates holds for every row that the query finds by', () => {
  const expected = `[${Object.keys(kinds)
    .map(() => '[1,0,1]')
    .join()}]`;

  it.each(types)('a %s and another time', async (column) => {
    for (const given of types) {
      const sql = counts(column, given);
      const lines = await laboratory.run({ sql }, {});
      expect([given, lines[2]?.replaceAll(' ', '')]).toEqual([given, `[${expected}]`]);
    }
  });
});

/** Of each type, as JSON: a day on which clocks change, one that some types do not have, and an ordinary one. */
const given = (type: string) => {
  const isDay = /^Date(32)?$/.test(type);
  const hasFraction = /DateTime64\([39]/.test(type);
  const all = isDay
    ? ['2024-03-10', '2001-01-11', '1969-12-31', '2149-06-06', '2105-12-31']
    : [
        '2024-03-10T05:00:00Z',
        '2001-01-11T00:00:00Z',
        '1925-06-01T04:00:00Z',
        '2261-12-31T00:00:00Z',
      ];
  const fractions = hasFraction ? ['2024-03-10T06:28:15.999Z', '2001-01-11T23:59:59.999Z'] : [];
  return [...all, ...fractions].filter((time) => {
    const year = Number(time.slice(0, 4));
    if (type === 'Date') return year >= 1970;
    return !/^DateTime(\(|$)/.test(type) || (year >= 1970 && year < 2106);
  });
};

const conditions: readonly ((type: string) => string)[] = [
  (type) => `v >= {a:${type}} AND v < {b:${type}}`,
  (type) => `v > {a:${type}} AND v <= {b:${type}}`,
  (type) => `v = {a:${type}}`,
  (type) => `v IN {xs:Array(${type})}`,
  (type) => `v IN ({a:${type}}, {b:${type}})`,
  (type) => `v >= {a:Nullable(${type})} AND v != {b:${type}}`,
];

/** Every value against another, so that ranges are empty, short and long. */
function valuesOf(text: string, type: string) {
  const times = given(type);
  const pairs = times.map((a, at) => ({ a, b: times[(at + 1) % times.length] }));
  const used = pairs.map((pair) => ({ ...pair, xs: [pair.a, pair.b] }));
  const names = ['a', 'b', 'xs'].filter((name) => text.includes(`{${name}:`));
  const chosen = text.includes('{xs:') ? [...used, { xs: [] }] : used;
  return chosen.map((values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))),
  );
}

interface Tried {
  readonly sql: string;
  readonly values: readonly Values[];
  readonly definitions?: Readonly<Record<string, unknown>>;
}

async function compare({ sql, values, definitions = {} }: Tried) {
  const planned = await laboratory.plan({ sql, definitions });
  if (planned.kind === 'refusal') throw new Error(planned.reason);
  const table = await laboratory.store(planned.plan);
  for (const one of values) {
    const query = { sql, definitions };
    const [inline, read] = await Promise.all([
      laboratory.run(query, one),
      laboratory.read({ plan: planned.plan, table }, query, one),
    ]);
    expect([sql, one, read]).toEqual([sql, one, inline]);
  }
  await laboratory.drop(table);
  return planned.plan;
}

const read = [
  'Date',
  'Date32',
  'DateTime',
  "DateTime('America/New_York')",
  'DateTime64(3)',
] as const;

const isOwnZone = (type: string) => type.startsWith("DateTime('");

describe('a read through the sorting key gives what the query gives', () => {
  it.each(read)('of a %s', { timeout: 30_000 }, async (column) => {
    for (const [at, type] of read.entries()) {
      const written = conditions[(at + read.indexOf(column)) % conditions.length]?.(type) ?? '';
      // The engine itself refuses such a set.
      const isRefused = type.startsWith('DateTime64') && !column.startsWith('DateTime64');
      const where = isRefused ? written.replace(/ IN .*/, ` = {a:${type}}`) : written;
      const sql = `SELECT id, v FROM ${table(column)} WHERE ${where} ORDER BY id`;
      const plan = await compare({ sql, values: valuesOf(where, type) });
      const isUnclear = [column, type].includes('Date32') && [column, type].some(isOwnZone);
      const hasKey = !isUnclear || !where.includes(' IN ');
      const compared = hasKey ? ['__v0'] : [];
      // Rows with one value are sorted like the query.
      const sorted = !hasKey || where.startsWith('v = ') ? ['__c0'] : [];
      expect([where, plan.sortingKey]).toEqual([where, [...compared, ...sorted]]);
    }
  });

  it('for dates and times of {variables.name}, whose type follows from the value', async () => {
    const definitions = { a: { code_name: 'a', type: 'Date' } };
    const values = ['2024-03-10', '1925-06-01', '2024-03-10T05:00:00Z', '2024-03-11T04:00:00.5Z'];
    for (const [at, column] of read.entries()) {
      const operator = ['=', '<', '>=', '<=', '>'][at] ?? '';
      const sql = `SELECT id, v FROM ${table(column)} WHERE v ${operator} {variables.a} ORDER BY id`;
      const plan = await compare({ sql, values: values.map((a) => ({ a })), definitions });
      expect(plan.sortingKey).toEqual(operator === '=' ? ['__v0', '__c0'] : ['__v0']);
    }
  });

  it('where it is sorted by a column that the index would compare in another way', async () => {
    await laboratory.admin(
      "CREATE TABLE colours (id UInt64, n UInt8, c Enum8('red' = 1, 'blue' = 2)) ENGINE = MergeTree ORDER BY id AS SELECT number, number % 3, if(number % 2 = 0, 'red', 'blue') FROM numbers(60)",
    );
    const sql =
      'SELECT id FROM colours WHERE n = {n:UInt8} AND c = {c:String} ORDER BY c, id LIMIT 5';
    const values = ['red', 'blue', 'green'].map((c) => ({ n: 1, c }));
    expect((await compare({ sql, values })).sortingKey).toEqual(['__v0']);
  });

  it('where NULL equals NULL', async () => {
    await laboratory.admin(
      "CREATE TABLE gaps (v Nullable(Date), id UInt64) ENGINE = MergeTree ORDER BY id AS SELECT if(number % 3 = 0, NULL, toDate('2024-03-10') + number % 5), number FROM numbers(60)",
    );
    for (const type of ['Date', 'DateTime', 'Date32']) {
      const sql = `SELECT id FROM gaps WHERE v <=> {a:Nullable(${type})} ORDER BY id`;
      await compare({ sql, values: [{ a: null }, { a: '2024-03-11' }, { a: '2024-05-01' }] });
    }
  });

  it('where the index itself would lose the rows of the last second', async () => {
    await laboratory.admin(
      "CREATE TABLE dense (v DateTime64(3), id UInt64) ENGINE = MergeTree ORDER BY id AS SELECT toDateTime64('2024-03-10 05:00:00', 3) + toIntervalMillisecond(number * 10), number FROM numbers(300)",
    );
    for (const type of ['DateTime', 'Date', 'DateTime64(0)', 'DateTime64(6)']) {
      const values = [1, 2, 3].map((second) => ({ a: `2024-03-10T05:00:0${second}Z` }));
      const days = [{ a: '2024-03-10' }, { a: '2024-03-11' }];
      for (const operator of ['<', '<=', '>', '>=', '=']) {
        const sql = `SELECT id FROM dense WHERE v ${operator} {a:${type}} ORDER BY id`;
        await compare({ sql, values: type === 'Date' ? days : values });
      }
    }
  });

  it('without reading the whole table', async () => {
    const sql = `SELECT id FROM ${table('DateTime64(9)')} WHERE v < {a:Date} ORDER BY id`;
    const planned = await laboratory.plan({ sql });
    if (planned.kind === 'refusal') throw new Error(planned.reason);
    const name = await laboratory.store(planned.plan);
    const explained = `EXPLAIN indexes = 1 ${readOf(planned.plan.readQuery, name)}`;
    const lines = await laboratory.run({ sql: explained }, { a: '2001-01-11' });
    const [, some, all] = /Granules: (\d+)\\?\/(\d+)/.exec(lines.join('\n')) ?? [];
    expect(Number(some)).toBeLessThan(Number(all));
    await laboratory.drop(name);
  });
});
