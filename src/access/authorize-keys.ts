import { type Principal, requireScope } from './principal.ts';

/** Who may list keys: administrators, those of all users. Throws `permission_denied`. */
export function authorizeKeyList(principal: Principal): void {
  requireScope(principal, 'admin');
}

/** The id of the caller's own key. Throws `permission_denied` for one that reads nothing. */
export function authorizeCurrentKey(principal: Principal): string {
  requireScope(principal, 'endpoint:read');
  return principal.keyId;
}
