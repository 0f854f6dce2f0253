/** Whether the functions of a query give the same value each time, or are where a stored table allows others. */
import {
  attributeOf,
  columnOf,
  nodesIn,
  readQueryTree,
  type TreeNode,
} from '../../sql/query-tree.ts';
import type { CatalogFunction, SampleParams, SqlAnalysis } from '../../sql/sql-analysis.ts';
import { bareTimes, functionOf, requireDeterministic } from './text/determinism.ts';
import { isKeyword, type Tokens, textOf } from './text/tokens.ts';

interface OfQuery {
  readonly analysis: SqlAnalysis;
  readonly catalog: readonly CatalogFunction[];
  readonly samples: SampleParams;
}

/**
 * Throws Refusal for the first function of which no value can be stored.
 *
 * @param formatted the query in the engine's formatting.
 */
export async function requireFixedFunctions(formatted: Tokens, query: OfQuery): Promise<void> {
  const { catalog } = query;
  if (bareTimes(formatted).length === 0) return requireDeterministic(formatted, catalog, new Set());
  const nodes = await nodesOf(formatted, query);
  requireDeterministic(formatted, catalog, functionsIn(nodes));
}

/** The names without parentheses that are functions of the current time wherever they stand, in lower case. */
export async function bareTimeFunctions(
  formatted: Tokens,
  query: OfQuery,
): Promise<ReadonlySet<string>> {
  const bare = bareTimes(formatted).filter((name) => !isGiven(name, formatted));
  if (bare.length === 0) return new Set();
  const nodes = await nodesOf(formatted, query);
  const called = functionsIn(nodes);
  const columns = new Set(nodes.flatMap((node) => columnOf(node)?.name.toLowerCase() ?? []));
  return new Set(
    bare.filter((name) => called.has(functionOf(name, query.catalog)) && !columns.has(name)),
  );
}

/** Whether the query itself gives the name to a table, a CTE or an expression. */
function isGiven(name: string, tokens: Tokens): boolean {
  return tokens.some((token, at) => {
    if (token.text.toLowerCase() !== name) return false;
    const [before, next, second] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
    const isCte = isKeyword(next, 'AS') && second?.text === '(';
    return isCte || next?.text === '.' || isKeyword(before, 'AS', 'FROM', 'JOIN', 'IN');
  });
}

async function nodesOf(formatted: Tokens, { analysis, samples }: OfQuery) {
  const [root] = readQueryTree(await analysis.tree(textOf(formatted), samples)) ?? [];
  return root === undefined ? [] : nodesIn(root);
}

/** In lower case. */
function functionsIn(nodes: readonly TreeNode[]): ReadonlySet<string> {
  return new Set(nodes.map((node) => attributeOf(node, 'function_name').toLowerCase()));
}
