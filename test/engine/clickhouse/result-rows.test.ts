import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toResultRows } from '../../../src/engine/clickhouse/query/result-rows.ts';

const answer = (rows: readonly unknown[][]) =>
  Buffer.from([['a'], ['String'], ...rows].map((row) => `${JSON.stringify(row)}\n`).join(''));

describe('toResultRows', () => {
  it('gives one JSON array of the first rows, and whether there were more', () => {
    const row = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 20 }),
        fc.integer({ min: 1, max: 25 }),
        (rows, limit) => {
          const result = toResultRows(answer(rows), limit);
          expect(JSON.parse(result.rows.toString())).toEqual(rows.slice(0, limit));
          expect(result.rowCount).toBe(Math.min(rows.length, limit));
          expect(result.hasMore).toBe(rows.length > limit);
          expect(result.columns).toEqual([{ name: 'a', type: 'String' }]);
        },
      ),
    );
  });

  it.each(['', '["a"]\n', '["a"]\n["String"]\n["x"]'])(
    'refuses a response that broke off: %j',
    (text) => {
      expect(() => toResultRows(Buffer.from(text), 10)).toThrow(/response/);
    },
  );
});
