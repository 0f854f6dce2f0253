/** How each sync checks that a join that takes one matching row finds no other. */
import type { SourceCheck } from '../../model/materialization-plan.ts';
import { attributeOf, type TreeNode, tableNameOf } from '../../sql/query-tree.ts';
import { quoteName, quoteTable } from '../../sql/quote-name.ts';
import { writtenSelects } from '../../sql/written-selects.ts';
import { withoutConditions } from './layout/unfiltered-sources.ts';
import type { QueryContext } from './plan-context.ts';
import { readTree } from './read-tree.ts';
import { isRefusal } from './refusal.ts';
import { hasVariable } from './text/parameters.ts';
import { type Tokens, textOf } from './text/tokens.ts';
import type { Node } from './tree/canonical-node.ts';
import { canonicalize } from './tree/canonicalize.ts';
import { refuseJoin, severalMatches } from './tree/join-strictness.ts';
import { haveRowsOf } from './tree/more-rows.ts';
import { usesTime } from './tree/repeatability.ts';
import type { SearchedSide } from './tree/unique-matches.ts';

type Analyzed = Pick<QueryContext, 'analysis' | 'names' | 'parameters'>;

/** Throws Refusal for a side that cannot be read alone. */
export async function uniqueMatchChecks(
  sides: readonly SearchedSide[],
  text: Tokens,
  query: Analyzed,
): Promise<readonly SourceCheck[]> {
  const checks: SourceCheck[] = [];
  for (const searched of sides) {
    const { side, join, compared } = searched;
    const from = side.kind === 'TABLE' ? tableOf(side) : await subqueryOf(side, text, query);
    if (from === null) return refuseJoin(join);
    const columns = compared.map(({ name }) => quoteName(name));
    // NULL is equal to nothing.
    const isSet = columns.map((column) => `isNotNull(${column})`).join(' AND ');
    const countFaults = `SELECT count() FROM (SELECT count() FROM ${from} WHERE ${isSet} GROUP BY ${columns.join(', ')} HAVING count() > 1)`;
    await query.analysis.describe(countFaults, {});
    checks.push({ countFaults, reason: severalMatches(searched) });
  }
  return checks;
}

/** Null for a sample of a table. */
function tableOf(table: TreeNode): string | null {
  if (/(?:^|, )(?:sample_size|sample_offset|table_expression_modifiers): /.test(table.attributes)) {
    return null;
  }
  const isFinal = attributeOf(table, 'final') === '1';
  return `${quoteTable(tableNameOf(table))}${isFinal ? ' FINAL' : ''}`;
}

/**
 * The SELECT in the text that means the same alone and whenever it is read, without conditions on variables; null if
 * none does.
 */
async function subqueryOf(side: TreeNode, text: Tokens, query: Analyzed): Promise<string | null> {
  const { analysis, names } = query;
  // It would have other rows later.
  if (usesTime(side)) return null;
  const node = canonicalize(side, names);
  for (const { statement } of writtenSelects(textOf(text))) {
    const [root] = await readTree(analysis, statement, query.parameters.samples);
    if (root === undefined || canonicalize(root, names).key !== node.key) continue;
    if (!hasVariable(await analysis.tokens(statement))) return `(${statement})`;
    return unfilteredOf(statement, node, query);
  }
  return null;
}

/** Several matches among more rows are several at most among fewer. Null if it does not have at least the rows. */
async function unfilteredOf(
  statement: string,
  side: Node,
  query: Analyzed,
): Promise<string | null> {
  try {
    const text = await withoutConditions(statement, query);
    if (hasVariable(await query.analysis.tokens(text))) return null;
    const [root] = await readTree(query.analysis, text, {});
    const isWhole = root !== undefined && haveRowsOf([canonicalize(root, query.names)], [side]);
    return isWhole ? `(${text})` : null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}
