/** What the text of a query says about its result, before it runs. */

/** What a query determines of a column's floats: all bits; not the sign of zero, nor which NaN; or not the last digits. */
export type FloatPrecision = 'bits' | 'number' | 'sum';

/** What a query determines of its result, and what it leaves open. */
export interface ResultShape {
  /** Whether it is one SELECT; for anything else only the precisions are meaningful. */
  readonly isOneSelect: boolean;
  readonly precisions: readonly FloatPrecision[];
  /** Whether it adds up floating point numbers anywhere, as in HAVING. */
  readonly isRounded: boolean;
  readonly isDistinct: boolean;
  /** For each expression of ORDER BY the position of the result column with its values; null where there is none. */
  readonly keys: readonly (number | null)[];
  /** Positions of the result columns that WHERE fixes to one value, as `country = 'de'` does. */
  readonly fixed: readonly number[];
  /** Which rows are returned; null: all. */
  readonly cut: ResultCut | null;
  /** Whether a subquery or a part of a UNION has a limit, and so may take one or another of tied rows. */
  readonly hasInnerCut: boolean;
}

export interface ResultCut {
  /** By LIMIT BY. */
  readonly isBy: boolean;
  readonly isWithTies: boolean;
  /** Null without a LIMIT, NaN for one that is no plain number. */
  readonly limit: number | null;
  readonly offset: number;
}
