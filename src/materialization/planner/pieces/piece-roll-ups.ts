/** Time columns by which pieces of partial results can also store rows per whole period. */
import type { RollUp } from '../../../model/materialization-plan.ts';
import { findRollUps, type SelectOfTable } from '../roll-ups.ts';
import { comparisonsIn } from '../text/comparisons.ts';
import { storedColumnAt } from '../text/stored-expressions.ts';
import type { Tokens } from '../text/tokens.ts';
import { typedComparisons } from '../typed-comparisons.ts';
import type { MergingSelect, Piece, Splitting } from './pieces.ts';

/** @param keys the sorting key of each piece. */
export async function rollUpsOfPieces(
  splitting: Splitting,
  keys: readonly (readonly string[])[],
): Promise<readonly RollUp[]> {
  const found = splitting.pieces.map(async (piece, table) => {
    const merging = splitting.merging.filter((select) => select.piece === table);
    const { states } = piece;
    if (states === undefined) return [];
    const own = merging.map((select) => selectOf(select, piece, splitting));
    const columns = [...states.grouped.values()].map((name) => ({ name, merge: null }));
    const ungrouped = [...states.grouped].map(([text, name]) => `${text} AS ${name}`);
    return findRollUps(splitting.query.parameters, {
      ...{ table, columns: [...columns, ...states.aggregates.values()] },
      ungrouped: `SELECT ${ungrouped.join(', ')} ${states.from}`,
      sortingKey: keys[table] ?? [],
      selects: await Promise.all(own),
    });
  });
  return (await Promise.all(found)).flat();
}

async function selectOf(
  { source, partial, nameOf }: MergingSelect,
  { columns }: Piece,
  { query }: Splitting,
): Promise<SelectOfTable> {
  const predicates = partial.conditions;
  const ofAggregates = partial.aggregates.flatMap(({ condition }) => condition ?? []);
  const uses = [...predicates.flat(), ...ofAggregates].flatMap(columnIn);
  const compared = predicates.flatMap(comparisonsIn).map(({ column }) => column);
  const isOnlyCompared = (at: number) => countOf(uses, at) === countOf(compared, at);
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? '';
  return {
    ...{ source, predicates, nameOf },
    comparisons: await typedComparisons(query, { predicates, typeOf: (at) => typeOf(nameOf(at)) }),
    otherwise: partial.grouped.flatMap((_tokens, at) =>
      at < partial.keys || !isOnlyCompared(at) ? [nameOf(at)] : [],
    ),
  };
}

const columnIn = (token: Tokens[number]) => storedColumnAt(token) ?? [];

const countOf = (columns: readonly number[], at: number) =>
  columns.filter((column) => column === at).length;
