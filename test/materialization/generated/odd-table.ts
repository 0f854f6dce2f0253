/** A table of values at the ends of their types: times beyond those of other types, an hour that clocks repeat, the least integer. */
import { column, dates, flat, ints, oneOf, orNull, type Table, texts, times } from './columns.ts';

/** Twenty minutes apart; clocks were put back at 01:00 UTC of the day. */
const autumn = `toDateTime('2024-10-26 21:00:00', 'UTC') + 1200 * ${flat(24)}`;
const instants = [
  '1900-01-01 00:00:00.000',
  '1969-12-31 23:59:59.500',
  '2024-10-27 00:30:00.000',
  '2024-10-27 01:30:00.250',
  '2106-02-07 06:28:16.000',
  '2299-12-31 23:59:59.999',
];
const births = [
  '1900-01-01',
  '1925-07-01',
  '1969-12-31',
  '1970-01-01',
  '2024-10-27',
  '2149-06-06',
  '2149-06-07',
  '2299-12-31',
];
const codes = ['a', 'ab', 'abcd', '', 'A'];

export const readings: Table = {
  name: 'readings',
  rows: 500,
  sortedBy: 'id',
  columns: [
    column('int', 'id UInt32', 'number', ints(0, 1, 77, 250, 499)),
    column('time', "local DateTime('Europe/Berlin')", autumn, {
      present: ['2024-10-27 02:20:00', '2024-10-27 01:40:00', '2024-10-27 03:00:00'],
      edges: ['2024-10-26 23:00:00', '2024-10-27 05:40:00', '2024-10-27 02:00:00'],
      absent: ['2024-10-27 02:30:01', '1970-01-01 00:00:00'],
    }),
    column('time', 'at DateTime', autumn, times('2024-10-27 00:20:00', '2024-10-27 01:20:00')),
    column('time', "far DateTime64(3, 'UTC')", `toDateTime64(${oneOf(instants)}, 3, 'UTC')`, {
      present: instants,
      edges: [instants[0], instants.at(-1), '1970-01-01 00:00:00.000'],
      absent: ['2024-10-27 00:30:00.001'],
    }),
    column(
      'time',
      'seen Nullable(DateTime64(3))',
      orNull(`toDateTime64(${oneOf(instants)}, 3)`, 4),
      {
        present: instants,
        edges: [instants[0], instants.at(-1)],
        absent: ['2024-10-27 00:30:00.001'],
      },
    ),
    column('date', 'born Date32', `toDate32(${oneOf(births)})`, {
      ...dates('1900-01-01', '2299-12-31', ...births),
      isKey: true,
    }),
    column('date', 'left_on Nullable(Date32)', orNull(`toDate32(${oneOf(births)})`, 5), {
      ...dates('1900-01-01', '2299-12-31', ...births),
      isKey: true,
    }),
    column('int', 'tiny Int8', `toInt8(${oneOf([-128, 127, 0, -1, 5])})`, {
      present: [-128, 127, 0, -1],
      edges: [-128, 127],
      absent: [1, 100],
      isKey: true,
    }),
    column('int', 'small UInt8', `toUInt8(${oneOf([0, 255, 1, 128])})`, {
      present: [0, 255, 128],
      edges: [0, 255],
      absent: [2, 100],
      isKey: true,
    }),
    column('odd', 'part Float32', `[0., -0., 0.1, nan, inf, -inf, 1.5][${flat(7)} + 1]`, {
      present: [0, 1.5, 0.5],
      edges: ['inf', '-inf', 'nan'],
      absent: [7],
    }),
    column('text', 'code FixedString(4)', `toFixedString(${oneOf(codes)}, 4)`, {
      ...texts(codes, ['zzzz', 'b']),
      isKey: true,
    }),
    column('text', 'host LowCardinality(Nullable(String))', orNull(oneOf(['', 'a', 'é']), 4), {
      ...texts(['', 'a', 'é']),
      isKey: true,
    }),
    column('uuid', 'ip IPv4', `toIPv4(${oneOf(['0.0.0.0', '10.0.0.1', '255.255.255.255'])})`, {
      present: ['10.0.0.1', '0.0.0.0'],
      edges: ['255.255.255.255'],
      absent: ['10.0.0.2'],
      isKey: true,
    }),
    column('decimal', 'cost Decimal(38, 10)', `toDecimal128(${flat(9)} / 8 - 0.5, 10)`, {
      present: ['0.125', '0', '-0.5'],
      edges: ['-0.5', '0.5'],
      absent: ['0.0000000001'],
    }),
  ],
};
