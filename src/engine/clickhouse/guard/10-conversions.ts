/** Converts constants that the engine compares or searches wrongly as they are written, as `rules/whole-seconds` and `rules/searched-values` say. */
import { readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import type { Column } from '../../query-engine.ts';
import { isFaultOfText } from '../errors/translate-error.ts';
import type { LexedText } from './parse/lexed-text.ts';
import { type Operand, orderedOperands } from './parse/ordered-operands.ts';
import { searchedOperands } from './parse/searched-operands.ts';
import { readSqlText, type SqlText } from './parse/sql-text.ts';
import { constantsOf, type IsConstant } from './rules/constants.ts';
import {
  type Conversion,
  conversionsOf,
  converted,
  type Written,
  withMarks,
} from './rules/operand-marks.ts';
import {
  type MarkedPlace,
  mayMissDefault,
  refusalOfSearchedConstant,
  searchedValueAround,
} from './rules/searched-values.ts';
import {
  comparesWholeSeconds,
  refusalOfWholeSeconds,
  wholeSecondsAround,
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
  /** A sentence for the author of a constant that could not be converted. */
  readonly refusal: string | null;
}

/** What is wrong of constants in some operands of a text. */
interface Rule {
  readonly isNeeded: (nodes: readonly TreeNode[], text: SqlText) => boolean;
  readonly operandsOf: (text: LexedText) => readonly Operand[];
  readonly writtenOf: (
    mark: TreeNode,
    isConstant: IsConstant,
    place: MarkedPlace,
  ) => Written | null;
  readonly refusalOf: (nodes: readonly TreeNode[], text: SqlText) => string | null;
}

const rules: readonly Rule[] = [
  {
    isNeeded: comparesWholeSeconds,
    operandsOf: orderedOperands,
    writtenOf: wholeSecondsAround,
    refusalOf: refusalOfWholeSeconds,
  },
  {
    isNeeded: mayMissDefault,
    operandsOf: searchedOperands,
    writtenOf: searchedValueAround,
    refusalOf: refusalOfSearchedConstant,
  },
];

export async function convertConstants(text: SqlText, resolver: Resolver): Promise<Converted> {
  let done: SqlText = text;
  let { nodes } = resolver.written;
  for (const rule of rules) {
    if (!rule.isNeeded(nodes, done)) continue;
    const within = done.statement.length;
    const operands = rule.operandsOf(done).filter(({ end }) => end <= within);
    const conversions = await findConversions(done, { operands, rule, tree: resolver.tree });
    done = readSqlText(converted(done, conversions));
    const after = await orNull(resolver.resolve(done));
    if (after !== null && hasColumns(after, resolver.written)) nodes = after.nodes;
    const refusal = rule.refusalOf(nodes, text);
    if (refusal !== null) return { text: done, refusal };
  }
  return { text: done, refusal: null };
}

/** Columns that are named after a variable get their names when the response is read. */
function hasColumns(query: ResolvedQuery, { columns }: ResolvedQuery): boolean {
  return (
    query.columns.length === columns.length &&
    query.columns.every(({ name, type }, at) => {
      const written = columns[at];
      return type === written?.type && (name === written.name || written.name.includes('{'));
    })
  );
}

interface Marked {
  readonly operands: readonly Operand[];
  readonly rule: Rule;
  readonly tree: Resolver['tree'];
}

/** In halves, if the engine cannot read the text with all marks: GROUP BY and SELECT must be written alike. */
async function findConversions(text: SqlText, marked: Marked): Promise<readonly Conversion[]> {
  const { operands, rule, tree } = marked;
  if (operands.length === 0) return [];
  const lines = await orNull(tree(withMarks(text, operands)));
  if (lines !== null) {
    const nodes = readQueryTree(lines) ?? [];
    const isConstant = constantsOf(nodes);
    return conversionsOf(nodes, operands, (mark, { start, end }) =>
      rule.writtenOf(mark, isConstant, { text, written: text.sql.slice(start, end) }),
    );
  }
  if (operands.length === 1) return [];
  const middle = operands.length >> 1;
  const first = await findConversions(text, { ...marked, operands: operands.slice(0, middle) });
  return [
    ...first,
    ...(await findConversions(text, { ...marked, operands: operands.slice(middle) })),
  ];
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
