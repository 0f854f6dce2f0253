/** The interface through which the planner analyzes SQL: the engine is the only parser. */
import { ServiceError } from '../errors/service-error.ts';

/** A token of the engine's lexer; excludes white space and comments. */
export interface Token {
  /** The lexer's name: `BareWord`, `StringLiteral`, `OpeningRoundBracket` … */
  readonly kind: string;
  readonly text: string;
  /** Whether white space or a comment precedes it. */
  readonly spaced: boolean;
}

/** A function in the engine's catalogue. */
export interface CatalogFunction {
  readonly name: string;
  readonly isAggregate: boolean;
  readonly isCaseInsensitive: boolean;
  /** The function that this is an alias of; empty otherwise. */
  readonly aliasTo: string;
  /** Null when the catalogue does not state it. */
  readonly isDeterministic: boolean | null;
}

/** A function in the catalogue, with its documentation. */
export interface DocumentedFunction {
  readonly name: string;
  readonly isAggregate: boolean;
  /** The function that this is an alias of; null if it is none. */
  readonly aliasOf: string | null;
  /** How it is called, on one line; empty if the engine does not tell. */
  readonly syntax: string;
  /** What it does, as plain text; empty if the engine does not tell. */
  readonly description: string;
}

export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** Values of `{name:Type}` parameters as the engine's text. */
export type SampleParams = Readonly<Record<string, string>>;

/**
 * Analysis of one project's SQL texts; nothing is executed beyond what it needs. Every method rejects with a
 * ServiceError: `invalid_query` or `query_failed` for a text that the engine rejects, another code when the engine is
 * unavailable.
 */
export interface SqlAnalysis {
  /** An equivalent text without spellings that the project's reader lacks grants for. */
  plain(sql: string): Promise<string>;
  /** The text in the engine's formatting: one line, no comments, operators in parentheses. */
  format(sql: string): Promise<string>;
  tokens(sql: string): Promise<readonly Token[]>;
  /** The lines of `EXPLAIN AST`: one node each, indented by its depth. */
  ast(sql: string, params: SampleParams): Promise<readonly string[]>;
  /**
   * The lines of `EXPLAIN QUERY TREE` after names are resolved and before anything is rewritten. The engine evaluates
   * constants and scalar subqueries for it.
   */
  tree(sql: string, params: SampleParams): Promise<readonly string[]>;
  /** The columns of a SELECT's result. */
  describe(sql: string, params: SampleParams): Promise<readonly DescribedColumn[]>;
  /** Every function the engine has. */
  functions(): Promise<readonly CatalogFunction[]>;
  /** The SELECTs of the project's views, by `database.view`. */
  views(): Promise<ReadonlyMap<string, string>>;
  /** The project's indexes for vector search, by `database.table`: the name of the first. */
  vectorIndexes(): Promise<ReadonlyMap<string, string>>;
}

/** Whether the text or a value in it is rejected, as opposed to the engine being unavailable. */
export function isTextError(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && /^(invalid_query|query_failed|invalid_input)$/.test(error.code)
  );
}
