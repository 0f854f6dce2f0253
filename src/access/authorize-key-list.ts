import { type Principal, requireScope } from './principal.ts';

/** Who may list keys: administrators, those of all users. Throws `permission_denied`. */
export function authorizeKeyList(principal: Principal): void {
  requireScope(principal, 'admin');
}
