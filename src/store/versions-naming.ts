import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ColumnRecord, JsonObject } from './endpoint-record.ts';

export interface NamingVersion {
  readonly id: string;
  readonly endpointName: string;
  readonly version: number;
  /** Whether it is the endpoint's current version. */
  readonly isCurrent: boolean;
  readonly query: JsonObject;
  readonly columns: readonly ColumnRecord[];
}

/** A page of a list: its offset and its maximum length. */
export interface NamingPage {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Versions of a project whose query contains this text, by name and number: current ones and those that can run.
 *
 * @param page absent for all of them.
 */
export function versionsNaming(
  prisma: PrismaClient,
  projectId: number,
  text: string,
  page?: NamingPage,
): Promise<readonly NamingVersion[]> {
  return prisma.$queryRaw<readonly NamingVersion[]>`
    SELECT v.id, e.name AS "endpointName", v.version, v.id = e.current_version_id AS "isCurrent", v.query,
      v.columns
    FROM endpoint_version v JOIN endpoint e ON e.id = v.endpoint_id
    WHERE e.project_id = ${projectId} AND strpos(v.query->>'query', ${text}) > 0
      AND (v.is_active OR v.id = e.current_version_id)
    ORDER BY e.name, v.version
    LIMIT ${page?.limit ?? null}::bigint OFFSET ${page?.offset ?? 0}::bigint`;
}
