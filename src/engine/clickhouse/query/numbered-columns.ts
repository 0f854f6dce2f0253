/** A query as a subquery whose columns have unique, positional names. Pure. */
import type { Column } from '../../query-engine.ts';

export interface NumberedColumns {
  /** Prefix of the generated names; occurs neither in the text nor in a column's name. */
  readonly prefix: string;
  /** In the order of the query's own columns. */
  readonly names: readonly string[];
  /** The operand of FROM. */
  readonly from: string;
}

/**
 * A generated name that the query uses too would be ambiguous: in `SELECT c0 AS c1, c1 AS c2` the second `c1` is the alias.
 * So generated names begin with a prefix that occurs neither in the text nor in a column's name.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 */
export function numberColumns(statement: string, columns: readonly Column[]): NumberedColumns {
  const prefix = unusedPrefix([statement, ...columns.map(({ name }) => name)]);
  const names = columns.map((_column, index) => `${prefix}${index}`);
  // Outside column names apply before INTERPOLATE looks up its columns, which would then fill nothing.
  const inner = mayInterpolate(statement) ? `SELECT * FROM (\n${statement}\n)` : `\n${statement}\n`;
  return { prefix, names, from: `(${inner}) AS ${prefix}t(${names.join(', ')})` };
}

function mayInterpolate(statement: string): boolean {
  return /\binterpolate\b/i.test(statement);
}

/** One underscore more than the longest run of underscores. */
function unusedPrefix(texts: readonly string[]): string {
  let longest = 0;
  for (const text of texts) {
    for (const [run] of text.matchAll(/_+/g)) longest = Math.max(longest, run.length);
  }
  return `c${'_'.repeat(longest + 1)}`;
}

/**
 * Whether the result's columns certainly have different names. An unnamed expression with a variable is named after its
 * text with the value filled in, so its name is not known in advance.
 */
export function hasCertainNames(columns: readonly Column[]): boolean {
  const names = new Set(columns.map(({ name }) => name));
  const areFixed = columns.length === 1 || !columns.some(({ name }) => name.includes('{'));
  return areFixed && names.size === columns.length;
}
