/** Updates a version's columns after its tables' columns changed. */
import type { Clock } from '../lib/clock.ts';
import { serviceActor } from '../model/actor.ts';
import { recordAudit } from './audit-store.ts';
import { notifyChange } from './change.ts';
import type { ColumnRecord } from './endpoint-record.ts';
import type { Transactional } from './roll-back.ts';

export interface ColumnsChange {
  readonly versionId: string;
  /** The columns when the change was decided. */
  readonly before: readonly ColumnRecord[];
  readonly after: readonly ColumnRecord[];
}

interface DescribedRow {
  readonly projectId: number;
  readonly name: string;
  readonly version: number;
}

/**
 * Replaces the columns if nobody has done so since the change was decided, and makes a sync of the version's stored
 * table due. Returns whether it did. The endpoint counts as updated, because these columns are part of it.
 */
export function describeVersion(
  { prisma, clock }: { readonly prisma: Transactional; readonly clock: Clock },
  { versionId, before, after }: ColumnsChange,
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const at = clock.now();
    // Locks the endpoint before the version, in the same order as an update.
    await tx.$queryRaw`
      SELECT 1 FROM endpoint WHERE id = (SELECT endpoint_id FROM endpoint_version WHERE id = ${versionId}::uuid)
      FOR NO KEY UPDATE`;
    const [found] = await tx.$queryRaw<readonly DescribedRow[]>`
      UPDATE endpoint_version v
      SET columns = ${JSON.stringify(after)}::jsonb, columns_revision = v.columns_revision + 1, updated_at = ${at}
      FROM endpoint e
      WHERE v.id = ${versionId}::uuid AND v.columns = ${JSON.stringify(before)}::jsonb AND e.id = v.endpoint_id
      RETURNING e.project_id AS "projectId", e.name, v.version`;
    if (found === undefined) return false;
    const { projectId, name, version } = found;
    await tx.$executeRaw`
      UPDATE endpoint SET updated_at = ${at} WHERE project_id = ${projectId} AND name = ${name}`;
    await tx.$executeRaw`
      UPDATE materialization_status SET next_sync_at = ${at} WHERE version_id = ${versionId}::uuid AND enabled`;
    await notifyChange(tx, { kind: 'endpoint', projectId, name, fields: [] });
    await recordAudit(tx, {
      action: 'endpoint.describe',
      by: serviceActor,
      at,
      projectId,
      endpointName: name,
      version,
      before: { columns: before },
      after: { columns: after },
    });
    return true;
  });
}
