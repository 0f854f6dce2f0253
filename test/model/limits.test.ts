import { describe, expect, it } from 'vitest';
import { lowerTo, noLimits, parseLimits, readLimits } from '../../src/model/query-limits.ts';
import { parseRowLimit, rowLimitOf, tooManyRows } from '../../src/model/row-limit.ts';

const ceiling = {
  executionSeconds: 30,
  memoryBytes: 1_000_000_000,
  resultRows: 1000,
  resultBytes: 10_000_000,
  concurrentQueries: 4,
  queuedQueries: 8,
};
const rows = { defaultStoredRows: 100, maxStoredRows: 500 };

describe('the limits of a query', () => {
  it('are the lower of two', () => {
    const overrides = { executionSeconds: 5, resultRows: 9999 };
    expect(lowerTo(ceiling, overrides)).toEqual({ ...ceiling, executionSeconds: 5 });
  });

  it('are taken up to the ceiling, and not above it', () => {
    expect(parseLimits({ executionSeconds: 30, resultRows: null }, ceiling)).toEqual({
      executionSeconds: 30,
    });
    expect(parseLimits({ resultRows: undefined }, ceiling)).toBe(noLimits);
  });

  it.each([
    ['executionSeconds', 31],
    ['executionSeconds', 0],
    ['resultRows', 1.5],
    ['resultRows', Number.NaN],
    ['memoryBytes', 1000],
  ] as const)('refuse %s %d', (name, value) => {
    expect(() => parseLimits({ [name]: value }, ceiling)).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });

  it('ignore what a record holds beyond them', () => {
    expect(readLimits({ resultRows: 5, executionSeconds: 'x', toString: 1 })).toEqual({
      resultRows: 5,
    });
    for (const nothing of [null, 'x', 5, []]) expect(readLimits(nothing)).toBe(noLimits);
  });
});

describe('the row limit of a stored table', () => {
  it("is the author's or the default, and never above the server's", () => {
    expect([null, 50, 9999].map((own) => rowLimitOf(own, rows))).toEqual([100, 50, 500]);
  });

  it.each([0, 501, 1.5, -1])('refuses %d', (value) => {
    expect(() => parseRowLimit(value, rows)).toThrow(
      expect.objectContaining({ code: 'invalid_input', attr: 'max_stored_rows' }),
    );
  });

  it('distinguishes an absent limit from one that is removed', () => {
    expect([parseRowLimit(undefined, rows), parseRowLimit(null, rows)]).toEqual([undefined, null]);
  });

  it('advises to raise it only where it can be raised', () => {
    expect(tooManyRows({ rows: 120, limit: 100 }, rows)).toMatch(/120 rows.*Raise max_stored_rows/);
    expect(tooManyRows({ rows: null, limit: 500 }, rows)).toMatch(
      /more than 500 rows.*This server does not allow/,
    );
  });
});
