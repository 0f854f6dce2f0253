/** For which values a stored table is compared: reads that are wrong for one kind of values alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProving, type Proving, proved, refused } from '../support/proving.ts';

let proving: Proving;

beforeAll(async () => {
  proving = await openProving();
  await proving.test.sql(
    "CREATE TABLE facts (k String, n Nullable(Int32), d Date, t DateTime, f Float64, e Enum8('x' = 1, 'y' = 2), v UInt32) ENGINE = MergeTree ORDER BY v",
  );
  // Days with gaps between them, one row of the key alone.
  await proving.test.sql(
    "INSERT INTO facts SELECT if(number = 7, 'alone', ['a', 'b', 'c_d'][number % 3 + 1]), if(number % 4 = 0, NULL, number % 5), toDate('2024-01-01') + 3 * (number % 10), toDateTime('2024-01-01 00:00:00') + number, if(number % 2 = 0, -0., number / 3), 1 + number % 2, number FROM numbers(40)",
  );
});
afterAll(() => proving.test.close());

interface Case {
  readonly where: string;
  readonly predicates: readonly string[];
  /** `WHERE` of a read that is wrong for some values. */
  readonly wrong: string;
  readonly select?: string;
  readonly readSelect?: string;
  readonly sortingKey?: readonly string[];
}

async function prove(
  { select = 'v', where, readSelect = select, predicates, sortingKey = [] }: Case,
  read: string,
) {
  const status = await proving.prove(`SELECT ${select} FROM facts WHERE ${where}`, {
    stored: 'SELECT * FROM facts',
    read: `SELECT ${readSelect} FROM stored WHERE ${read}`,
    predicates,
    sortingKey,
  });
  return status;
}

const range = { where: 'd >= {a:Date} AND d <= {b:Date}', predicates: ['a d >=', 'b d <='] };
const inside = { where: 'd > {a:Date} AND d < {b:Date}', predicates: ['a d >', 'b d <'] };
const from = { where: 'd >= {a:Date}', predicates: ['a d >='] };
const until = { where: 'd <= {b:Date}', predicates: ['b d <='] };
const two = { where: 'k IN ({a:String}, {b:String})', predicates: ['a k IN', 'b k IN'] };
const set = { where: 'k IN {s:Array(String)}', predicates: ['s k IN'] };
const notSet = { where: 'n NOT IN {s:Array(Int32)}', predicates: ['s n NOT IN'] };
const key = { where: 'k = {x:String}', predicates: ['x k ='] };
const other = { where: 'n != {x:Int32}', predicates: ['x n !='] };
const number = { where: 'n = {x:Int32}', predicates: ['x n ='] };
const like = { where: 'k LIKE {x:String}', predicates: ['x k LIKE'] };
const mixed = {
  where: 'k = {x:String} AND d > {a:Date} AND d <= {b:Date}',
  predicates: ['x k =', 'a d >', 'b d <='],
};
const days = {
  where: "d > toDate('2024-01-28') - {days:UInt8}",
  predicates: ['days d >'],
};
const time = { where: 't >= {a:DateTime} AND t < {b:DateTime}', predicates: ['a t >=', 'b t <'] };
const member = { where: 'e = {x:String}', predicates: ['x e ='] };
/** The index takes no text that is no member, which the query itself may not come to look at. */
const members = {
  where: 'v > 1000 AND e >= {a:String} AND e <= {b:String}',
  predicates: ['a e >=', 'b e <='],
  sortingKey: ['e'],
};
const sums = { select: 'sum(v) AS s', readSelect: 'if(count() = 0, 1, sum(v))::UInt64 AS s' };
const last = "toDate('2024-01-28')";
const first = "toDate('2024-01-01')";

describe('a read is refused that is wrong', () => {
  it.each<[string, Case]>([
    ['at the lower end', { ...range, wrong: 'd > {a:Date} AND d <= {b:Date}' }],
    ['at the upper end', { ...range, wrong: 'd >= {a:Date} AND d < {b:Date}' }],
    ['at a lower end that is left out', { ...inside, wrong: 'd >= {a:Date} AND d < {b:Date}' }],
    ['at an upper end that is left out', { ...inside, wrong: 'd > {a:Date} AND d <= {b:Date}' }],
    [
      'at one end of a mixed range',
      { ...mixed, wrong: 'k = {x:String} AND d >= {a:Date} AND d <= {b:Date}' },
    ],
    [
      'for the other condition',
      { ...mixed, wrong: "d > {a:Date} AND d <= {b:Date} OR {x:String} = ''" },
    ],
    [
      'for one of the predicates',
      { ...mixed, wrong: 'k = {x:String} AND d > {a:Date} AND {b:Date} = {b:Date}' },
    ],
    ['for a range of one value', { ...range, wrong: `${range.where} AND {a:Date} != {b:Date}` }],
    [
      'for all of the range',
      { ...range, wrong: `${range.where} AND NOT ({a:Date} = ${first} AND {b:Date} = ${last})` },
    ],
    [
      'for a range that ends before it begins',
      { ...range, wrong: `${range.where} OR {a:Date} > {b:Date}` },
    ],
    ['over no rows', { ...range, ...sums, wrong: range.where }],
    [
      'over no rows between two values',
      {
        ...range,
        ...sums,
        readSelect: `if({a:Date} BETWEEN ${first} AND ${last} AND {a:Date} = {b:Date} AND count() = 0, 1, sum(v))::UInt64 AS s`,
        wrong: range.where,
      },
    ],
    ['over no rows behind a lower end', { ...from, ...sums, wrong: from.where }],
    ['over no rows before an upper end', { ...until, ...sums, wrong: until.where }],
    ['over no rows between two times', { ...time, ...sums, wrong: time.where }],
    ['over no rows of a key', { ...key, ...sums, wrong: key.where }],
    ['over no rows of a number', { ...number, ...sums, wrong: number.where }],
    ['beyond the last value', { ...from, wrong: `d >= least({a:Date}, ${last})` }],
    ['before the first value', { ...until, wrong: `d <= greatest({b:Date}, ${first})` }],
    ['for the first of two', { ...two, wrong: 'k IN ({b:String}) AND {a:String} = {a:String}' }],
    ['for the second of two', { ...two, wrong: 'k IN ({a:String}) AND {b:String} = {b:String}' }],
    ['where the two are equal', { ...two, wrong: `${two.where} AND {a:String} != {b:String}` }],
    ['for no values', { ...set, wrong: `${set.where} OR empty({s:Array(String)})` }],
    [
      'for the second value of a set',
      { ...set, wrong: 'has(arraySlice({s:Array(String)}, 1, 1), k)' },
    ],
    [
      'for a value that is there twice',
      {
        ...set,
        wrong: `${set.where} AND length({s:Array(String)}) = length(arrayDistinct({s:Array(String)}))`,
      },
    ],
    [
      'for a value that no row has',
      { ...key, wrong: `${key.where} OR {x:String} NOT IN ('a', 'b', 'c_d', 'alone')` },
    ],
    [
      'for a set with a value that no row has',
      { ...set, wrong: `${set.where} AND hasAll(['a', 'b', 'c_d', 'alone'], {s:Array(String)})` },
    ],
    [
      'for not a value that no row has',
      { ...other, wrong: `${other.where} AND {x:Int32} BETWEEN 0 AND 4` },
    ],
    [
      'for not a set of values that no row has',
      { ...notSet, wrong: `${notSet.where} AND hasAny([0, 1, 2, 3, 4], {s:Array(Int32)})` },
    ],
    [
      'for a pattern that finds nothing',
      { ...like, wrong: `${like.where} OR {x:String} = 'c_d~'` },
    ],
    ['for a pattern that finds all', { ...like, wrong: `${like.where} AND {x:String} != '%'` }],
    ['for a pattern of a beginning', { ...like, wrong: "k = {x:String} OR {x:String} = '%'" }],
    ['for an empty text', { ...key, wrong: `${key.where} OR {x:String} = ''` }],
    ['for zero', { ...number, wrong: `${number.where} AND {x:Int32} != 0` }],
    ['for a number below zero', { ...number, wrong: `${number.where} OR {x:Int32} = -1` }],
    ['for the highest number', { ...number, wrong: `${number.where} OR {x:Int32} = 2147483647` }],
    ['for the epoch', { ...from, wrong: `${from.where} AND {a:Date} != '1970-01-01'` }],
    ['for rows of NULL', { ...number, wrong: `${number.where} OR n IS NULL` }],
    ['for rows of NULL that are not the value', { ...other, wrong: `${other.where} OR n IS NULL` }],
    [
      'for rows of NULL that are not in the set',
      { ...notSet, wrong: `${notSet.where} OR n IS NULL` },
    ],
    ['by days before a date', { ...days, wrong: "d >= toDate('2024-01-28') - {days:UInt8}" }],
    ['for a member of an enum', { ...member, wrong: `${member.where} AND {x:String} != 'y'` }],
    [
      'for a group of one row',
      {
        ...key,
        select: 'k, count() AS n',
        readSelect: 'k, count() AS n',
        wrong: `${key.where} GROUP BY k HAVING n > 1`,
      },
    ],
    [
      'for the sign of zero',
      { ...range, select: 'f', readSelect: 'f + 0. AS f', wrong: range.where },
    ],
  ])('%s', async (_where, wrong) => {
    const isGrouped = wrong.wrong.includes('GROUP BY');
    const given = isGrouped ? { ...wrong, where: `${wrong.where} GROUP BY k` } : wrong;
    expect(await prove(given, wrong.wrong)).toMatchObject(
      refused(/does not give the same result as the query itself/),
    );
  });

  it.each([
    'NOT mapContains({free:Map(String, String)}, k)',
    "NOT has({free:Array(Tuple(String, UInt8))}, ('z', 1))",
    "tupleElement({free:Tuple(String, Array(UInt8))}, 1) != 'z'",
    "{free:IPv4} != toIPv4('1.2.3.4')",
    "{free:IPv6} != toIPv6('::2')",
    "NOT has({free:Array(Array(String))}, ['z'])",
  ])('for values of a column, beside a variable without one: %s', async (condition) => {
    const where = `k = {x:String} AND ${condition}`;
    const beside = { where, predicates: ['x k ='], wrong: `${where} AND k != 'a'` };
    expect(await prove(beside, beside.wrong)).toMatchObject(refused(/for \{.*"x":"a"/));
    expect(await prove(beside, where)).toMatchObject(proved);
  });

  it('for the default of a variable', async () => {
    const query = {
      kind: 'SQLQuery',
      query: 'SELECT v FROM facts WHERE k = {variables.x}',
      variables: { x: { code_name: 'x', type: 'String', value: 'nowhere' } },
    };
    const read = "SELECT v FROM stored WHERE k = {variables.x} OR {variables.x} = 'nowhere'";
    const written = { stored: 'SELECT * FROM facts', predicates: ['x k ='] };
    expect(await proving.prove(query, { ...written, read })).toMatchObject(
      refused(/does not give the same result/),
    );
  });
});

it.each([
  range,
  inside,
  two,
  set,
  notSet,
  other,
  like,
  mixed,
  days,
  time,
  member,
  members,
  { ...range, select: 'f' },
])('a right read is not refused: $where', async (right) => {
  expect(await prove({ ...right, wrong: '' }, right.where)).toMatchObject(proved);
});

it.each([
  ['d', 'd >= {a:Date} ORDER BY d WITH FILL TO {b:Date}', '{b:Date}'],
  ['t', 'd <= {a:Date} ORDER BY t WITH FILL TO {b:DateTime} STEP INTERVAL 1 DAY', '{b:DateTime}'],
  ['v', 'd >= {a:Date} ORDER BY v WITH FILL TO {b:UInt32}', '{b:UInt32}'],
])(
  'no rows are filled up to the last value of a type: SELECT %s … %s',
  async (select, query, b) => {
    const far = b === '{b:UInt32}' ? '1000000' : `'2100-01-01'`;
    const predicates = [`a d ${query.slice(2, 4)}`];
    const read = query.replace(' ORDER BY', ` AND ${b} < ${far} ORDER BY`);
    expect(await prove({ select, where: query, wrong: '', predicates }, read)).toMatchObject(
      proved,
    );
  },
);
