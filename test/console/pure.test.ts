import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../src/console/edit/changes.ts';
import { faultOf } from '../../src/console/edit/fault-place.ts';
import { timelineMarks } from '../../src/console/materialization/timeline-marks.ts';
import {
  cellSeconds,
  compareCells,
  shownText,
  toJsonLine,
  toTabbedText,
} from '../../src/console/run/cell-values.ts';
import { chartChoice } from '../../src/console/run/chart-choice.ts';
import { chartData } from '../../src/console/run/chart-data.ts';
import { readInputs, writeInputs } from '../../src/console/run/run-address.ts';
import {
  fromPicked,
  isPickable,
  pickerFor,
  toPicked,
  zoneOf,
} from '../../src/console/run/time-texts.ts';
import { toVariableValue } from '../../src/console/run/variable-values.ts';
import { lineDiff } from '../../src/console/versions/line-diff.ts';

describe('values', () => {
  it('are sorted by all their digits', () => {
    const sorted = [
      '-10',
      '9007199254740993',
      '9007199254740992',
      '-9.5',
      '10.25',
      '10.3',
      '2',
      '0',
    ];
    expect([...sorted].sort((a, b) => compareCells('decimal', a, b))).toEqual([
      '-10',
      '-9.5',
      '0',
      '2',
      '10.25',
      '10.3',
      '9007199254740992',
      '9007199254740993',
    ]);
    expect(compareCells('integer', null, '1')).toBeGreaterThan(0);
  });

  it('are written as the service writes them', () => {
    const columns = [
      { name: 'big', type: 'Nullable(UInt64)' },
      { name: 'wide', type: 'Int128' },
      { name: 'list', type: 'Array(Int64)' },
      { name: 'a "b"', type: 'String' },
    ];
    const row = ['18446744073709551615', '12', ['9007199254740993'], null];
    expect(toJsonLine(columns, row)).toBe(
      '{"big": 18446744073709551615, "wide": "12", "list": [9007199254740993], "a \\"b\\"": null}',
    );
  });

  it('are shown and copied with wide integers of arrays as numbers', () => {
    const nested = [['18446744073709551615'], []];
    expect(shownText(nested, 'Array(Array(UInt64))')).toBe('[[18446744073709551615],[]]');
    expect(shownText(['1', 'a'], 'Array(String)')).toBe('["1","a"]');
    const columns = [
      { name: 'ids', type: 'Array(Nullable(Int64))' },
      { name: 'note', type: 'String' },
    ];
    expect(toTabbedText(columns, [[['9007199254740993', null], 'a\tb']])).toBe(
      'ids\tnote\n[9007199254740993,null]\ta b',
    );
  });

  it('of times have no zone but the one they are written in', () => {
    expect(cellSeconds('1970-01-02')).toBe(86_400);
    expect(cellSeconds('1970-01-01T00:00:01Z')).toBe(1);
    expect(cellSeconds('1970-01-01 00:00:01')).toBe(1);
    expect(cellSeconds('1970-01-01T02:00:01.500+02:00')).toBe(1.5);
    expect(cellSeconds('soon')).toBeNull();
  });

  it.each([
    ['UInt8', '7', 7],
    ['Int64', '9007199254740993', '9007199254740993'],
    ['Float64', '0.1', 0.1],
    ['Float64', '0.10000000000000000001', '0.10000000000000000001'],
    ['Decimal(38, 2)', '1.20', '1.20'],
    ['Array(UInt64)', '1\n18446744073709551615', ['1', '18446744073709551615']],
    ['Bool', 'true', true],
    ['Nullable(String)', '', null],
    ['String', '', ''],
    ['UInt8', 'many', 'many'],
  ])('of a variable of %s typed as %j lose nothing', (type, text, value) => {
    expect(toVariableValue(type, text)).toEqual(value);
  });
});

describe('pickers of dates and times', () => {
  it.each([
    ['Date', { type: 'date' }],
    ["Nullable(DateTime('UTC'))", { type: 'datetime-local', step: 1 }],
    ["DateTime64(9, 'Europe/Oslo')", { type: 'datetime-local', step: 0.001 }],
    ['DateTime64(1)', { type: 'datetime-local', step: 0.1 }],
    ['String', null],
  ])('are those of the type %s', (type, picker) => {
    expect(pickerFor(type)).toEqual(picker);
  });

  it('hold what they can show, and leave the rest a text', () => {
    const [day, time] = [pickerFor('Date'), pickerFor('DateTime')] as const;
    if (day === null || time === null) throw new Error('both have pickers');
    expect(['', '2024-02-29', '2024-02-31', 'never'].map((one) => isPickable(day, one))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const times = ['2024-02-29 12:30', '2024-02-29T12:30:05.25', '2024-02-29 12:30:00+02:00'];
    expect(times.map((one) => isPickable(time, one))).toEqual([true, true, false]);
    expect(toPicked('2024-02-29 12:30:05')).toBe('2024-02-29T12:30:05');
    expect(fromPicked('2024-02-29T12:30')).toBe('2024-02-29 12:30:00');
    expect(fromPicked('')).toBe('');
    expect([zoneOf("DateTime('Europe/Oslo')"), zoneOf('DateTime64(3)'), zoneOf('Date')]).toEqual([
      'Europe/Oslo',
      'UTC',
      null,
    ]);
  });
});

describe('a line of syncs', () => {
  const sync = (id: string, startedAt: string, durationSeconds: number) => ({
    id,
    startedAt,
    durationSeconds,
    outcome: 'completed',
  });
  const now = Date.parse('2024-01-03T00:00:00Z');

  it('has each where it was, as high as it was long, and ends with the one that is due', () => {
    const history = [sync('b', '2024-01-02T00:00:00Z', 1), sync('a', '2024-01-01T00:00:00Z', 4)];
    const { marks, longest } = timelineMarks(history, '2024-01-05T00:00:00Z', now);
    expect(longest).toBe(4);
    expect(marks.map(({ id, left, height }) => [id, left, height])).toEqual([
      ['b', 25, 25],
      ['a', 0, 100],
      ['due', 100, 100],
    ]);
  });

  it('stands with one alone, and with a next one that is overdue', () => {
    const [only] = timelineMarks([sync('a', '2024-01-03T00:00:00Z', 0)], null, now).marks;
    expect(only).toMatchObject({ left: 50, height: 0 });
    const late = timelineMarks([sync('a', '2024-01-01T00:00:00Z', 1)], '2024-01-02T00:00:00Z', now);
    expect(late.marks.map(({ left }) => left)).toEqual([0, 50]);
  });
});

describe('addresses', () => {
  it('hold the inputs of a run, and keep what else they say', () => {
    const orderBy = ['-a,b', '+-c'];
    const texts = { 'a&b': '=é' };
    const inputs = { version: 3, texts, limit: 100, refresh: 'force', orderBy } as const;
    const written = writeInputs(new URLSearchParams('view=chart&v.old=1&order=old'), inputs);
    expect(written.get('view')).toBe('chart');
    expect(written.has('v.old')).toBe(false);
    const read = readInputs(new URLSearchParams(written.toString()), [{ name: 'a&b' }]);
    expect(read).toEqual(inputs);
    const usual = { version: null, texts: {}, limit: 1000, refresh: 'cache', orderBy: [] } as const;
    expect(readInputs(new URLSearchParams('version=x&limit=-1&refresh=now'), [])).toEqual(usual);
  });
});

describe('charts', () => {
  const day = { name: 'day', type: 'Date' };
  const word = { name: 'word', type: 'LowCardinality(String)' };
  const [n, m] = [
    { name: 'n', type: 'UInt64' },
    { name: 'm', type: 'Nullable(Float64)' },
  ];
  it.each([
    ['line', [n, day], 1, [0]],
    ['bar', [n, word], 1, [0]],
    ['points', [n, m], 0, [1]],
  ])('follow from the columns: %s', (kind, columns, x, ys) => {
    expect(chartChoice(columns, new URLSearchParams())).toEqual({ kind, x, ys });
  });

  it('are those of GraphiQL, whichever columns there are', async () => {
    const { chartFor, shapeFor } = await import(
      new URL('../../src/server/browser/chart-rule.js', import.meta.url).href
    );
    const kinds = { time: day, text: word, number: n, other: { name: 'o', type: 'Tuple(UInt8)' } };
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    const one = names.map((name) => [name]);
    const two = names.flatMap((name) => one.map((list) => [name, ...list]));
    const three = names.flatMap((name) => two.map((list) => [name, ...list]));
    for (const list of [...one, ...two, ...three]) {
      const columns = list.map((name) => kinds[name]);
      const there = chartFor(list);
      const here = chartChoice(columns, new URLSearchParams());
      expect([list, here]).toEqual([
        list,
        there === null ? null : { kind: there.shape, x: there.x, ys: [there.y] },
      ]);
    }
    for (const name of names) {
      const columns = [day, m, { ...kinds[name], name: 'x' }];
      expect(chartChoice(columns, new URLSearchParams('x=x&y=m'))?.kind).toBe(shapeFor(name));
    }
  });

  it('are none without numbers, and ignore columns that are gone', () => {
    expect(chartChoice([day, word], new URLSearchParams())).toBeNull();
    expect(chartChoice([n], new URLSearchParams())).toBeNull();
    const asked = new URLSearchParams('x=gone&y=gone&y=word&chart=cake');
    expect(chartChoice([day, n], asked)).toEqual({ kind: 'line', x: 0, ys: [1] });
  });

  it('draw points in the order of time, and say what they leave out', () => {
    const rows = [
      ['1970-01-03', '5'],
      ['1970-01-02', null],
      [null, '1'],
    ];
    const data = chartData([day, n], rows, { kind: 'line', x: 0, ys: [1], combine: 'sum' });
    expect(data).toMatchObject({ xs: [86_400, 172_800], series: [[null, 5]], leftOut: 1 });
    expect(data.isCombined).toBe(false);
  });

  it.each([
    ['sum', [4, 5, null]],
    ['average', [2, 5, null]],
    ['minimum', [1, 5, null]],
    ['maximum', [3, 5, null]],
    ['count', [2, 1, 0]],
  ] as const)('combine the rows of one category by their %s, without nulls', (combine, series) => {
    const rows = [
      ['b', '1'],
      ['a', '5'],
      ['b', null],
      ['b', '3'],
      [null, null],
    ];
    const data = chartData([word, n], rows, { kind: 'bar', x: 0, ys: [1], combine });
    expect(data).toMatchObject({ categories: ['b', 'a', ''], series: [series], leftOut: 0 });
    expect(data.isCombined).toBe(true);
    const apart = chartData([word, n], rows.slice(0, 2), { kind: 'bar', x: 0, ys: [1], combine });
    expect(apart).toMatchObject({ series: [[1, 5]], isCombined: false });
  });

  it('combine the rows of one time into a line without zigzags, but draw every point', () => {
    const rows = [
      ['1970-01-02', '1'],
      ['1970-01-03', '2'],
      ['1970-01-02', '9223372036854775807'],
    ];
    const drawn = { x: 0, ys: [1], combine: 'maximum' } as const;
    const line = chartData([day, n], rows, { kind: 'line', ...drawn });
    expect(line).toMatchObject({ xs: [86_400, 172_800], series: [[2 ** 63, 2]], leftOut: 0 });
    expect(chartData([day, n], rows, { kind: 'points', ...drawn })).toMatchObject({
      xs: [86_400, 86_400, 172_800],
      isCombined: false,
    });
  });

  it('draw the largest of too many combined bars, in the order of the rows', () => {
    const rows = Array.from({ length: 400 }, (_, at) => [`w${at % 200}`, String(at % 200)]);
    const drawn = { kind: 'bar', x: 0, ys: [1], combine: 'sum' } as const;
    const { categories, series, leftOut } = chartData([word, n], rows, drawn);
    expect(categories).toEqual(Array.from({ length: 120 }, (_, at) => `w${at + 80}`));
    expect(series[0]?.slice(0, 2)).toEqual([160, 162]);
    expect(leftOut).toBe(160);
  });
});

describe('what changes for callers', () => {
  const variable = {
    name: 'v',
    type: 'Date',
    required: false,
    default: '2024-01-01',
    description: '',
  };
  const columns = [
    { name: 'a', type: 'UInt8' },
    { name: 'b', type: 'String' },
  ];
  it('is told column by column and variable by variable', () => {
    const before = { columns, variables: [variable] };
    expect(changesBetween(before, before)).toEqual([]);
    const after = {
      columns: [
        { name: 'b', type: 'UInt8' },
        { name: 'c', type: 'Date' },
      ],
      variables: [
        { ...variable, required: true },
        { ...variable, name: 'w' },
      ],
    };
    expect(changesBetween(before, after).map(({ words }) => words)).toEqual([
      'Column a was removed.',
      'Column b is UInt8, was String.',
      'Column c (Date) is new.',
      'Variable v is now required.',
      'Variable w (Date, optional) is new.',
    ]);
    const turned = { columns: [...columns].reverse(), variables: [] };
    expect(changesBetween(before, turned).map(({ breaks }) => breaks)).toEqual([true, true]);
  });

  it('is shown line by line', () => {
    const diff = lineDiff('SELECT a\nFROM t\nWHERE x', 'SELECT a, b\nFROM t\nWHERE x\nLIMIT 1');
    expect(diff.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'removed SELECT a',
      'added SELECT a, b',
      'same FROM t',
      'same WHERE x',
      'added LIMIT 1',
    ]);
  });

  it('is shown word by word within a line that replaces another', () => {
    const marks = (before: string, after: string) =>
      lineDiff(before, after).map(({ kind, text, parts }) => {
        expect(parts?.map((part) => part.text).join('') ?? text).toBe(text);
        const changed = parts?.filter(({ isChanged }) => isChanged).map((part) => part.text);
        return [kind, changed?.join('|')];
      });
    const text = 'SELECT day, sum(amount) AS total FROM sales WHERE city = 1';
    const other = text.replace('sum', 'max').replace('city', 'town');
    expect(marks(text, other)).toEqual([
      ['removed', 'sum|city'],
      ['added', 'max|town'],
    ]);
    expect(marks(`a\n${text}\nb`, `a\n${text} LIMIT 5\nb`)).toEqual([
      ['same', undefined],
      ['removed', ''],
      ['added', ' LIMIT 5'],
      ['same', undefined],
    ]);
    expect(marks('SELECT 1 AS one', 'WITH x AS (y) TABLE z')).toEqual([
      ['removed', undefined],
      ['added', undefined],
    ]);
    const huge = (word: string) => `${word} `.repeat(20_000);
    expect(marks(huge('a'), huge('b'))).toEqual([
      ['removed', undefined],
      ['added', undefined],
    ]);
  });

  it('and a fault is found where the service says it is', () => {
    const text = 'SELECT a\nFROM flights';
    expect(faultOf(text, 'Unknown table at line 2, column 6.').range).toEqual([14, 21]);
    expect(faultOf(text, 'Syntax error at the end of the query.').range).toEqual([20, 21]);
    expect(faultOf(text, 'The engine refused the query.').range).toBeNull();
    expect(faultOf('x', 'Wrong at line 9, column 9.').range).toEqual([0, 1]);
  });
});
