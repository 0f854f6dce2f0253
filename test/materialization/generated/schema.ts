/** The tables that generated queries read: a shop, with ties, gaps, NULL and odd values in every type. */
import {
  column,
  dates,
  flat,
  ints,
  oneOf,
  orNull,
  skew,
  type Table,
  texts,
  times,
} from './columns.ts';
import { readings } from './odd-table.ts';

const notes = ['ok', '', 'OK', 'Grüße', "it's", '100%', 'a_b', '日本', 'back\\slash', ' ok'];
const days = ['2024-03-01', '2024-03-15', '2024-02-29', '2024-03-31'];
const bools = { present: [false, true], edges: [true], absent: [false], isKey: true };
const spring = `toDateTime('2024-02-26 00:00:00') + 1800 * ${flat(2000)}`;
const lengthOf = flat(4);

const orders: Table = {
  name: 'orders',
  rows: 1200,
  sortedBy: '(day, id)',
  columns: [
    column('int', 'id UInt32', 'number', ints(0, 1, 77, 600, 1199)),
    column('int', 'customer UInt32', skew(240), ints(0, 1, 5, 60, 239)),
    column('int', 'sku Nullable(UInt16)', orNull(skew(50), 9), ints(0, 1, 7, 49)),
    column('text', 'channel LowCardinality(String)', oneOf(['web', 'app', 'shop', '']), {
      ...texts(['web', 'app', 'shop', ''], ['fax', 'WEB']),
      isKey: true,
    }),
    column('enum', "state Enum8('new' = 1, 'paid' = 2, 'sent' = 3, 'void' = 4)", `${skew(3)} + 1`, {
      present: ['new', 'paid', 'sent'],
      edges: ['new', 'void'],
      absent: ['void'],
      isKey: true,
    }),
    column('time', 'at DateTime', spring, times('2024-03-01 00:00:00', '2024-03-15 12:30:00')),
    column(
      'time',
      'at_ms DateTime64(3)',
      `addMilliseconds(toDateTime64('2024-02-28 23:59:59.900', 3), 50 * ${flat(400)})`,
      times('2024-02-28 23:59:59.950', '2024-02-29 00:00:05.000'),
    ),
    column('date', 'day Date', `toDate(${spring})`, {
      ...dates('2024-02-26', '2024-04-07', ...days),
      isKey: true,
    }),
    column('date', 'due Date32', `toDate32('1999-12-30') + ${skew(90)}`, {
      ...dates('1999-12-30', '2000-03-28', '1999-12-31', '2000-01-01'),
      isKey: true,
    }),
    column(
      'date',
      'shipped Nullable(Date)',
      orNull(`toDate(${spring}) + ${flat(9)}`, 4),
      dates('2024-02-26', '2024-04-15', ...days),
    ),
    column('decimal', 'total Decimal(12, 2)', `toDecimal64(${flat(4000)} / 4 - 20, 2)`, {
      present: ['10', '0', '500.25', '-1.5'],
      edges: ['-20', '979.75'],
      absent: ['0.01', '5000'],
    }),
    column('float', 'price Float64', `${flat(4000)} / 4`, {
      present: [10, 0.25, 500.5],
      edges: [0, 999.75],
      absent: [0.1, -1],
    }),
    column('odd', 'ratio Float64', `[0., -0., 1.5, nan, inf, -inf, 0.1, 0.2][${skew(8)} + 1]`, {
      present: [0, 1.5, 0.1],
      edges: ['inf', '-inf', 'nan'],
      absent: [7],
    }),
    column('int', 'qty Int16', `toInt16(${skew(12)}) - 3`, {
      ...ints(-3, -2, 0, 1, 8),
      isKey: true,
    }),
    column('decimal', 'rebate Nullable(Decimal(9, 4))', orNull(`${flat(5)} / 8`, 3), {
      present: ['0.125', '0', '0.5'],
      edges: ['0', '0.5'],
      absent: ['0.0001'],
    }),
    column('bool', 'gift Bool', `${flat(5)} = 0`, bools),
    column(
      'texts',
      'tags Array(String)',
      `arraySlice(['new', 'sale', 'é', '', 'x y'], ${flat(4)} + 1, ${flat(3)})`,
      { present: ['new', 'sale', 'é'], edges: [''], absent: ['old'] },
    ),
    column('ints', 'marks Array(Int32)', `arrayMap(x -> toInt32(x * x) - 3, range(${flat(4)}))`, {
      present: [-3, -2, 1],
      edges: [1],
      absent: [0],
    }),
    column(
      'map',
      'attrs Map(String, Int32)',
      `mapFromArrays(arraySlice(['a', 'b', 'c'], 1, ${lengthOf}), arrayMap(x -> toInt32(x), range(${lengthOf})))`,
      { present: ['a', 'b'], edges: [''], absent: ['z'] },
    ),
    column('text', 'note String', oneOf(notes), texts(notes)),
    column(
      'text',
      'coupon LowCardinality(Nullable(String))',
      orNull(oneOf(['SPRING', 'spring', '']), 3),
      {
        ...texts(['SPRING', 'spring', '']),
        isKey: true,
      },
    ),
    column(
      'uuid',
      'ref UUID',
      `toUUID(concat('00000000-0000-4000-8000-', leftPad(hex(${flat(300)}), 12, '0')))`,
      {
        present: ['00000000-0000-4000-8000-000000000011', '00000000-0000-4000-8000-000000000012'],
        edges: ['00000000-0000-4000-8000-000000000000'],
        absent: ['ffffffff-0000-4000-8000-000000000000'],
      },
    ),
    column(
      'big',
      'big UInt64',
      oneOf([0, '9007199254740993', '9007199254740992', '18446744073709551615', 7]).replaceAll(
        "'",
        '',
      ),
      {
        present: ['0', '9007199254740993', '7'],
        edges: ['18446744073709551615'],
        absent: ['9007199254740994'],
        isKey: true,
      },
    ),
    column('float', 'mood Nullable(Float64)', orNull(`${flat(9)} / 4 - 1`, 4), {
      present: [-1, 0, 0.25],
      edges: [-1, 1],
      absent: [0.1],
    }),
  ],
};

const customers: Table = {
  name: 'customers',
  rows: 200,
  sortedBy: 'id',
  columns: [
    column('int', 'id UInt32', 'number', ints(0, 1, 5, 60, 199)),
    column(
      'text',
      'name String',
      `concat(${oneOf(['Ann', 'Bo', 'Cé', 'ann', ''])}, toString(number % 7))`,
      texts(['Ann0', 'Bo1', 'Cé2', 'ann3']),
    ),
    column('text', 'country LowCardinality(String)', oneOf(['de', 'fr', 'at', 'pl', '']), {
      ...texts(['de', 'fr', 'at', 'pl', ''], ['xx', 'DE']),
      isKey: true,
    }),
    column('text', 'tier Nullable(String)', orNull(oneOf(['gold', 'silver', '']), 3), {
      ...texts(['gold', 'silver', '']),
      isKey: true,
    }),
    column(
      'date',
      'born Date32',
      `toDate32('1950-01-01') + ${flat(40)} * 365`,
      dates('1950-01-01', '1989-01-01', '1960-12-29'),
    ),
    column(
      'time',
      'joined DateTime',
      `toDateTime('2024-02-26 00:00:00') + 86400 * ${flat(30)}`,
      times('2024-03-01 00:00:00'),
    ),
    column('float', 'credit Float64', `${flat(100)} / 2 - 10`, {
      present: [0, 5.5],
      edges: [-10, 39.5],
      absent: [0.1],
    }),
    column('int', 'parent Nullable(UInt32)', orNull(flat(30), 2), ints(0, 3, 29)),
    column('bool', 'vip Bool', `${flat(6)} = 0`, bools),
  ],
};

const products: Table = {
  name: 'products',
  rows: 40,
  sortedBy: 'sku',
  columns: [
    column('int', 'sku UInt16', 'number', ints(0, 1, 7, 39)),
    column(
      'text',
      'title String',
      `concat(${oneOf(['Tea', 'tea', 'Kaffee', 'Öl'])}, if(number % 5 = 0, '', toString(number)))`,
      texts(['Tea', 'tea1', 'Öl']),
    ),
    column('text', 'sort LowCardinality(String)', oneOf(['food', 'drink', 'Misc']), {
      ...texts(['food', 'drink', 'Misc']),
      isKey: true,
    }),
    column('decimal', 'cost Decimal(10, 2)', `toDecimal64(${flat(60)} / 2, 2)`, {
      present: ['5', '0.5'],
      edges: ['0', '29.5'],
      absent: ['99'],
    }),
    column('float', 'weight Nullable(Float64)', orNull(`${flat(20)} / 4`, 5), {
      present: [0.5, 1],
      edges: [0, 4.75],
      absent: [9],
    }),
    column(
      'date',
      'since Date',
      `toDate('2024-02-20') + ${flat(20)}`,
      dates('2024-02-20', '2024-03-10', '2024-03-01'),
    ),
    column(
      'texts',
      'labels Array(LowCardinality(String))',
      `arraySlice(['bio', 'fair', 'new'], 1, ${flat(4)})`,
      { present: ['bio', 'fair'], edges: [''], absent: ['none'] },
    ),
  ],
};

const visits: Table = {
  name: 'visits',
  rows: 700,
  sortedBy: '(customer, at)',
  columns: [
    column('int', 'customer UInt32', flat(230), ints(0, 5, 60, 229)),
    column('time', 'at DateTime', spring, times('2024-03-01 00:00:00', '2024-03-15 12:30:00')),
    column('text', 'page String', oneOf(['/', '/cart', '/Cart', '/a%20b', '/p/7']), {
      ...texts(['/', '/cart', '/p/7']),
      isKey: true,
    }),
    column('int', 'ms Nullable(Int32)', orNull(`toInt32(${skew(30)}) * 10`, 6), ints(0, 10, 290)),
    column('date', 'day Date', `toDate(${spring})`, {
      ...dates('2024-02-26', '2024-04-07', ...days),
      isKey: true,
    }),
  ],
};

const goals: Table = {
  name: 'goals',
  rows: 24,
  sortedBy: 'country',
  columns: [
    column('text', 'country LowCardinality(String)', oneOf(['de', 'fr', 'at', 'xx']), {
      ...texts(['de', 'fr', 'at', 'xx']),
      isKey: true,
    }),
    column('date', 'month Date', `toDate('2024-02-01') + INTERVAL ${flat(3)} MONTH`, {
      ...dates('2024-02-01', '2024-04-01', '2024-03-01'),
      isKey: true,
    }),
    column('decimal', 'goal Decimal(12, 2)', `toDecimal64(${flat(9)} * 100, 2)`, {
      present: ['100', '0'],
      edges: ['0', '800'],
      absent: ['1'],
    }),
    column('int', 'n UInt8', flat(3), { ...ints(0, 1, 2), isKey: true }),
  ],
};

const refunds: Table = {
  name: 'refunds',
  rows: 0,
  sortedBy: 'order_id',
  columns: [
    column('int', 'order_id UInt32', 'number', ints(1, 2)),
    column('text', 'reason String', "'late'", { ...texts(['late']), isKey: true }),
    column('int', 'back Nullable(UInt16)', 'number', ints(1, 2)),
  ],
};

export const tables = { orders, customers, products, visits, goals, refunds, readings } as const;
export type TableName = keyof typeof tables;

/** Statements that create and fill the tables, each in two parts, so that the engine reads in parallel. */
export function statementsFor(seed: number): readonly string[] {
  return Object.values<Table>(tables).flatMap(({ name, rows, sortedBy, columns }) => {
    const declared = columns.map((each) => `${each.name} ${each.type}`).join(', ');
    const values = columns
      .map((each) => `${each.filledWith} AS f_${each.name}`)
      .join(', ')
      .replaceAll('$salt', String(seed));
    return [
      `CREATE TABLE ${name} (${declared}) ENGINE = MergeTree ORDER BY ${sortedBy} SETTINGS index_granularity = 64`,
      ...[0, 1].map(
        (part) =>
          `INSERT INTO ${name} SELECT ${values} FROM numbers(${rows}) WHERE number % 2 = ${part}`,
      ),
    ];
  });
}
