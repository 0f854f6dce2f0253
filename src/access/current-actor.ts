import { currentRequestScope } from '../lib/request-scope.ts';
import type { Actor } from '../model/actor.ts';
import { actorOf, type Principal } from './principal.ts';

/** The actor that the audit log names for writes of the current request. */
export function currentActor(principal: Principal): Actor {
  return actorOf(principal, currentRequestScope().requestId);
}
