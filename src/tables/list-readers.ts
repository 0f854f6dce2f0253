/** Which saved versions read a table, by the engine's analysis of each. */
import { withOrigin } from '../engine/execution-origin.ts';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { compileSample } from '../query/compile-sample.ts';
import { parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { NamingVersion } from '../store/versions-naming.ts';
import type { TableDeps } from './deps.ts';
import type { ProjectTable } from './read-tables.ts';

export interface ReaderDeps extends Pick<TableDeps, 'engine'> {
  readonly endpoints: Pick<EndpointStore, 'versionsNaming'>;
}

/** A saved version that reads a table. */
export interface TableReader {
  readonly name: string;
  readonly version: number;
  readonly isCurrent: boolean;
  /** Columns of the table; empty when it only counts rows. */
  readonly columns: readonly string[];
}

export interface ReaderPage {
  readonly readers: readonly TableReader[];
  /** Where the next page begins; null for the last page. A page may have no readers and not be the last. */
  readonly nextOffset: number | null;
}

const examinedAtOnce = 50;

/**
 * Sorted by name and number: current versions and those that can run. The page size counts versions whose text contains
 * the table's name, because each is analyzed; a version that the engine currently refuses reads nothing. Versions that
 * read the table only through a view are not found.
 */
export async function listReaders(
  { engine, endpoints }: ReaderDeps,
  { projectId, name, database }: Pick<ProjectTable, 'projectId' | 'name' | 'database'>,
  offset: number,
): Promise<ReaderPage> {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw invalidInput('offset', 'offset must be an integer, 0 or more.');
  const bare = database === undefined ? name : name.slice(database.length + 1);
  const page = { offset, limit: examinedAtOnce + 1 };
  const naming = await endpoints.versionsNaming(projectId, bare, page);
  const readers: TableReader[] = [];
  for (const version of naming.slice(0, examinedAtOnce)) {
    const columns = await columnsRead(engine, { projectId, name }, version);
    const { endpointName, version: number, isCurrent } = version;
    if (columns !== null) readers.push({ name: endpointName, version: number, isCurrent, columns });
  }
  const hasMore = naming.length > examinedAtOnce;
  return { readers, nextOffset: hasMore ? offset + examinedAtOnce : null };
}

/** Null when the version does not read the table. */
async function columnsRead(
  engine: ReaderDeps['engine'],
  table: Pick<ProjectTable, 'projectId' | 'name'>,
  { id, endpointName, version, query }: NamingVersion,
): Promise<readonly string[] | null> {
  const { projectId } = table;
  const parsed = parseQuery(query as unknown as QueryDefinition);
  const origin = {
    projectId,
    text: parsed.definition.query,
    version: { id, endpointName, number: version },
  };
  try {
    const tables = await withOrigin(origin, () =>
      engine.tablesRead({ projectId, ...compileSample(parsed) }),
    );
    return tables.find(({ name }) => name === table.name)?.columns ?? null;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 400) return null;
    throw error;
  }
}
