/** Whether the views that a query reads give the same rows every time, as the query itself has to. */
import type { SourceCheck } from '../../model/materialization-plan.ts';
import { columnOf, nodesIn, type TreeNode, tableNameOf } from '../../sql/query-tree.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { checkSelects } from './layout/checked-selects.ts';
import type { QueryContext } from './plan-context.ts';
import { readTree } from './read-tree.ts';
import { Refusal, refuse } from './refusal.ts';
import { uniqueMatchChecks } from './searched-sides.ts';
import { canonicalize } from './tree/canonicalize.ts';
import { requireEveryMatch } from './tree/join-strictness.ts';
import { requireUnorderedStates } from './tree/read-states.ts';
import { requireRepeatable, usesTime } from './tree/repeatability.ts';
import { requireShares } from './tree/samples.ts';
import { withoutUnusedExpressions } from './tree/unused-columns.ts';
import { parametersOfView } from './view-parameters.ts';

type Analyzed = Pick<QueryContext, 'analysis' | 'catalog' | 'names'>;

/**
 * What each sync checks for the columns that are used of views, also of views behind these. Throws Refusal for a view
 * whose rows depend on the time, on chance, or on the order of other rows. A view that the project cannot read by itself
 * is taken as it is.
 *
 * @param root of the query's tree, with names resolved; a view is a table in it.
 */
export async function viewChecks(root: TreeNode, query: Analyzed): Promise<readonly SourceCheck[]> {
  const tree = nodesIn(withoutUnusedExpressions(root));
  const tables = tree.filter(({ kind }) => kind === 'TABLE');
  const views = tables.length === 0 ? new Map<string, string>() : await query.analysis.views();
  const checks: SourceCheck[] = [];
  for (const table of tables) {
    const name = tableNameOf(table);
    const select = views.get(name);
    if (select === undefined) continue;
    // A view behind it means nothing to the author of the query.
    const ofView = (reason: string) =>
      `In the view ${name.replace(/^.*?\./s, '')}: ${reason.replace(/^In the view \S+: /, '')}`;
    try {
      const text = readColumns(select, usedColumns(tree, table), table);
      const found = await checksOfView(text, query);
      checks.push(...found.map((check) => ({ ...check, reason: ofView(check.reason) })));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new Refusal(ofView(error.message));
    }
  }
  return checks;
}

function usedColumns(tree: readonly TreeNode[], { id }: TreeNode): readonly string[] {
  const used = tree.flatMap((node) => columnOf(node) ?? []).filter(({ source }) => source === id);
  return [...new Set(used.map(({ name }) => name))];
}

/** The whole view for `IN view`, which names no columns. */
function readColumns(select: string, columns: readonly string[], { parent }: TreeNode): string {
  const isInFrom = /JOIN TREE|TABLE EXPRESSION/.test(parent?.kind ?? '');
  const none = isInFrom ? '1' : '*';
  return `SELECT ${columns.length === 0 ? none : columns.map(quoteName).join(', ')} FROM (${select})`;
}

async function checksOfView(written: string, query: Analyzed): Promise<readonly SourceCheck[]> {
  const { analysis, names } = query;
  const parameters = parametersOfView(written);
  const { text, samples } = parameters;
  const [root] = await readTree(analysis, text, samples);
  if (root === undefined) return [];
  const used = withoutUnusedExpressions(root);
  if (usesTime(used)) {
    refuse('its rows depend on the current time; write its SELECT into the query.');
  }
  const original = canonicalize(used, names);
  const formatted = await analysis.tokens(await analysis.format(text));
  requireShares(nodesIn(used));
  const searched = requireEveryMatch(nodesIn(used), names);
  const ofJoins = await uniqueMatchChecks(searched, formatted, { analysis, names, parameters });
  const inner = await checkSelects(original, formatted, { analysis, names, parameters });
  requireUnorderedStates(original, names);
  requireRepeatable(original, query, { keepsOrder: true, checked: inner.queries });
  const checks = [...ofJoins, ...inner.checks, ...(await viewChecks(used, query))];
  if (checks.length > 0 && parameters.names.length > 0)
    refuse(
      'each sync would have to check its rows, but it has parameters; write its SELECT into the query.',
    );
  return checks;
}
