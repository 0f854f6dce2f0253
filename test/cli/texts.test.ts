/** The pure parts of the command line. */
import { describe, expect, it } from 'vitest';
import { mergeColumns } from '../../src/cli/data/fit-columns.ts';
import { formatBytes, formatCount } from '../../src/cli/output.ts';
import { parseExpiry } from '../../src/cli/parse-expiry.ts';
import { fitToTable } from '../../src/engine/clickhouse/load/fit-to-table.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

describe('an expiry', () => {
  it.each([
    ['30d', '2026-03-31T12:00:00.000Z'],
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['90m', '2026-03-01T13:30:00.000Z'],
    ['2w', '2026-03-15T12:00:00.000Z'],
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T10:00:00+02:00', '2030-01-31T08:00:00.000Z'],
  ])('%s is %s', (given, expected) => {
    expect(parseExpiry(given, now).toISOString()).toBe(expected);
  });

  it.each([
    '',
    'soon',
    '30',
    '-1d',
    '30y',
    '2030',
    '2030-13-01',
    '2030-02-30',
    '1e3d',
    '31.12.2030',
  ])('"%s" is none', (given) => {
    expect(() => parseExpiry(given, now)).toThrow(/is not an expiry/);
  });

  it('ends by the year 9999', () => {
    expect(parseExpiry('9999-12-31', now).toISOString()).toBe('9999-12-31T00:00:00.000Z');
    expect(() => parseExpiry('999999w', now)).toThrow(/"999999w" is after the year 9999\./);
  });
});

describe('columns of several files', () => {
  const file = (name: string, types: Readonly<Record<string, string>>) => ({
    file: name,
    columns: Object.entries(types).map(([column, type]) => ({ name: column, type })),
  });

  it('widen to what holds the values of all', () => {
    const merged = mergeColumns([
      file('a', { n: 'Int64', s: 'String', t: 'Nullable(Int64)' }),
      file('b', { t: 'Float64', s: 'String', n: 'Nullable(Int64)' }),
    ]);
    expect(merged).toEqual([
      { name: 'n', type: 'Nullable(Int64)' },
      { name: 's', type: 'String' },
      { name: 't', type: 'Nullable(Float64)' },
    ]);
  });

  it('must have the same names and types that go together', () => {
    expect(() => mergeColumns([file('a', { n: 'Int64' }), file('b', { n: 'String' })])).toThrow(
      'The column n is Int64 in a and String in b. Give its type with --column, or load the files separately.',
    );
    expect(() => mergeColumns([file('a', { n: 'Int64' }), file('b', {})])).toThrow(
      'b has no column n, which a has.',
    );
    expect(() => mergeColumns([file('a', {}), file('b', { n: 'Int64' })])).toThrow(
      'a has no column n, which b has.',
    );
  });
});

describe('columns for a table that exists', () => {
  const fitted = (inferred: string, table: string, format: 'CSVWithNames' | 'Parquet') =>
    fitToTable([{ name: 'c', type: inferred }], [{ name: 'c', type: table }], format)[0]?.type;

  it.each([
    ['Int64', 'Float64'],
    ['Int64', 'Nullable(Float64)'],
    ['String', 'LowCardinality(String)'],
    ['String', 'LowCardinality(Nullable(String))'],
    ['Int64', 'String'],
    ['Date', 'Nullable(String)'],
    // The load refuses values that it does not hold.
    ['Int64', 'Int16'],
    ['Float64', 'Decimal(18, 2)'],
    ['String', 'Date'],
  ])('%s becomes %s, which holds all its values', (inferred, table) => {
    expect(fitted(inferred, table, 'CSVWithNames')).toBe(table);
  });

  it.each([
    ['Nullable(Int64)', 'Int64'],
    ['Array(Int64)', 'String'],
  ])('%s stays, for %s does not hold them all', (inferred, table) => {
    expect(fitted(inferred, table, 'CSVWithNames')).toBe(inferred);
  });

  it('are not made texts from a format that has types', () => {
    expect(fitted('Int64', 'String', 'Parquet')).toBe('Int64');
  });
});

it('writes numbers for people', () => {
  expect(formatCount(3_000_000)).toBe('3,000,000');
  expect([0, 1023, 1024, 13_493_022].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '12.9 MiB',
  ]);
});
