import { ServiceError } from '../errors/service-error.ts';
import type { LimitOverrides } from '../model/query-limits.ts';
import { implies, type Scope } from '../model/scope.ts';

/** The identity on whose behalf a request acts: the key's owner, within the key's scopes and projects. */
export interface Principal {
  readonly keyId: string;
  readonly userId: number;
  readonly scopes: readonly Scope[];
  readonly projectIds: readonly number[];
  /** Limits of the key itself, below those of its projects. */
  readonly limits: LimitOverrides;
  /** When its key expires; null or absent for never. */
  readonly expiresAt?: Date | null;
  /** Absent when the service itself acts. */
  readonly via?: 'rest' | 'graphql' | undefined;
}

/** Throws `permission_denied`, naming the scope, unless the key has it or one that implies it. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.some((held) => implies(held, scope))) return;
  throw new ServiceError(
    'permission_denied',
    `The API key is missing the required scope '${scope}'.`,
  );
}

/**
 * The project that `projectId` refers to: a decimal id, or `@current` for the key's only project.
 *
 * A key that may not see the project gets the same `permission_denied` whether it exists or not. An administrator key
 * sees every project, so the result may be the id of one that does not exist.
 */
export function requireProject(principal: Principal, projectId: string): number {
  if (projectId === '@current') return currentProject(principal);
  const id = /^\d{1,10}$/.test(projectId) ? Number(projectId) : Number.NaN;
  if (!Number.isSafeInteger(id) || id < 1 || id > 2_147_483_647) {
    throw new ServiceError(
      'not_found',
      'A project must be given by its id in decimal, or as @current.',
      {
        attr: 'project_id',
      },
    );
  }
  if (principal.projectIds.includes(id) || principal.scopes.includes('admin')) return id;
  throw new ServiceError(
    'permission_denied',
    `The API key does not have access to project ${id}.`,
    {
      attr: 'project_id',
    },
  );
}

function currentProject(principal: Principal): number {
  const [only, ...others] = principal.projectIds;
  if (only !== undefined && others.length === 0) return only;
  throw new ServiceError(
    'invalid_input',
    '@current requires a key with exactly one project. Give the id of the project.',
    { attr: 'project_id' },
  );
}
