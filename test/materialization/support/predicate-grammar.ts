/** Conditions on variables: what is compared, how, and with which values. */
import fc from 'fast-check';
import type { Values } from './laboratory.ts';

interface Compared {
  readonly left: string;
  readonly type: string;
  /** Values that rows have, and some that none has. */
  readonly values: readonly unknown[];
  readonly isText?: true;
  /** Spellings of the right side; `$` stands for the variable. */
  readonly wraps?: readonly string[];
}

const strings = ['', 'a', 'A', 'b', 'ab', 'a%b', '%', 'é', 'zz', 'absent', "it's"];
const numbers = [-6, -1, 0, 1, 2, 4, 7, 99];

const compared: readonly Compared[] = [
  {
    left: 's',
    type: 'String',
    values: strings,
    isText: true,
    wraps: ['$', 'lower($)', "concat($, '')"],
  },
  { left: 'lower(s)', type: 'String', values: strings, isText: true },
  { left: 'ns', type: 'String', values: ['', 'a', 'b', 'N', 'x'], isText: true },
  { left: 'ns', type: 'Nullable(String)', values: ['', 'a', null] },
  { left: 'lc', type: 'String', values: ['x', 'y', '', 'w'], isText: true },
  { left: 'lcn', type: 'String', values: ['p', 'q', '', 'w'], isText: true },
  { left: 'i', type: 'Int32', values: numbers, wraps: ['$', '$ + 1', 'abs($)'] },
  { left: 'i', type: 'Float64', values: [0, 1, 1.5, -2] },
  { left: 'i % 3', type: 'Int8', values: [-2, 0, 1, 5] },
  { left: 'n', type: 'Int64', values: numbers },
  { left: 'n', type: 'Nullable(Int64)', values: [0, 1, null] },
  { left: 'u', type: 'UInt8', values: [0, 1, 3, 200] },
  {
    left: 'big',
    type: 'UInt64',
    values: ['0', '9007199254740993', '9007199254740992', '18446744073709551615'],
  },
  { left: 'd', type: 'Date', values: ['2024-01-31', '2024-02-01', '2024-02-05', '1999-01-01'] },
  { left: 'd', type: 'String', values: ['2024-01-31', '2024-02-01'], wraps: ['toDate($)'] },
  { left: 'toYYYYMM(d)', type: 'UInt32', values: [202401, 202402, 202403] },
  { left: 'toStartOfMonth(ts)', type: 'Date', values: ['2024-01-01', '2024-02-01'] },
  {
    left: 'ts',
    type: 'DateTime',
    values: ['2024-01-31 23:59:59', '2024-02-01 00:00:00', '2030-01-01 00:00:00'],
  },
  {
    left: 'toDate(ts)',
    type: 'Date',
    values: ['2024-01-31', '2024-02-01'],
    wraps: ['$', '$ - 1', 'toDate($) + 1'],
  },
  {
    left: 't64',
    type: 'DateTime64(3)',
    values: ['2024-01-31 23:59:59.999', '2024-02-01 00:00:00.001'],
  },
  { left: 'dec', type: 'Decimal(18, 4)', values: ['-1.5', '0', '0.0001', '2.25', '7'] },
  { left: 'dec', type: 'Float64', values: [0, 2.25] },
  { left: 'f', type: 'Float64', values: [0, 1.5, 0.1, 'nan', 'inf', '-inf'] },
  // Types that the index of the stored table has to convert.
  { left: 'big', type: 'Float64', values: [0, 1, 9007199254740992, 1.5, 1e19, -1] },
  { left: 'big', type: 'Int64', values: ['0', '9007199254740993', '-1'] },
  { left: 'dec', type: 'Decimal(38, 10)', values: ['0.0001', '0.00005', '2.25', '-1.5000000001'] },
  { left: 'dec', type: 'Int64', values: [0, 2, 100] },
  { left: 'dec', type: 'Float32', values: [0.5, 2.25, 100] },
  { left: 'u', type: 'Int64', values: [0, 2, 256, -1] },
  { left: 'u', type: 'Float64', values: [0, 0.5, 2, 300] },
  { left: 'n', type: 'Float64', values: [0, 0.5, -2] },
  { left: 'd', type: 'DateTime', values: ['2024-01-31 12:00:00', '2024-02-01 00:00:00'] },
  {
    left: 'd',
    type: "DateTime64(3, 'UTC')",
    values: ['2024-01-31 00:00:00.001', '2024-02-01 00:00:00'],
  },
  { left: 'd', type: 'Date32', values: ['2024-01-31', '1900-01-01', '2200-01-01'] },
  { left: 'ts', type: 'Date', values: ['2024-01-31', '2024-02-01'] },
  { left: 'ts', type: 'DateTime64(3)', values: ['2024-01-31 23:59:59.500', '2024-02-01 00:00:00'] },
  { left: 't64', type: 'DateTime', values: ['2024-01-31 23:59:59', '2024-02-01 00:00:00'] },
  { left: 'ts', type: 'Date32', values: ['2024-02-01', '1900-01-01', '2200-01-01'] },
  { left: 't64', type: 'Date32', values: ['2024-02-01', '1900-01-01'] },
  { left: 'lc', type: 'Nullable(String)', values: ['x', '', null] },
  { left: 's', type: 'FixedString(2)', values: ['ab', 'a', ''] },
  {
    left: '(s, u)',
    type: 'Tuple(String, UInt8)',
    values: [
      ['a', 1],
      ['', 0],
      ['x', 9],
    ],
  },
  {
    left: '(s, i)',
    type: 'Tuple(String, Int64)',
    values: [
      ['a', 1],
      ['b', -1],
      ['x', 9],
    ],
  },
  { left: 'b', type: 'Bool', values: [true, false] },
  { left: 'e', type: 'String', values: ['red', 'blue'] },
  { left: 'length(s)', type: 'UInt16', values: [0, 1, 2, 9] },
  { left: "position(s, 'a')", type: 'UInt64', values: [0, 1] },
];

export interface Placed {
  readonly conditions: readonly string[];
  readonly lefts: readonly string[];
  readonly kinds: readonly string[];
  readonly values: readonly Values[];
}

const sets = ['IN', 'NOT IN'];
const likes = ['LIKE', 'ILIKE', 'NOT LIKE'];
const comparisons = ['=', '=', '=', '!=', '<', '<=', '>', '>=', 'BETWEEN', 'flipped'];
const patterns = ['$', "concat('%', $, '%')", "concat($, '%')"];

interface Chosen {
  readonly what: Compared;
  readonly operator: string;
  readonly wrap: number;
  readonly picks: readonly (readonly number[])[];
}

const samples = 5;

const chosen: fc.Arbitrary<Chosen> = fc.constantFrom(...compared).chain((what) =>
  fc.record({
    what: fc.constant(what),
    operator: fc.constantFrom(
      ...comparisons,
      ...(what.left === 'e' ? [] : sets),
      ...(what.isText === true ? likes : []),
    ),
    wrap: fc.nat(2),
    picks: fc.array(fc.array(fc.nat(what.values.length - 1), { minLength: 0, maxLength: 3 }), {
      minLength: samples,
      maxLength: samples,
    }),
  }),
);

interface Written {
  readonly text: string;
  readonly values: readonly Values[];
}

function write({ what, operator, wrap, picks }: Chosen, at: number): Written {
  const name = `v${at}`;
  const pick = (indexes: readonly number[], which: number) =>
    what.values[indexes[which] ?? (which + at) % what.values.length];
  const wraps = what.wraps ?? ['$'];
  const right = (variable: string) =>
    (wraps[wrap % wraps.length] ?? '$').replaceAll('$', `{${variable}:${what.type}}`);
  const one = picks.map((indexes) => ({ [name]: pick(indexes, 0) }));
  if (operator === 'BETWEEN') {
    const text = `${what.left} BETWEEN ${right(name)} AND ${right(`${name}b`)}`;
    return { text, values: picks.map((p, i) => ({ ...one[i], [`${name}b`]: pick(p, 1) })) };
  }
  if (operator === 'flipped') return { text: `${right(name)} >= ${what.left}`, values: one };
  if (sets.includes(operator)) {
    const inner = what.values.includes(null) ? what.type.slice(9, -1) : what.type;
    const isKnown = (value: unknown) => value !== null && value !== undefined;
    return {
      text: `${what.left} ${operator} {${name}:Array(${inner})}`,
      values: picks.map((p) => ({ [name]: p.map((i) => what.values[i]).filter(isKnown) })),
    };
  }
  if (likes.includes(operator)) {
    const pattern = (patterns[wrap % patterns.length] ?? '$').replace('$', `{${name}:String}`);
    return { text: `${what.left} ${operator} ${pattern}`, values: one };
  }
  return { text: `${what.left} ${operator} ${right(name)}`, values: one };
}

/** One to three conditions on different columns. */
export const placedPredicates: fc.Arbitrary<Placed> = fc
  .uniqueArray(chosen, { minLength: 1, maxLength: 3, selector: ({ what }) => what.left })
  .map((list) => {
    const written = list.map(write);
    const values = Array.from({ length: samples }, (_none, at) =>
      Object.assign({}, ...written.map((each) => each.values[at])),
    );
    return {
      conditions: written.map(({ text }) => text),
      lefts: list.map(({ what }) => what.left),
      kinds: list.map(({ operator }) => operator),
      values,
    };
  });
