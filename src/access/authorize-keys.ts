import { type Principal, requireScope } from './principal.ts';

/** Only administrators may list keys, those of all users. Throws `permission_denied`. */
export function authorizeKeyList(principal: Principal): void {
  requireScope(principal, 'admin');
}

/** The id of the caller's own key. Throws `permission_denied` for a key without read rights. */
export function authorizeCurrentKey(principal: Principal): string {
  requireScope(principal, 'endpoint:read');
  return principal.keyId;
}
