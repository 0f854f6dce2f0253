/** A query without the names that stand for its own parts, in text and as the engine understands it. */

import type { QueryContext } from './plan-context.ts';
import { unionReason } from './pull-up-predicates.ts';
import { isRefusal, refuseClause } from './refusal.ts';
import { withCommonConditions } from './text/common-conditions.ts';
import { expandClauses } from './text/expand-clauses.ts';
import { inlineWithExpressions } from './text/inline-with.ts';
import { type Tokens, textOf } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';
import { canonicalizeQuery, isSameQuery } from './tree/plan-equivalence.ts';

export interface UnderstoodQuery {
  readonly tokens: Tokens;
  readonly original: Node;
}

/** Expands names from WITH and WINDOW, and ALL, if the engine understands the result as the same query. */
export async function withInlinedExpressions(
  written: Tokens,
  query: QueryContext,
): Promise<UnderstoodQuery> {
  const { analysis, parameters, names } = query;
  const tree = await analysis.tree(textOf(written), parameters.samples);
  const original = canonicalizeQuery(tree, names);
  if (original === null) refuseClause(unionReason);
  const plain = await rewritten(
    { tokens: written, original },
    inlineWithExpressions(written),
    query,
  );
  const expanded = await rewritten(plain, expandClauses(plain.tokens, names), query);
  return withCommonWritten(expanded, query);
}

/** Based on the rules of AND and OR, since the engine's analysis does not show that both texts are equivalent. */
async function withCommonWritten(
  understood: UnderstoodQuery,
  { analysis, parameters: { samples }, names }: QueryContext,
): Promise<UnderstoodQuery> {
  const text = withCommonConditions(understood.tokens);
  if (text === null) return understood;
  const formatted = await analysis.format(text);
  const original = canonicalizeQuery(await analysis.tree(formatted, samples), names);
  if (original === null) return understood;
  return { tokens: await analysis.tokens(formatted), original };
}

/** @param text null if there is nothing to rewrite. */
async function rewritten(
  understood: UnderstoodQuery,
  text: string | null,
  { analysis, parameters: { samples }, names }: QueryContext,
): Promise<UnderstoodQuery> {
  if (text === null) return understood;
  const { original } = understood;
  try {
    const formatted = await analysis.format(text);
    const other = canonicalizeQuery(await analysis.tree(formatted, samples), names);
    if (other !== null && isSameQuery(original, other)) {
      return { tokens: await analysis.tokens(formatted), original };
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return understood;
}
