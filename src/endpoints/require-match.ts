import { ServiceError } from '../errors/service-error.ts';
import { endpointRevision, type RevisedEndpoint } from '../model/endpoint-revision.ts';

/** Revisions that allow a write; `*` allows any. Null or absent for no condition. */
export type IfMatch = readonly string[] | null | undefined;

/** Throws `precondition_failed` when the endpoint has another revision. Source: RFC 9110, 13.1.1. */
export function requireMatch(ifMatch: IfMatch, endpoint: RevisedEndpoint): void {
  if (ifMatch === null || ifMatch === undefined || ifMatch.includes('*')) return;
  if (ifMatch.includes(endpointRevision(endpoint))) return;
  throw new ServiceError(
    'precondition_failed',
    'The endpoint has changed since it was read: If-Match does not match. Read it again, and repeat the change if it still applies.',
    { attr: 'If-Match' },
  );
}
