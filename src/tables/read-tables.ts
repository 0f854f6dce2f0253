/** The catalogue: what queries of a project can read, as its reader at the engine sees it. */
import { getProject } from '../access/get-project.ts';
import type { Principal } from '../access/principal.ts';
import type { EngineTable } from '../engine/engine-table.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { nearestName } from '../lib/nearest-name.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { TableDeps } from './deps.ts';

/** A table of a project. */
export interface ProjectTable extends EngineTable {
  readonly projectId: number;
}

/** One page of a list. */
export interface TablePage {
  /** How many there are in all. */
  readonly total: number;
  readonly tables: readonly ProjectTable[];
}

const defaultSize = 100;
const maxSize = 1000;

/** In the order of their names. */
export async function listTables(
  deps: TableDeps,
  principal: Principal,
  call: {
    readonly projectId: string;
    /** A part of the name or the comment, whatever its case. */
    readonly search?: string | null | undefined;
    readonly first?: number | null | undefined;
    readonly offset?: number | null | undefined;
  },
): Promise<TablePage> {
  const { first, offset } = parsePage(call);
  const search = requireStorableText(call.search ?? '', 'search').toLowerCase();
  const { id } = await getProject(deps, principal, call.projectId);
  const all = await tablesOf(deps, id);
  const found = all.filter(({ name, comment }) =>
    [name, comment].some((text) => text.toLowerCase().includes(search)),
  );
  return { total: found.length, tables: found.slice(offset, offset + first) };
}

/** Throws `not_found`, with the nearest name, also for a table that the project's reader may not select. */
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

function parsePage(call: {
  readonly first?: number | null | undefined;
  readonly offset?: number | null | undefined;
}): { readonly first: number; readonly offset: number } {
  const { first, offset } = { first: call.first ?? defaultSize, offset: call.offset ?? 0 };
  if (!Number.isSafeInteger(first) || first < 1 || first > maxSize)
    throw invalidInput('first', `A page has from 1 to ${maxSize} rows.`);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw invalidInput('offset', 'An offset is a whole number from 0.');
  return { first, offset };
}
