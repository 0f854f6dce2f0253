import { hashKey } from '../../domain/api-key.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { CoreDeps } from '../deps.ts';

const BEARER = /^Bearer +([A-Za-z0-9_-]{8,256})$/i;

/**
 * Who the `Authorization` header speaks for. Throws `not_authenticated` when there is none and
 * `authentication_failed` for one that no live key matches, without saying which of the reasons it was.
 * A revoked key is refused as soon as the change feed tells, at the latest when its look-up ages out.
 */
export async function authenticate(
  deps: CoreDeps,
  authorization: string | null,
): Promise<Principal> {
  if (authorization === null || authorization.trim() === '') {
    throw new ServiceError(
      'not_authenticated',
      'Authentication credentials were not provided. Send the header Authorization: Bearer <API key>.',
    );
  }
  const key = BEARER.exec(authorization.trim())?.[1];
  if (key === undefined) throw refused();
  const hash = hashKey(key);
  const record = await deps.lookups.keys.get(Buffer.from(hash).toString('base64'), () =>
    deps.keys.findKeyByHash(hash),
  );
  const now = deps.clock.now();
  if (record === null || record.revokedAt !== null) throw refused();
  if (record.expiresAt !== null && record.expiresAt <= now) throw refused();
  deps.recorder.touchKey(record.id, now);
  return {
    keyId: record.id,
    userId: record.userId,
    scopes: record.scopes,
    projectIds: record.projectIds,
  };
}

function refused(): ServiceError {
  return new ServiceError(
    'authentication_failed',
    'The API key in the Authorization header is not valid: it is wrong, expired or revoked. Send Bearer <API key>.',
  );
}
