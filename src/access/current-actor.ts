import { currentRequestScope } from '../lib/request-scope.ts';
import type { Actor } from '../model/actor.ts';
import { actorOf, type Principal } from './principal.ts';

/** Who the audit log is to name for what the principal does in the request under way. */
export function currentActor(principal: Principal): Actor {
  return actorOf(principal, currentRequestScope().requestId);
}
