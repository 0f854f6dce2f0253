import { ServiceError } from '../errors/service-error.ts';
import { endpointRevision, type RevisedEndpoint } from '../model/endpoint-revision.ts';

/** The revisions of which the endpoint must have one for a write to happen; `*` is any. Null or absent: no condition. */
export type IfMatch = readonly string[] | null | undefined;

/** Throws `precondition_failed` when the endpoint has another revision. Source: RFC 9110, 13.1.1. */
export function requireMatch(ifMatch: IfMatch, endpoint: RevisedEndpoint): void {
  if (ifMatch === null || ifMatch === undefined || ifMatch.includes('*')) return;
  if (ifMatch.includes(endpointRevision(endpoint))) return;
  throw new ServiceError(
    'precondition_failed',
    'The endpoint is not the one that If-Match names: it has been changed since. Read it again, and repeat the change if it still applies.',
    { attr: 'If-Match' },
  );
}
