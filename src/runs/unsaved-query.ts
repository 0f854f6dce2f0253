/** An unsaved query, in the form in which the run pipeline takes a saved one. */
import type { Selected } from '../endpoints/resolve-version.ts';
import { unstoredEndpoint } from '../endpoints/unstored-endpoint.ts';
import type { QueryDefinition } from '../query/query-definition.ts';
import type { EndpointRecord } from '../store/endpoint-record.ts';
import type { ProjectRecord } from '../store/project-store.ts';

/** No endpoint has this name; executions of unsaved queries are recorded under it. */
export const unsavedName = '';
const unsavedId = 'unsaved';

export function isUnsaved({ name }: Pick<EndpointRecord, 'name'>): boolean {
  return name === unsavedName;
}

/** Its results are never cached, because an author trying out a query expects current rows. */
export function unsavedQuery(project: ProjectRecord, query: QueryDefinition, now: Date): Selected {
  return unstoredEndpoint({
    id: unsavedId,
    name: unsavedName,
    project,
    query,
    cacheAgeSeconds: 0,
    createdAt: now,
  });
}
