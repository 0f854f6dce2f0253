/** Converts constants of whole seconds that are compared with a DateTime64, as `rules/whole-seconds` says. */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { Column } from '../../query-engine.ts';
import { isFaultOfText } from '../errors/translate-error.ts';
import { type Operand, orderedOperands } from './parse/ordered-operands.ts';
import { readSqlText, type SqlText } from './parse/sql-text.ts';
import {
  type Conversion,
  conversionsOf,
  converted,
  refusalOfWholeSeconds,
  withMarks,
} from './rules/whole-seconds.ts';

export interface ResolvedQuery {
  readonly columns: readonly Column[];
  readonly nodes: readonly TreeNode[];
}

interface Resolver {
  /** The text as written; the converted one must have its columns. */
  readonly written: ResolvedQuery;
  /** Lines of the tree, as the first pass resolves it. */
  tree(sql: string): Promise<readonly string[]>;
  resolve(text: SqlText): Promise<ResolvedQuery>;
}

interface Converted {
  readonly text: SqlText;
  /** A sentence for the author of a comparison that could not be converted. */
  readonly refusal: string | null;
}

export async function convertSeconds(text: SqlText, resolver: Resolver): Promise<Converted> {
  const operands = orderedOperands(text).filter(({ end }) => end <= text.statement.length);
  const conversions = await findConversions(text, { operands, tree: resolver.tree });
  const changed = readSqlText(converted(text, conversions));
  const after = await orNull(resolver.resolve(changed));
  const { written } = resolver;
  const isSame = JSON.stringify(after?.columns) === JSON.stringify(written.columns);
  const { nodes } = after !== null && isSame ? after : written;
  return { text: changed, refusal: refusalOfWholeSeconds(nodes, text) };
}

interface Marked {
  readonly operands: readonly Operand[];
  readonly tree: Resolver['tree'];
}

/** In halves, if the engine cannot read the text with all marks: GROUP BY and SELECT must be written alike. */
async function findConversions(text: SqlText, marked: Marked): Promise<readonly Conversion[]> {
  const { operands, tree } = marked;
  if (operands.length === 0) return [];
  const lines = await orNull(tree(withMarks(text, operands)));
  if (lines !== null) return conversionsOf(readQueryTree(lines) ?? [], operands);
  if (operands.length === 1) return [];
  const middle = operands.length >> 1;
  const first = await findConversions(text, { tree, operands: operands.slice(0, middle) });
  return [...first, ...(await findConversions(text, { tree, operands: operands.slice(middle) }))];
}

/** Null for a text that the engine cannot read. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (isFaultOfText(error)) return null;
    throw error;
  }
}
