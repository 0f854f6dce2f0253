export const auditActions = [
  'endpoint.create',
  'endpoint.update',
  'endpoint.delete',
  'endpoint.describe',
  'variable.create',
  'variable.update',
  'variable.delete',
  'materialization.sync',
  'materialization.cancel',
  'query.cancel',
  'key.create',
  'key.revoke',
  'project.create',
  'project.limits',
  'project.settings',
  'project.attach',
  'project.detach',
  'user.create',
  'data.load',
  'data.loaded',
  'data.dropped',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Entries that only an administrator's key may read, since they show keys of others. */
export const administratorActions: readonly AuditAction[] = ['key.create', 'key.revoke'];

export function isAuditAction(text: string): text is AuditAction {
  return auditActions.some((action) => action === text);
}
