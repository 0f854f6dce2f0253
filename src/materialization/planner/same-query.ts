/** The query in other words, which the engine has to understand as the same query. */
import { readQueryTree } from '../../sql/query-tree.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import { splitSetOperations } from './pieces/query-text.ts';
import type { QueryContext } from './plan-context.ts';
import { requireSameSyntax } from './text/check-formatting.ts';
import { inlineNamedVariables } from './text/inline-with.ts';
import { withOperators } from './text/operators.ts';
import { withoutRepeatedAliases } from './text/repeated-aliases.ts';
import { type Tokens, textOf } from './text/tokens.ts';
import { canonicalize } from './tree/canonicalize.ts';

/** The query in the engine's formatting. Throws Refusal if formatting changes the syntax tree. */
export async function formatQuery({ analysis, parameters }: QueryContext): Promise<Tokens> {
  const formatted = await analysis.format(parameters.text);
  const written = await analysis.ast(parameters.text, parameters.samples);
  const understood = await analysis.ast(formatted, parameters.samples);
  requireSameSyntax({ written, formatted: understood, text: parameters.text });
  return analysis.tokens(formatted);
}

/** Rewrites `and(equals(a, 1), …)` to `a = 1 AND …` if the engine understands both as the same query. */
export async function withOperatorsInPlace(
  formatted: Tokens,
  query: QueryContext,
): Promise<Tokens> {
  return inOtherWords(formatted, withOperators(formatted), query);
}

/** Leaves out aliases that GROUP BY and ORDER BY give again. */
export async function withAliasesGivenOnce(written: Tokens, query: QueryContext): Promise<Tokens> {
  if (splitSetOperations(written).length > 1) return written;
  return inOtherWords(written, withoutRepeatedAliases(written), query);
}

/** Puts variables that WITH names where they are used, so that columns are compared with variables. */
export async function withVariablesInPlace(written: Tokens, query: QueryContext): Promise<Tokens> {
  if (splitSetOperations(written).length > 1) return written;
  const other = await inOtherWords(written, inlineNamedVariables(written), query);
  const names = other === written ? [] : await Promise.all([written, other].map(columnNames));
  return names[0] === names[1] ? other : written;

  async function columnNames(tokens: Tokens): Promise<string> {
    const columns = await query.analysis.describe(textOf(tokens), query.parameters.samples);
    return JSON.stringify(columns.map(({ name }) => name));
  }
}

/** As written unless there is a text that the engine understands as the same query. */
async function inOtherWords(
  written: Tokens,
  text: string | null,
  query: QueryContext,
): Promise<Tokens> {
  return (text === null ? null : await sameQuery(written, text, query)) ?? written;
}

/** The text in the engine's formatting; null if the engine does not understand it as the written query. */
export async function sameQuery(
  written: Tokens,
  text: string,
  { analysis, parameters, names }: QueryContext,
): Promise<Tokens | null> {
  try {
    const trees = await Promise.all(
      [textOf(written), text].map((sql) => analysis.tree(sql, parameters.samples)),
    );
    const [original, other] = trees.map((lines) => readQueryTree(lines)?.[0]);
    if (original === undefined || other === undefined) return null;
    const isSame = canonicalize(original, names).key === canonicalize(other, names).key;
    return isSame ? await analysis.tokens(await analysis.format(text)) : null;
  } catch (error) {
    if (isTextError(error)) return null;
    throw error;
  }
}
