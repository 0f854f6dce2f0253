/** Tables that are read by SAMPLE. */
import type { TreeNode } from '../../../sql/query-tree.ts';
import { refuse } from '../refusal.ts';

/**
 * Throws Refusal for a sample, or its offset, of a number of rows. The engine makes a share of it by the rows that the
 * primary key selects, so that conditions change which rows it takes. A share takes the same rows whatever else is read.
 *
 * @param tree every node of the query's tree.
 */
export function requireShares(tree: readonly TreeNode[]): void {
  for (const { kind, attributes } of tree) {
    const written =
      kind === 'TABLE' ? attributes.matchAll(/\bsample_(?:size|offset): ([^,]*)/g) : [];
    for (const [, number = ''] of written) {
      const [rows = 0, of = 1] = number.split('/').map(Number);
      if (rows / of <= 1) continue;
      refuse(
        `In SAMPLE, ${number.trim()} is a number of rows, and which ones depends on the conditions of the query; write a share, as in SAMPLE 1/10 OFFSET 1/2.`,
      );
    }
  }
}
