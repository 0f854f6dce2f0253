import { currentRequestScope } from '../lib/request-scope.ts';
import { type Actor, serviceActor } from '../model/actor.ts';
import type { Principal } from './principal.ts';

/** The actor that the audit log names for writes of the current request. */
export function currentActor(principal: Principal): Actor {
  const { via, keyId, userId } = principal;
  if (via === undefined) return serviceActor;
  return { via, keyId, userId, requestId: currentRequestScope()?.requestId ?? null };
}
