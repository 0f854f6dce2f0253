import type { ExecutionOrigin } from '../engine/execution-origin.ts';
import type { Selected } from './resolve-version.ts';
import { parsedQueryOf } from './version-query.ts';

/** The origin of requests to the engine on behalf of a version. */
export function originOf({ endpoint, version }: Selected): ExecutionOrigin {
  return {
    projectId: endpoint.projectId,
    text: parsedQueryOf(version).definition.query,
    version: { id: version.id, endpointName: endpoint.name, number: version.version },
  };
}
