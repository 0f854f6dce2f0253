import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import { type LimitInput, lowerTo, parseLimits } from '../model/query-limits.ts';
import { isScope, type Scope, scopes } from '../model/scope.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { IssuedKey } from '../store/key-store.ts';
import type { UserDraft } from '../store/user-store.ts';
import { currentActor } from './current-actor.ts';
import type { AccessDeps } from './deps.ts';
import { type Principal, requireScope } from './principal.ts';

export interface KeyRequest {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly projectIds: readonly number[];
  readonly expiresAt: Date | null;
  /** Limits of the key itself, below those of each of its projects. */
  readonly limits?: LimitInput;
  /** For the audit log; absent for the service itself. */
  readonly by?: Actor | undefined;
}

type KeyDeps = Pick<AccessDeps, 'keys' | 'projects' | 'clock' | 'serverLimits'>;

const maxLabel = 200;

/**
 * Creates a key for a user, given by id, or by an address and created together with the key if necessary. The secret is
 * only in this result. Checks no permission: the caller has an administrator's key, or command-line access to the
 * service's machine.
 */
export async function createKey(
  deps: KeyDeps,
  owner: number | UserDraft,
  request: KeyRequest,
): Promise<IssuedKey> {
  const label = requireStorableText(request.label.trim(), 'label');
  if (label === '' || label.length > maxLabel || /\p{Cc}/u.test(label)) {
    throw invalidInput('label', `A label must have 1 to ${maxLabel} characters on one line.`);
  }
  const held = parseScopes(request.scopes);
  requireExpiry(request.expiresAt, deps.clock.now());
  if (request.projectIds.length === 0 && !held.includes('admin')) {
    throw invalidInput('project_ids', 'A key needs at least one project.');
  }
  let ceiling = deps.serverLimits;
  for (const id of request.projectIds) {
    const project = await deps.projects.findProject(id);
    if (project === null) throw invalidInput('project_ids', `There is no project ${id}.`);
    ceiling = lowerTo(ceiling, project.limits);
  }
  const draft = {
    label,
    scopes: held,
    projectIds: request.projectIds,
    expiresAt: request.expiresAt,
    limits: parseLimits(request.limits ?? {}, ceiling),
    by: request.by,
  };
  return typeof owner === 'number'
    ? deps.keys.createKey({ ...draft, userId: owner })
    : deps.keys.createKeyFor(owner, draft);
}

/** For administrators: creates a key of the caller's own. */
export async function createOwnKey(
  deps: KeyDeps,
  principal: Principal,
  request: Omit<KeyRequest, 'by'>,
): Promise<IssuedKey> {
  requireScope(principal, 'admin');
  return createKey(deps, principal.userId, { ...request, by: currentActor(principal) });
}

/** The last instant with a four-digit year; the database does not return later ones unchanged. */
export const lastExpiry = new Date('9999-12-31T23:59:59.999Z');

function requireExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt === null) return;
  if (expiresAt > now && expiresAt <= lastExpiry) return;
  throw invalidInput(
    'expires_at',
    'The expiry must be in the future, and no later than the year 9999.',
  );
}

function parseScopes(given: readonly string[]): readonly Scope[] {
  const held = [...new Set(given)];
  if (held.length === 0)
    throw invalidInput('scopes', `A key needs at least one of the scopes ${scopes.join(', ')}.`);
  return held.map((scope) => {
    if (isScope(scope)) return scope;
    throw invalidInput('scopes', `"${scope}" is not a scope. The scopes are ${scopes.join(', ')}.`);
  });
}
