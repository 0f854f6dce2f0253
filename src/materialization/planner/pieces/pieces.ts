/** The parts of a query without variables that a plan stores, each in a table of its own, while the plan is made. */
import { nameOfTable, storedTable } from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { DescribedColumn, Token } from '../../../sql/sql-analysis.ts';
import type { QueryContext } from '../plan-context.ts';
import { type Tokens, textOf } from '../text/tokens.ts';

/**
 * What a read has of it. `rows`: the rows of a FROM. `groups`: the groups of a SELECT before HAVING. `result`: what a
 * subquery returns.
 */
export type PieceKind = 'rows' | 'groups' | 'result';

export interface Piece {
  readonly kind: PieceKind;
  readonly storedQuery: string;
  readonly columns: readonly DescribedColumn[];
}

/** A condition of the read on a piece's own rows. */
export interface ReadCondition {
  /** Of the piece. */
  readonly piece: number;
  /** By which the columns may be qualified. */
  readonly alias: string;
  readonly condition: Tokens;
}

/** How much is done before it is stored; less is easier to show to be exact. */
export interface PieceOptions {
  readonly groups: boolean;
  readonly joins: boolean;
}

/** One attempt to split a query into pieces and a read. */
export interface Splitting {
  readonly query: QueryContext;
  readonly options: PieceOptions;
  /** Names from WITH, which are no tables. */
  readonly ctes: ReadonlySet<string>;
  /** Names that the query gives to expressions. */
  readonly aliases: ReadonlySet<string>;
  /** Of the columns in pieces of rows; null: all of them may be used. */
  readonly usedNames: ReadonlySet<string> | null;
  /** Floating point columns that pieces of rows must not hold -0 in, by name: the function for which their builds fail where they would. */
  readonly guarded: ReadonlyMap<string, string>;
  /** The columns of a SELECT, each described once. */
  readonly describe: (sql: string) => Promise<readonly DescribedColumn[]>;
  readonly pieces: Piece[];
  readonly conditions: ReadCondition[];
}

/** The name under which the read finds it. */
export function tableOf(piece: number): string {
  return nameOfTable(storedTable, piece);
}

/** The alias of a piece that is a result, of which all columns are read. */
export const ofResult = '__querydock_result';

/** The number of the piece; one of the same query is used again. */
export function addPiece({ pieces }: Splitting, piece: Piece): number {
  const found = pieces.findIndex(
    ({ storedQuery, kind }) => storedQuery === piece.storedQuery && kind === piece.kind,
  );
  return found < 0 ? pieces.push(piece) - 1 : found;
}

export function bareWord(text: string): Token {
  return { kind: 'BareWord', text, spaced: true };
}

/** A name in quotes. */
export function quotedName(name: string): Token {
  return { kind: 'QuotedIdentifier', text: quoteName(name), spaced: true };
}

/** Text that has been written already, as a token. */
export function written(text: string, spaced = true): Token {
  return { kind: 'Written', text, spaced };
}

export function joinedByAnd(conditions: readonly Tokens[]): string {
  return conditions.map((condition) => `(${textOf(condition)})`).join(' AND ');
}
