/** Time columns by which pieces of partial results can also store rows per whole period. */
import type { RollUp } from '../../../model/materialization-plan.ts';
import { findRollUps } from '../roll-ups.ts';
import { conditionsOf, type Splitting } from './pieces.ts';

/** @param keys the sorting key of each piece. */
export async function rollUpsOfPieces(
  { pieces, merging, query }: Splitting,
  keys: readonly (readonly string[])[],
): Promise<readonly RollUp[]> {
  const found = pieces.map(async ({ columns, states }, table) => {
    if (states === undefined) return [];
    const grouped = [...states.grouped];
    const items = grouped.map(([text, name]) => `${text} AS ${name}`);
    return findRollUps(query, {
      table,
      columns: [
        ...grouped.map(([, name]) => ({ name, merge: null })),
        ...states.aggregates.values(),
      ],
      ungrouped: `SELECT ${items.join(', ')} ${states.from}`,
      sortingKey: keys[table] ?? [],
      selects: merging
        .filter(({ piece }) => piece === table)
        .map(({ source, partial, nameOf }) => ({
          ...{ source, nameOf },
          predicates: partial.conditions,
          conditions: conditionsOf(partial),
          keys: partial.grouped.slice(0, partial.keys).map((_key, at) => nameOf(at)),
          typeOf: (column) => columns.find(({ name }) => name === column)?.type ?? '',
          isRead: true,
        })),
    });
  });
  return (await Promise.all(found)).flat();
}
