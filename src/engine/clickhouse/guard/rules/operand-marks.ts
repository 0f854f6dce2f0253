/** Finds out in the query tree which operands of a text have to be converted, and writes them so. Pure. */
import { applyEdits, type Edit } from '../../../../sql/edits.ts';
import type { TreeNode } from '../../../../sql/query-tree.ts';
import type { Operand } from '../parse/ordered-operands.ts';
import type { SqlText } from '../parse/sql-text.ts';

/** What stands around an operand that is converted. */
export interface Written {
  readonly before: string;
  readonly after: string;
  /** Another function to call. */
  readonly call?: string;
}

export interface Conversion extends Operand, Written {}

const MARK = 'querydock operand ';

/** The same statement, in whose tree each of the operands stands beside its position in the text. */
export function withMarks({ statement }: SqlText, operands: readonly Operand[]): string {
  const marked = operands.map((operand) => ({
    ...operand,
    before: 'tupleElement(tuple(',
    after: `, '${MARK}${operand.start}'), 1)`,
  }));
  return around(statement, marked);
}

const MARKED = new RegExp(`'${MARK}(\\d+)'`);

/**
 * The operands that are converted, by the tree with their marks, resolved by the first pass.
 *
 * @param writtenOf how to write the operand beside a mark; null when it stays.
 */
export function conversionsOf(
  nodes: readonly TreeNode[],
  operands: readonly Operand[],
  writtenOf: (mark: TreeNode, operand: Operand) => Written | null,
): readonly Conversion[] {
  const byStart = new Map(operands.map((operand) => [String(operand.start), operand]));
  const found = new Map<Operand, Written>();
  for (const node of nodes) {
    const mark = node.kind === 'CONSTANT' ? MARKED.exec(node.attributes)?.[1] : undefined;
    const operand = mark === undefined ? undefined : byStart.get(mark);
    const written = operand === undefined ? null : writtenOf(node, operand);
    if (operand !== undefined && written !== null) found.set(operand, written);
  }
  return [...found].map(([operand, written]) => ({ ...operand, ...written }));
}

export function converted({ statement }: SqlText, conversions: readonly Conversion[]): string {
  const calls = conversions.flatMap(({ name, call }) =>
    name === undefined || call === undefined ? [] : [{ ...name, text: call }],
  );
  return around(statement, conversions, calls);
}

/** Writes something before and after each operand; an operand may contain others. */
function around(sql: string, operands: readonly Conversion[], more: readonly Edit[] = []): string {
  // Edits at one place are applied in their order: an outer operand begins before an inner one, and ends after it.
  const outerFirst = operands.toSorted((one, other) => other.end - one.end);
  const insertion = (at: number, text: string) => ({ start: at, end: at, text });
  return applyEdits(sql, [
    ...outerFirst.map(({ start, before }) => insertion(start, before)),
    ...outerFirst.toReversed().map(({ end, after }) => insertion(end, after)),
    ...more,
  ]);
}
