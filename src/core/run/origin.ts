import type { ExecutionOrigin } from '../../domain/execution-origin.ts';
import { parsedQueryOf } from './plan-run.ts';
import type { Selected } from './select-version.ts';

/** Of what is asked of the engine for a version. */
export function originOf({ endpoint, version }: Selected): ExecutionOrigin {
  return {
    projectId: endpoint.projectId,
    text: parsedQueryOf(version).definition.query,
    version: { id: version.id, endpointName: endpoint.name, number: version.version },
  };
}
