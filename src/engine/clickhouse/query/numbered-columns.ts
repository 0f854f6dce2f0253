/** A query as a subquery whose columns are called by their places, under names that nobody else uses. Pure. */
import type { Column } from '../../query-engine.ts';

export interface NumberedColumns {
  /** In the order of the query's own columns. */
  readonly names: readonly string[];
  /** What stands behind FROM. */
  readonly from: string;
}

/**
 * A name of ours that the query has too would be taken for the other one: in `SELECT c0 AS c1, c1 AS c2` the
 * second `c1` is the alias. So ours begin with letters that stand nowhere in the text nor in a column's name.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 */
export function numberColumns(statement: string, columns: readonly Column[]): NumberedColumns {
  const prefix = unusedPrefix([statement, ...columns.map(({ name }) => name)]);
  const names = columns.map((_column, index) => `${prefix}${index}`);
  // Names given from outside take effect before INTERPOLATE looks for its own, and it fills nothing then.
  const inner = mayInterpolate(statement) ? `SELECT * FROM (\n${statement}\n)` : `\n${statement}\n`;
  return { names, from: `(${inner}) AS ${prefix}t(${names.join(', ')})` };
}

export function mayInterpolate(statement: string): boolean {
  return /\binterpolate\b/i.test(statement);
}

/** One underscore more than stand in a row anywhere. */
function unusedPrefix(texts: readonly string[]): string {
  let longest = 0;
  for (const text of texts) {
    for (const [run] of text.matchAll(/_+/g)) longest = Math.max(longest, run.length);
  }
  return `c${'_'.repeat(longest + 1)}`;
}

/**
 * Whether no two columns of the result have one name. An unnamed expression with a variable is named after its
 * text with the value filled in, so what it will be called is not known.
 */
export function hasCertainNames(columns: readonly Column[]): boolean {
  const names = new Set(columns.map(({ name }) => name));
  const isKnown = columns.length === 1 || !columns.some(({ name }) => name.includes('{'));
  return isKnown && names.size === columns.length;
}
