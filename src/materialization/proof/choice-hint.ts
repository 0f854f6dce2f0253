/** What an author can write where a choice of argMin or argMax may have made two results differ. */
import { type ParsedQuery, parseQuery } from '../../query/query-definition.ts';
import type { MaterializationDeps } from '../deps.ts';
import { openChoices } from '../ties/open-choices.ts';

/** A sentence after a space, or nothing. It suggests only what can be materialized, which leaves out keys with NULL. */
export async function hintAtChoice(
  { eligibility }: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<string> {
  const sql = query.definition.query;
  const [choice] = openChoices(sql);
  if (choice === undefined) return '';
  const { name, chosen, compared, start, end } = choice;
  const any = ` ${name} may take any of several rows with the same ${compared}`;
  const both = `(${compared}, ${chosen})`;
  const text = `${sql.slice(0, start)}${both}${sql.slice(end)}`;
  const other = parseQuery({ ...query.definition, query: text });
  const { kind } = await eligibility.plan(projectId, other);
  if (kind === 'refusal') return `${any}; add to it what decides.`;
  return `${any}; write ${both} in place of ${compared}.`;
}
