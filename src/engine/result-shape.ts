/** What the text of a query says about its result, before it runs. */

/**
 * How precisely a query determines a column's floats: all bits; all but the sign of zero and the kind of NaN; or all
 * but the last digits.
 */
export type FloatPrecision = 'bits' | 'number' | 'sum';

/** What a query determines about its result, and what it leaves open. */
export interface ResultShape {
  /** Whether it is one SELECT; otherwise only the precisions are meaningful. */
  readonly isOneSelect: boolean;
  readonly precisions: readonly FloatPrecision[];
  /** Whether it sums floating point numbers anywhere, including HAVING. */
  readonly isRounded: boolean;
  readonly isDistinct: boolean;
  /** For each ORDER BY expression, the position of the result column with its values; null when there is none. */
  readonly keys: readonly (number | null)[];
  /** Positions of the result columns that WHERE fixes to one value, as `country = 'de'` does. */
  readonly fixed: readonly number[];
  /** Which rows are returned; null for all. */
  readonly cut: ResultCut | null;
  /** Whether a subquery or a part of a UNION has a limit, and so may pick any of several tied rows. */
  readonly hasInnerCut: boolean;
}

export interface ResultCut {
  /** Whether it is LIMIT BY. */
  readonly isBy: boolean;
  readonly isWithTies: boolean;
  /** Null without a LIMIT, NaN when it is not a plain number. */
  readonly limit: number | null;
  readonly offset: number;
}
