import { invalidInput, ServiceError } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { currentActor } from './current-actor.ts';
import type { AccessDeps } from './deps.ts';
import { type Principal, requireScope } from './principal.ts';

/**
 * For administrators: revokes a key, at once in this process and within seconds in the others. False when it was
 * already revoked.
 */
export async function revokeKey(
  deps: AccessDeps,
  principal: Principal,
  id: string,
): Promise<boolean> {
  requireScope(principal, 'admin');
  if (!isUuid(id)) throw invalidInput('id', 'The id of a key must be a UUID.');
  const revoked = await deps.keys.revokeKey(id, currentActor(principal));
  if (revoked === null) {
    throw new ServiceError('not_found', 'There is no key with this id.', { attr: 'id' });
  }
  deps.lookups.keys.clear();
  return revoked;
}
