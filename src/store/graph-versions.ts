/** The stored content of a project's data graph. */
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ColumnRecord, JsonObject } from './endpoint-record.ts';

/** A version that has a field of the data graph, or may have one. */
export interface GraphVersion {
  readonly endpointId: string;
  readonly endpointName: string;
  readonly field: string;
  readonly versionId: string;
  readonly columnsRevision: number;
  readonly version: number;
  readonly isCurrent: boolean;
  readonly description: string;
}

/** The immutable part of a version, and its columns. */
export interface GraphVersionContent {
  readonly id: string;
  readonly columns: readonly ColumnRecord[];
  readonly variables: readonly JsonObject[];
  /** Text of its query. */
  readonly text: string;
}

/** The revision of the project's data graph; a trigger raises it with every change of a field. */
export async function graphRevision(prisma: PrismaClient, projectId: number): Promise<number> {
  const graph = await prisma.dataGraph.findUnique({
    where: { projectId },
    select: { revision: true },
  });
  return graph?.revision ?? 0;
}

/**
 * For each active endpoint whose current version is active: that version, and the older active ones whose stored
 * columns or variables differ. Sorted by field name, the current version first and the others newest first; one
 * statement.
 */
export function listGraphVersions(
  prisma: PrismaClient,
  projectId: number,
): Promise<readonly GraphVersion[]> {
  return prisma.$queryRaw<readonly GraphVersion[]>`
    SELECT e.id AS "endpointId", e.name AS "endpointName", e.graphql_name AS field, v.id AS "versionId",
      v.columns_revision AS "columnsRevision", v.version, v.id = c.id AS "isCurrent", v.description
    FROM endpoint e
    JOIN endpoint_version c ON c.id = e.current_version_id
    JOIN endpoint_version v ON v.endpoint_id = e.id
    WHERE e.project_id = ${projectId} AND e.is_active AND c.is_active AND v.is_active
      AND (v.id = c.id OR v.columns <> c.columns OR v.variables <> c.variables)
    ORDER BY e.graphql_name COLLATE "C", v.version DESC`;
}

/** One statement. */
export async function findGraphContents(
  prisma: PrismaClient,
  versionIds: readonly string[],
): Promise<readonly GraphVersionContent[]> {
  if (versionIds.length === 0) return [];
  return prisma.$queryRaw<readonly GraphVersionContent[]>`
    SELECT id, columns, variables, query->>'query' AS text
    FROM endpoint_version WHERE id = ANY(${[...versionIds]}::uuid[])`;
}
