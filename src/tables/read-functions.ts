/** The functions that a project's queries can call, as the engine documents them. */
import { getProject } from '../access/get-project.ts';
import type { Principal } from '../access/principal.ts';
import type { DocumentedFunction } from '../sql/sql-analysis.ts';
import type { TableDeps } from './deps.ts';
import { type PageCall, parsePage } from './parse-page.ts';

export interface FunctionPage {
  /** The total over all pages. */
  readonly total: number;
  readonly functions: readonly DocumentedFunction[];
}

/** Sorted by name. The search is in names. */
export async function listFunctions(
  deps: TableDeps,
  principal: Principal,
  call: PageCall & { readonly projectId: string },
): Promise<FunctionPage> {
  const { search, first, offset } = parsePage(call);
  const { id } = await getProject(deps, principal, call.projectId);
  const all = await deps.engine.functions(id);
  const found = all.filter(({ name }) => name.toLowerCase().includes(search));
  return { total: found.length, functions: found.slice(offset, offset + first) };
}
