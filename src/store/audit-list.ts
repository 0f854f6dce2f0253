import type { Prisma } from '../generated/prisma/client.ts';
import type { AuditAction } from '../model/audit-action.ts';

/** The filter of a list of audit entries; all conditions must be met. */
export interface AuditList {
  /** Null for the entries of every project, and those without a project. */
  readonly projectId: number | null;
  readonly endpointName?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly actor?: AuditActorFilter | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly hidden: readonly AuditAction[];
}

export type AuditActorFilter =
  | { readonly apiKeyId: string }
  | { readonly userId: number }
  | { readonly door: string };

export interface AuditListQuery {
  readonly where: Prisma.AuditEntryWhereInput;
  readonly orderBy: Prisma.AuditEntryOrderByWithRelationInput;
}

/** Newest first, in insertion order, which stays stable when entries are added or the clock is set; one statement. */
export function toAuditQuery(list: AuditList): AuditListQuery {
  const { projectId, endpointName, action, actor, since, until, hidden } = list;
  const at = {
    ...(since === undefined ? {} : { gte: since }),
    ...(until === undefined ? {} : { lt: until }),
  };
  return {
    orderBy: { sequence: 'desc' },
    where: {
      ...(projectId === null ? {} : { projectId }),
      ...(endpointName === undefined ? {} : { endpointName }),
      ...actor,
      ...(Object.keys(at).length === 0 ? {} : { at }),
      AND: [
        ...(action === undefined ? [] : [{ action }]),
        ...(hidden.length === 0 ? [] : [{ action: { notIn: [...hidden] } }]),
      ],
    },
  };
}
