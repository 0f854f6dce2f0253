/** Loaded values arrive as they were written, or the load is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await openTestApp();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});
afterAll(() => app.close());
beforeEach(() => app.sql('DROP TABLE IF EXISTS loaded'));

async function put(body: string, options: { readonly type?: string; readonly mode?: string } = {}) {
  const { type = 'text/csv', mode = 'replace' } = options;
  const path = `/tables/loaded/rows?mode=${mode}`;
  return app.rest('PUT', path, { key, body, headers: { 'content-type': type } });
}
const append = (body: string) => put(body, { mode: 'append' });
const lines = { type: 'application/x-ndjson' };
const create = (type: string) =>
  app.sql(`CREATE TABLE loaded (v ${type}) ENGINE = MergeTree ORDER BY tuple()`);
const values = (expression = 'v') =>
  app.sql(`SELECT ${expression} FROM loaded ORDER BY rowNumberInAllBlocks() FORMAT TSVRaw`);

describe('numbers of floating point', () => {
  it.each([
    ['Float64', '9007199254740993'],
    ['Float64', '-9007199254740993.0'],
    ['Float64', '0.1234567890123456789'],
    ['Float64', '1.23456789012345678901e5'],
    ['Float64', '1e999'],
    ['Float64', '1e-400'],
    ['Float32', '16777217'],
    ['Float32', '0.1234567891'],
    ['Float32', '1e39'],
    ['Nullable(Float64)', '9007199254740993'],
  ])('are refused for a %s that loses digits: %s', async (type, written) => {
    await create(type);
    for (const [body, options] of [
      [`v\n1\n${written}\n`, {}],
      [`{"v":1}\n{"v":${written}}\n`, lines],
    ] as const) {
      const { status, body: answer } = await put(body, { ...options, mode: 'append' });
      const line = body.startsWith('v') ? 3 : 2;
      expect([status, answer.code]).toEqual([400, 'invalid_input']);
      expect(answer.detail).toBe(
        `The body, line ${line}: the value of v is missing, is not a valid ${type} or has more digits than one keeps.`,
      );
    }
    expect(await values()).toBe('');
  });

  it('are taken with the shortest text of any double, in other texts of it, and as NaN or infinity', async () => {
    await create('Float64');
    const shortest = await app.sql(
      "SELECT arrayStringConcat(groupArray(toString(f)), '\\n') FROM (SELECT reinterpretAsFloat64(sipHash64(number)) AS f FROM numbers(2000) UNION ALL SELECT exp2(number - 1074) FROM numbers(2000)) FORMAT TSVRaw",
    );
    expect((await append(`v\n${shortest.trim()}\n`)).status).toBe(200);
    expect((await values('toString(v)')).split('\n').toSorted()).toEqual(
      shortest.split('\n').toSorted(),
    );
    await app.sql('TRUNCATE TABLE loaded');
    const written = ['0.1', '0.10000000000000001', '1.000000000000000056e-01', '.5', '5.', '+1.50'];
    const whole = ['36028797018963968', '-9007199254740992.000', '1e23', '123456789012345.67'];
    const other = ['nan', '-inf', '0e0', '-0', '0.0000000000000000000000', ' 7 '];
    const all = [...written, ...whole, ...other];
    expect((await append(`v\n${all.join('\n')}\n`)).body).toMatchObject({ rows: all.length });
    const numberOf = (text: string) => (text === '-inf' ? -Infinity : Number(text));
    expect((await values()).trim().split('\n').map(numberOf)).toEqual(all.map(numberOf));
  });

  it('are taken with the shortest text of any Float32', async () => {
    await create('Float32');
    const shortest = await app.sql(
      "SELECT arrayStringConcat(groupArray(toString(reinterpretAsFloat32(toUInt32(sipHash64(number))))), '\\n') FROM numbers(2000) FORMAT TSVRaw",
    );
    expect((await append(`v\n${shortest.trim()}\n16777216\n0.1\n`)).status).toBe(200);
    expect((await values()).trim().split('\n').toSorted()).toEqual(
      [...shortest.trim().split('\n'), '16777216', '0.1'].toSorted(),
    );
  });

  it.each([
    ['1.5e3\n1.23456789012345678901e5', 'String'],
    ['1.5e3\n1.2345678901234567e5', 'Float64'],
    ['0.10000000000000001\n1', 'Float64'],
    ['9007199254740993\n0.5', 'Decimal(38, 1)'],
  ])('of a new table keep their digits: %j', async (rows, type) => {
    const { status, body } = await put(`v\n${rows}\n`);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
  });

  it('do not take the place of booleans', async () => {
    const { body } = await put('{"v":true}\n{"v":1.5}\n', lines);
    expect(body).toMatchObject({ rows: 2, columns: [{ name: 'v', type: 'String' }] });
    expect(await values()).toBe('true\n1.5\n');
  });
});

describe('texts of JSON', () => {
  it.each([
    ['{"v":"a"}\n\n{"v":"C:\\dir"}', 3],
    ['[{"v":"a"},\n {"v":"\\\\ \\x"}]', 2],
    ['{"v\\x":"b"}', 1],
    ['{"v":"a\\\n"}', 1],
  ])(
    'are refused with a backslash that escapes nothing, which would be lost: %j',
    async (rows, line) => {
      await put('{"v":"before"}\n', lines);
      const { status, body } = await put(rows, lines);
      expect([status, body.code]).toEqual([400, 'invalid_input']);
      expect(body.detail).toBe(
        `The body, line ${line}: it has a backslash that escapes nothing, as in "C:\\data"; write a backslash as \\\\.`,
      );
      expect(await values()).toBe('before\n');
    },
  );

  it('have each escape of JSON', async () => {
    const text = 'C:\\dir "\t\n\r\b\f/\u00e9 \u{1f600}';
    const escaped = `${JSON.stringify(text).slice(0, -1)}\\/\\u00e9\\\\x"`;
    expect((await put(`{"v":${escaped}}\n{"v":"\\\\"}\n`, lines)).body).toMatchObject({ rows: 2 });
    expect(
      JSON.parse(
        `[${await app.sql('SELECT v FROM loaded ORDER BY v LIMIT 1 FORMAT JSONCompactColumns')}]`,
      )[0][0][0],
    ).toBe(`${text}/\u00e9\\x`);
  });
});

describe('columns with names that the statement of a load could use itself', () => {
  it.each([
    ['x,_v0', 'A,B'],
    ['_v1,_v0,__v2', 'A,B,C'],
    ['_row,x', '7,A'],
    ['x,_row', '1.5,2024-01-02 03:04:05'],
    ['_e0,_x,x', '1,2024-01-02,3'],
  ])('have their own values: %s', async (header, row) => {
    expect((await put(`${header}\n${row}\n`)).status).toBe(200);
    expect((await values('*')).trim()).toBe(row.replaceAll(',', '\t'));
    expect((await append(`${header}\n${row}\n`)).status).toBe(200);
  });

  it('have their own values in NDJSON', async () => {
    const nested = '{"_row":{"_e0":1},"_v0":[1,2],"_e0":["2024-01-02"]}';
    expect((await put(`${nested}\n`, lines)).status).toBe(200);
    expect(await values('*')).toBe("(1)\t[1,2]\t['2024-01-02']\n");
  });
});

describe('integers beyond Int64', () => {
  it.each([
    ['18446744073709551615\n0', 'UInt64'],
    ['18446744073709551615\n-1', 'Int128'],
    ['-1\n18446744073709551615', 'Int128'],
  ])('are kept beside others of a CSV: %j', async (written, type) => {
    const { status, body } = await put(`v\n${written}\n`);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    expect(await values()).toBe(`${written}\n`);
  });

  it.each([
    ['{"v":-1}\n{"v":18446744073709551615}\n', 'Int128', '-1\n18446744073709551615\n'],
    [
      '{"v":{"n":18446744073709551615}}\n{"v":{"n":-1}}\n',
      'Tuple(n Nullable(Int128))',
      '(18446744073709551615)\n(-1)\n',
    ],
  ])('are kept beside others of NDJSON: %j', async (written, type, value) => {
    const { status, body } = await put(written, lines);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    expect(await values()).toBe(value);
  });
});

describe('times', () => {
  it.each([
    '12:00',
    '5 May 10:00',
    '5 May -0800',
    '5 May 24',
    'Mon 2024',
    'May 2024',
    'May 2024 10:00',
    'May 2024 10 PM',
    '2024',
    '202405',
    '2024-05',
    '2024-05 10:00',
    '1.5',
    '0000-00-00 00:00:00',
    '2024-00-10 10:00:00',
    '2024-01-00 10:00:00',
    '20240500',
    '2024-01-01 25:00:00',
    '2024-01-01 24:00:01',
    '2024-01-01 99',
    '2024-01-01 10:61:00',
    '2024-01-01 10:00:60',
    '20240101T256100',
    '2024-02-30 10:00:00',
    '1700000000123',
    '2024-01-01 10:00:00.5',
    '1969-12-31 23:59:59',
    '2106-02-07 06:28:16',
  ])('are refused for a DateTime that they do not give: %s', async (written) => {
    await create('DateTime');
    const { status, body } = await append(`v\n2024-01-01 00:00:00\n"${written}"\n`);
    expect([status, body.detail]).toEqual([
      400,
      'The body, line 3: the value of v is missing or is not a valid DateTime.',
    ]);
    expect(await values()).toBe('');
  });

  it.each([
    ['1925-01-01\n2024-01-31\n2261-12-31', 'Date32'],
    ['1969-12-31', 'Date32'],
    ['1925-01-01\n2024-01-31 10:00:00', 'DateTime64(9)'],
    ['1970-01-01\n2149-06-06', 'Date'],
  ])('are not made of days: %j', async (written, type) => {
    const { status, body } = await put(`v\n${written}\n`);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    const days = written.split('\n').map((day) => day.slice(0, 10));
    expect((await values('toDate32(v)')).trim().split('\n')).toEqual(days);
    if (type !== 'Date32') return;
    const asJson = days.map((day) => JSON.stringify({ v: [day, null] })).join('\n');
    const nested = [{ name: 'v', type: 'Array(Nullable(Date32))' }];
    expect((await put(asJson, lines)).body).toMatchObject({ columns: nested });
  });

  it('are read in each clear spelling', async () => {
    await create('DateTime');
    const spellings = [
      '2024-05-01T10:00:00Z',
      '2024-05-01 10:00',
      '2024-5-1 10:00:00',
      '2024/05/01 10:00:00.000',
      '2024-05-01T12:00:00+02:00',
      '2024-05-01 10:00:00 GMT',
      '2024-05-01 10 AM',
      '20240501T100000Z',
      '20240501100000',
      '20240501T120000+0200',
      '20240501 10:00:00',
      '1714557600',
      '1714557600.0',
      '1714557600000',
      '"Wed, 01 May 2024 10:00:00 GMT"',
      '"May 1, 2024 10:00"',
      'Wed May  1 10:00:00 2024',
      '1-May-2024 10:00',
      '01MAY2024 10:00',
      '2024 May 01 10:00',
    ];
    expect((await append(`v\n${spellings.join('\n')}\n`)).body).toMatchObject({
      rows: spellings.length,
    });
    expect(await values('DISTINCT v')).toBe('2024-05-01 10:00:00\n');
  });

  it('of many years and parts of a second are read where the column holds them', async () => {
    await create('DateTime64(0)');
    const days = ['1900-01-01 00:00:00', '1969-12-31 23:59:59', '2299-12-31 00:00:00'];
    expect((await append(`v\n${days.join('\n')}\n`)).status).toBe(200);
    expect(await values()).toBe(`${days.join('\n')}\n`);
    await app.sql('DROP TABLE loaded');
    await create('DateTime64(6)');
    await append('v\n1714557600123\n1714557600123456\n2024-05-01 24:00:00\n');
    expect(await values()).toBe(
      '2024-05-01 10:00:00.123000\n2024-05-01 10:00:00.123456\n2024-05-02 00:00:00.000000\n',
    );
    expect((await append('v\n1714557600123456789\n')).status).toBe(400);
  });

  it.each(['12:00\n13:30', '5 May 10:00', '2024-05-01 10:00:00\n2024-05-01 10:61:00'])(
    'that are not whole become strings in a new table: %j',
    async (rows) => {
      const { body } = await put(`v\n${rows}\n`);
      expect(body).toMatchObject({ columns: [{ name: 'v', type: 'String' }] });
      expect(await values()).toBe(`${rows}\n`);
    },
  );
});

describe('numbers and times within arrays and objects', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['[9007199254740993,1.5]', 'Array(Nullable(Decimal(38, 1)))', '[9007199254740993,1.5]'],
    [
      '[123456789012345678901234,null]',
      'Array(Nullable(Int128))',
      '[123456789012345678901234,NULL]',
    ],
    ['[1.23456789012345678901e5]', 'Array(Nullable(String))', "['1.23456789012345678901e5']"],
    ['[0.1,2.5]', 'Array(Nullable(Float64))', '[0.1,2.5]'],
    ['[[],[true],[2]]', 'Array(Array(Nullable(String)))', "[[],['true'],['2']]"],
    [
      '{"k y":9007199254740993.5,"n":9007199254740993,"x":[{"f":0.1}]}',
      'Tuple(`k y` Nullable(Decimal(38, 1)), n Nullable(Int64), x Array(Tuple(f Nullable(Float64))))',
      '(9007199254740993.5,9007199254740993,[(0.1)])',
    ],
    ['["01/02/2024 10:00:00"]', 'Array(Nullable(String))', "['01/02/2024 10:00:00']"],
    ['[1.5,"x",9007199254740993]', 'Array(Dynamic)', "[1.5,'x',9007199254740993]"],
    ['["x",9007199254740993.5]', 'Array(Nullable(String))', "['x','9007199254740993.5']"],
    [
      '["01/02/2024 10:00:00",1,null]',
      'Array(Nullable(String))',
      "['01/02/2024 10:00:00','1',NULL]",
    ],
    ['["2024-02-01 10:00:00"]', 'Array(Nullable(DateTime))', "['2024-02-01 10:00:00']"],
  ];

  it.each(cases)('of NDJSON are kept: %s', async (written, type, value) => {
    const { status, body } = await put(`{"v":${written}}\n`, lines);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    expect(await values()).toBe(`${value}\n`);
  });

  it.each([
    ['[9007199254740993, 1.5]', 'String', '[9007199254740993, 1.5]'],
    ['[0.5, 1.5]', 'Array(Nullable(Float64))', '[0.5,1.5]'],
    [
      "['9007199254740993.5', 'it\\'s']",
      'Array(Nullable(String))',
      "['9007199254740993.5','it\\'s']",
    ],
  ])('of CSV are kept: %s', async (written, type, value) => {
    const { status, body } = await put(`v\n"${written}"\n`);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    expect(await values()).toBe(`${value}\n`);
  });
});
