/** Time columns by which pieces of partial results can also store rows per whole period. */
import type { RollUp } from '../../../model/materialization-plan.ts';
import type { SelectOfTable } from '../compared-selects.ts';
import { findRollUps } from '../roll-ups.ts';
import { conditionsOf, type Splitting } from './pieces.ts';

/**
 * @param keys the sorting key of each piece.
 * @param hidden the columns whose conditions the read hides from the index.
 */
export async function rollUpsOfPieces(
  splitting: Splitting,
  keys: readonly (readonly string[])[],
  hidden: ReadonlySet<string>,
): Promise<readonly RollUp[]> {
  const { pieces, query } = splitting;
  const found = pieces.map(async ({ states }, table) => {
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
      selects: selectsOf(splitting, table).map((select) => ({
        ...select,
        isRead: (column) => !hidden.has(column),
      })),
    });
  });
  return (await Promise.all(found)).flat();
}

/** The SELECTs that merge the partial results of a piece. */
export function selectsOf(
  { pieces, merging }: Pick<Splitting, 'pieces' | 'merging'>,
  table: number,
): readonly SelectOfTable[] {
  const { columns = [] } = pieces[table] ?? {};
  return merging
    .filter(({ piece }) => piece === table)
    .map(({ source, partial, nameOf }) => ({
      ...{ source, nameOf },
      predicates: partial.conditions,
      conditions: conditionsOf(partial),
      keys: partial.grouped.slice(0, partial.keys).map((_key, at) => nameOf(at)),
      typeOf: (column) => columns.find(({ name }) => name === column)?.type ?? '',
      isRead: () => true,
    }));
}
