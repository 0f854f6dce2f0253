/** What the planner asks of the engine, which is the only parser: the caller implements it. */

/** A piece of a text as the engine's lexer cuts it; white space and comments are no tokens. */
export interface Token {
  /** The lexer's own word for it: `BareWord`, `StringLiteral`, `OpeningRoundBracket` … */
  readonly kind: string;
  readonly text: string;
  /** Whether white space or a comment stands before it. */
  readonly spaced: boolean;
}

/** A function as the engine's catalogue has it. */
export interface CatalogFunction {
  readonly name: string;
  readonly isAggregate: boolean;
  readonly isCaseInsensitive: boolean;
  /** The function that this is another name of; empty when it is none. */
  readonly aliasTo: string;
  /** Null when the engine does not say. */
  readonly isDeterministic: boolean | null;
}

export interface DescribedColumn {
  readonly name: string;
  readonly type: string;
}

/** Values of `{name:Type}` parameters in the engine's text form. */
export type SampleParams = Readonly<Record<string, string>>;

/**
 * Questions about texts of one project; nothing is executed beyond what the analysis of a text needs.
 * Every method rejects with a ServiceError: `invalid_query` or `query_failed` for a text that the engine does
 * not take, another code when it cannot answer at the moment.
 */
export interface SqlAnalysis {
  /** The text without what a reader of the project cannot read, written in another way that means the same. */
  plain(sql: string): Promise<string>;
  /** The text in the engine's own spelling: one line, no comments, operators in brackets. */
  format(sql: string): Promise<string>;
  tokens(sql: string): Promise<readonly Token[]>;
  /** The lines of `EXPLAIN AST`: one node each, a blank per level in front. */
  ast(sql: string, params: SampleParams): Promise<readonly string[]>;
  /**
   * The lines of `EXPLAIN QUERY TREE` once names are resolved and nothing is rewritten yet. The engine evaluates
   * constants and scalar subqueries for it.
   */
  tree(sql: string, params: SampleParams): Promise<readonly string[]>;
  /** The columns of a SELECT's result. */
  describe(sql: string, params: SampleParams): Promise<readonly DescribedColumn[]>;
  /** Every function the engine has. */
  functions(): Promise<readonly CatalogFunction[]>;
}
