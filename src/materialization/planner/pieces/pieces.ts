/** Pieces: the parts of a query without variables, each stored in its own table. The types here exist during planning. */
import {
  type MergedColumn,
  nameOfTable,
  storedTable,
} from '../../../model/materialization-plan.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import type { DescribedColumn, Token } from '../../../sql/sql-analysis.ts';
import type { QueryContext } from '../plan-context.ts';
import type { StoredAggregate } from '../text/aggregates.ts';
import { type Tokens, textOf } from '../text/tokens.ts';

/**
 * `rows`: the rows of a FROM. `groups`: the groups of a SELECT before HAVING. `states`: partial results of its aggregates,
 * which the read merges. `result`: the result of a subquery.
 */
export type PieceKind = 'rows' | 'groups' | 'states' | 'result';

export interface Piece {
  readonly kind: PieceKind;
  readonly storedQuery: string;
  readonly columns: readonly DescribedColumn[];
  /** What its columns hold as the author wrote it, where they have names of their own. */
  readonly expressions?: ReadonlyMap<string, string>;
  /** FROM and WHERE of a piece of rows. */
  readonly from?: string;
  /** Set for a piece of partial results. */
  readonly states?: States;
}

/** Partial results of aggregates for each group of rows. */
export interface States {
  /** FROM and WHERE. */
  readonly from: string;
  /** Names of columns by their expressions. */
  readonly grouped: ReadonlyMap<string, string>;
  /** By what is stored. */
  readonly aggregates: ReadonlyMap<string, MergedColumn>;
}

/** A SELECT of the read that merges partial results. */
export interface MergingSelect {
  /** The piece's index. */
  readonly piece: number;
  /** The piece's table in FROM, as no other SELECT writes it. */
  readonly source: string;
  readonly partial: PartialResults;
  /** The name of a column by its number in the conditions. */
  readonly nameOf: (at: number) => string;
}

/** What a grouping SELECT of which variables select rows needs to merge. */
export interface PartialResults {
  /** The keys, then what else conditions compare. Conditions have their numbers as stored columns. */
  readonly grouped: readonly Tokens[];
  /** How many of them are keys. */
  readonly keys: number;
  /** Of WHERE. */
  readonly conditions: readonly Tokens[];
  readonly aggregates: readonly {
    readonly stored: StoredAggregate;
    /** With variables; null if all rows count. */
    readonly condition: Tokens | null;
  }[];
}

/** A predicate of the read on a piece's rows. */
export interface ReadCondition {
  /** The piece's index. */
  readonly piece: number;
  /** Qualifier the predicate may use for the piece's columns. */
  readonly alias: string;
  readonly condition: Tokens;
}

/** How much is computed before storing. Storing earlier is easier to prove exact. */
export interface PieceOptions {
  readonly states: boolean;
  readonly groups: boolean;
  readonly joins: boolean;
}

/** The columns a read uses from pieces of rows. */
export interface UsedColumns {
  /** Every name in the read, and those that are joined by dots. */
  readonly names: ReadonlySet<string>;
  /** Names that may stand for every column of a Nested. */
  readonly parents: ReadonlySet<string>;
  /** `from` of the pieces whose columns are all used. */
  readonly whole: ReadonlySet<string>;
}

/** One attempt to split a query into pieces and a read. */
export interface Splitting {
  readonly query: QueryContext;
  readonly options: PieceOptions;
  /** Names of CTEs, which are not tables. */
  readonly ctes: ReadonlySet<string>;
  /** Aliases the query gives to expressions. */
  readonly aliases: ReadonlySet<string>;
  /** Aliases WITH gives to scalar subqueries. */
  readonly scalars: ReadonlySet<string>;
  /** WITH of the query, before a subquery that may use its names; empty if there is none. */
  readonly with: string;
  /** The columns the read uses from pieces of rows; null until the read is known. */
  readonly used: UsedColumns | null;
  /**
   * Float columns that must not hold -0 in pieces of rows, with the function named in the error when a build finds
   * one.
   */
  readonly guarded: ReadonlyMap<string, string>;
  /** The result columns of a SELECT. */
  readonly describe: (sql: string) => Promise<readonly DescribedColumn[]>;
  readonly pieces: Piece[];
  readonly conditions: ReadCondition[];
  readonly merging: MergingSelect[];
}

/** Of the aggregates. */
export function conditionsOf({ aggregates }: PartialResults): readonly Tokens[] {
  return aggregates.flatMap(({ condition }) => (condition === null ? [] : [condition]));
}

/** The placeholder for the piece's table in the read. */
export function tableOf(piece: number): string {
  return nameOfTable(storedTable, piece);
}

/** Alias of a `result` piece; all of its columns are read. */
export const ofResult = '__querydock_result';

/** Returns the piece's index; reuses an existing piece with the same query and kind. */
export function addPiece({ pieces }: Splitting, piece: Piece): number {
  const found = pieces.findIndex(
    ({ storedQuery, kind }) => storedQuery === piece.storedQuery && kind === piece.kind,
  );
  return found < 0 ? pieces.push(piece) - 1 : found;
}

export function bareWord(text: string): Token {
  return { kind: 'BareWord', text, spaced: true };
}

/** A quoted identifier. */
export function quotedName(name: string): Token {
  return { kind: 'QuotedIdentifier', text: quoteName(name), spaced: true };
}

/** Wraps SQL text as a token. */
export function written(text: string, spaced = true): Token {
  return { kind: 'Written', text, spaced };
}

export function joinedByAnd(conditions: readonly Tokens[]): string {
  return conditions.map((condition) => `(${textOf(condition)})`).join(' AND ');
}
