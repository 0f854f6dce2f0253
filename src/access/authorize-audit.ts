import { invalidInput } from '../errors/service-error.ts';
import { isUuid } from '../lib/ids.ts';
import { actorInterfaces } from '../model/actor.ts';
import {
  type AuditAction,
  administratorActions,
  auditActions,
  isAuditAction,
} from '../model/audit-action.ts';
import { hasScope } from '../model/scope.ts';
import { requireStorableText } from '../sql/storable-text.ts';
import type { AuditActorFilter, AuditList } from '../store/audit-list.ts';
import type { AccessDeps } from './deps.ts';
import { requireExistingProject } from './get-project.ts';
import { type Principal, requireScope } from './principal.ts';

export interface AuditFilter {
  readonly endpoint?: string | null | undefined;
  readonly action?: string | null | undefined;
  readonly actor?: string | null | undefined;
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
}

/**
 * Which entries the key may read, with the validated filter. With endpoint:write: those of one project, except for
 * changes of keys. With admin: all of them, and without a project those of the whole service.
 */
export async function authorizeAudit(
  deps: AccessDeps,
  principal: Principal,
  call: { readonly projectId: string | null; readonly filter: AuditFilter },
): Promise<AuditList> {
  const { endpoint, action, actor, since, until } = call.filter;
  requireScope(principal, call.projectId === null ? 'admin' : 'endpoint:write');
  const projectId =
    call.projectId === null ? null : await requireExistingProject(deps, principal, call.projectId);
  return {
    projectId,
    endpointName: endpoint == null ? undefined : requireStorableText(endpoint, 'filter.endpoint'),
    action: action == null ? undefined : requireAction(action),
    actor: actor == null ? undefined : parseActor(actor),
    since: since ?? undefined,
    until: until ?? undefined,
    hidden: hasScope(principal.scopes, 'admin') ? [] : administratorActions,
  };
}

function requireAction(text: string): AuditAction {
  if (isAuditAction(text)) return text;
  throw invalidInput('filter.action', `action must be one of ${auditActions.join(', ')}.`);
}

const userId = /^\d{1,9}$/;

function parseActor(text: string): AuditActorFilter {
  if (isUuid(text)) return { apiKeyId: text };
  if (userId.test(text)) return { userId: Number(text) };
  if (actorInterfaces.some((via) => via === text)) return { door: text };
  throw invalidInput(
    'filter.actor',
    `actor must be the id of a key, the number of a user, or one of ${actorInterfaces.join(', ')}.`,
  );
}
