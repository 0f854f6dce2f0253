/** The catalogue: what a project's queries can read, as its engine reader sees it. */
import { getProject } from '../access/get-project.ts';
import type { Principal } from '../access/principal.ts';
import type { EngineTable } from '../engine/engine-table.ts';
import { ServiceError } from '../errors/service-error.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { TableDeps } from './deps.ts';
import { type PageCall, parsePage } from './parse-page.ts';

export interface ProjectTable extends EngineTable {
  readonly projectId: number;
}

export interface TablePage {
  /** The total over all pages. */
  readonly total: number;
  readonly tables: readonly ProjectTable[];
}

/** Sorted by name. The search is in names and comments. */
export async function listTables(
  deps: TableDeps,
  principal: Principal,
  call: PageCall & { readonly projectId: string },
): Promise<TablePage> {
  const { search, first, offset } = parsePage(call);
  const { id } = await getProject(deps, principal, call.projectId);
  const all = await tablesOf(deps, id);
  const found = all.filter(({ name, comment }) =>
    [name, comment].some((text) => text.toLowerCase().includes(search)),
  );
  return { total: found.length, tables: found.slice(offset, offset + first) };
}

/** Throws `not_found`, with the nearest name, even for a table that the project's reader may not select. */
export async function getTable(
  deps: TableDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly name: string },
): Promise<ProjectTable> {
  const { id } = await getProject(deps, principal, call.projectId);
  const all = await tablesOf(deps, id);
  const found = all.find(({ name }) => name === call.name);
  if (found !== undefined) return found;
  throw tableNotFound(call.name, all);
}

export async function tablesOf(
  deps: TableDeps,
  projectId: number,
): Promise<readonly ProjectTable[]> {
  const tables = await deps.engine.readableTables(projectId);
  return tables.map((table) => ({ ...table, projectId }));
}

const maxShown = 100;

function tableNotFound(name: string, tables: readonly ProjectTable[]): ServiceError {
  const names = tables.map((table) => table.name);
  const shown = name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
  const near = nearestName(name, names);
  const hint = near === null ? '' : ` Did you mean "${near}"?`;
  return new ServiceError('not_found', `There is no table "${shown}" in this project.${hint}`, {
    attr: 'name',
  });
}
