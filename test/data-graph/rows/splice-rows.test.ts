/** Rows as the objects of a selection, held to what graphql-js makes of the same rows. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRows } from '../../../src/data-graph/rows/compile-rows.ts';
import { spliceRows, spliceRowsInTurns } from '../../../src/data-graph/rows/splice-rows.ts';
import { toShape } from '../../../src/data-graph/to-shape.ts';
import { executed, generatedRows, toBytes } from './support/generated-rows.ts';

const limits = { maxBytes: 100_000_000 };
const shape = toShape({
  field: 'airportDays',
  description: '',
  columns: [
    { name: 'day', type: 'Date' },
    { name: 'to', type: 'Array(Tuple(code String, flights UInt32))' },
  ],
  variables: [],
});
const column = (
  index: number,
  key: string,
  nested: Parameters<typeof compileRows>[1] | null = null,
) => ({ kind: 'column', key, index, nested }) as const;
const typename = (value: string) => ({ kind: 'typename', key: '__typename', value }) as const;
const all = compileRows(shape, [
  column(0, 'day'),
  column(1, 'to', [column(1, 'flights'), typename('AirportDaysRow_to'), column(0, 'code')]),
  typename('AirportDaysRow'),
]);
const spliced = (text: string): string => spliceRows(Buffer.from(text), all, limits).toString();

describe('spliceRows', () => {
  it('writes the bytes of the cells, in the order and under the keys of the selection', () => {
    expect(
      spliced(
        '[["2001-01-01", [{"code":"S\\/F\\u004f","flights":1e2},{"code":"é","flights":-0.50}]],["", []]]',
      ),
    ).toBe(
      '[{"day":"2001-01-01","to":[{"flights":1e2,"__typename":"AirportDaysRow_to","code":"S\\/F\\u004f"},{"flights":-0.50,"__typename":"AirportDaysRow_to","code":"é"}],"__typename":"AirportDaysRow"},{"day":"","to":[],"__typename":"AirportDaysRow"}]',
    );
    expect(spliced('[]')).toBe('[]');
    const none = compileRows(shape, [typename('AirportDaysRow')]);
    expect(spliceRows(Buffer.from('[[1, 2],[3, 4]]'), none, limits).toString()).toBe(
      '[{"__typename":"AirportDaysRow"},{"__typename":"AirportDaysRow"}]',
    );
  });

  it('gives what graphql-js gives, for any types, rows and selections', () => {
    fc.assert(
      fc.property(generatedRows(4), (made) => {
        const compiled = compileRows(made.shape, made.selection);
        const bytes = spliceRows(toBytes(made.rows), compiled, limits).toString();
        expect(bytes).toBe(executed(made));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['nothing', ''],
    ['no array', '{}'],
    ['an array of other things', '[1]'],
    ['rows that break off', '[["a", []]'],
    ['a row that breaks off', '[["a", ['],
    ['a text that breaks off', '[["a'],
    ['an escape that breaks off', '[["a\\'],
    ['an escape that is none', '[["\\x", []]]'],
    ['half an escape', '[["\\u12", []]]'],
    ['a control character', '[["\u0001", []]]'],
    ['a line break between cells', '[["a",\n[]]]'],
    ['one column less', '[["a"]]'],
    ['one column more', '[["a", [], 1]]'],
    ['no comma', '[["a" []]]'],
    ['a comma too many', '[["a", []],]'],
    ['a comma in a list', '[["a", [{"code":"a","flights":1},]]]'],
    ['bytes behind the end', '[["a", []]] '],
    ['a number that is none', '[[01, []]]'],
    ['a number without digits', '[[-, []]]'],
    ['a point without digits', '[[1., []]]'],
    ['an exponent without digits', '[[1e+, []]]'],
    ['a word that is none', '[[nul, []]]'],
    ['no value', '[[, []]]'],
    ['another member of a tuple', '[["a", [{"name":"a","flights":1}]]]'],
    ['members in another order', '[["a", [{"flights":1,"code":"a"}]]]'],
    ['a member more', '[["a", [{"code":"a","flights":1,"x":1}]]]'],
    ['a member less', '[["a", [{"code":"a"}]]]'],
    ['an array for a tuple', '[["a", [["a", 1]]]]'],
    ['a tuple for a list of them', '[["a", {"code":"a","flights":1}]]'],
    ['half an object', '[[{"a":1, []]]'],
    ['a key that is no text', '[[{1:1}, []]]'],
  ])('throws for %s', (_what, text) => {
    expect(() => spliced(text)).toThrow(/the rows are no JSON|a tuple has the member/);
  });

  /** Null where there are numbers that JavaScript does not write as JSON has them, as `9E999` and `-0`. */
  function parsedExactly(text: string): unknown {
    let isExact = true;
    const value: unknown = JSON.parse(text, (_key, one: unknown) => {
      if (one === Number.POSITIVE_INFINITY || one === Number.NEGATIVE_INFINITY) isExact = false;
      if (Object.is(one, -0)) isExact = false;
      return one;
    });
    return isExact ? value : null;
  }

  it('gives the same as parsing, or throws, when any bytes are changed', () => {
    const change = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      text: fc.string({
        unit: fc.constantFrom(...'[]{}",:\\ 0-1.eEnultrfas\n'.split('')),
        maxLength: 2,
      }),
    });
    let refused = 0;
    fc.assert(
      fc.property(generatedRows(3), change, (made, { at, cut, text }) => {
        const whole = toBytes(made.rows).toString();
        const start = at % whole.length;
        // By way of bytes: a character may have been cut in half.
        const changed = Buffer.from(
          whole.slice(0, start) + text + whole.slice(start + cut),
        ).toString();
        const bytes = tryTo(() =>
          spliceRows(Buffer.from(changed), compileRows(made.shape, made.selection), limits),
        );
        refused += bytes === null ? 1 : 0;
        if (bytes === null) return;
        const rows = parsedExactly(changed) as typeof made.rows | null;
        if (rows === null) return;
        expect(rows.every((row) => row.length === made.shape.columns.length)).toBe(true);
        const expected = tryTo(() => executed({ ...made, rows }));
        // Values of another type are for the engine not to write.
        if (expected !== null) expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(expected));
        else expect(JSON.parse(bytes.toString())).toHaveLength(rows.length);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it('refuses more bytes than allowed, to the byte', () => {
    const repeated = compileRows(shape, [column(0, 'a'), column(0, 'b'), column(0, 'c')]);
    const rows = Buffer.from(`[["${'x'.repeat(100)}", []],["y", []]]`);
    const { length } = spliceRows(rows, repeated, limits);
    expect(spliceRows(rows, repeated, { maxBytes: length })).toHaveLength(length);
    const refusal = expect.objectContaining({ code: 'query_too_large' });
    for (const maxBytes of [length - 1, 10])
      expect(() => spliceRows(rows, repeated, { maxBytes })).toThrow(refusal);
    const nested = Buffer.from('[["a", [{"code":"a","flights":1}]]]');
    const size = spliceRows(nested, all, limits).length;
    expect(spliceRows(nested, all, { maxBytes: size })).toHaveLength(size);
    expect(() => spliceRows(nested, all, { maxBytes: size - 1 })).toThrow(refusal);
  });
});

describe('in turns', () => {
  const row = '["2001-01-01", [{"code":"SFO","flights":7},{"code":"LAX","flights":8}]]';
  const many = Buffer.from(`[${Array.from({ length: 40_000 }, () => row).join(',')}]`);

  it('gives the same bytes, and others their turns', async () => {
    let turns = 0;
    const made = spliceRowsInTurns(many, all, limits);
    expect(made).toBeInstanceOf(Promise);
    let isDone = false;
    void Promise.resolve(made).then(() => (isDone = true));
    while (!isDone) {
      await nextTurn();
      turns += 1;
    }
    expect((await made).equals(spliceRows(many, all, limits))).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('gives few rows at once', () => {
    const few = Buffer.from(`[${row}]`);
    expect(spliceRowsInTurns(few, all, limits)).toEqual(spliceRows(few, all, limits));
  });

  it('serves several passes of one compiled selection at a time', async () => {
    const others = Buffer.from(many.toString().replaceAll('SFO', 'ABCDEF'));
    const [first, second] = await Promise.all([
      spliceRowsInTurns(many, all, limits),
      spliceRowsInTurns(others, all, limits),
    ]);
    expect(first.equals(spliceRows(many, all, limits))).toBe(true);
    expect(second.equals(spliceRows(others, all, limits))).toBe(true);
  });

  it('stops when the signal is aborted', async () => {
    const gone = new AbortController();
    const made = spliceRowsInTurns(many, all, { ...limits, signal: gone.signal });
    gone.abort(new Error('the caller has gone'));
    await expect(made).rejects.toThrow('the caller has gone');
  });

  it('rejects for bytes that turn out malformed later', async () => {
    const cut = many.subarray(0, many.length - 1);
    await expect(spliceRowsInTurns(cut, all, limits)).rejects.toThrow(/no JSON/);
    const long = spliceRowsInTurns(many, all, { maxBytes: many.length });
    await expect(long).rejects.toMatchObject({ code: 'query_too_large' });
  });
});

function tryTo<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
