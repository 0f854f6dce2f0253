import type { PrismaClient } from '../generated/prisma/client.ts';

/** Last execution times by name, for endpoints that ran at or after `since`; one statement. */
export async function lastExecutionTimes(
  prisma: PrismaClient,
  wanted: {
    readonly projectId: number;
    readonly names: readonly string[];
    readonly since: Date;
  },
): Promise<ReadonlyMap<string, Date>> {
  const { projectId, names, since } = wanted;
  if (names.length === 0) return new Map();
  const rows = await prisma.endpoint.findMany({
    where: { projectId, name: { in: [...new Set(names)] }, lastExecutedAt: { gte: since } },
    select: { name: true, lastExecutedAt: true },
  });
  return new Map(
    rows.flatMap(({ name, lastExecutedAt }) =>
      lastExecutedAt === null ? [] : [[name, lastExecutedAt] as const],
    ),
  );
}

/** Names whose lengths differ by more are not misspellings of each other. */
const lengthsApart = 3;
const maxNames = 2000;

/** Names of active endpoints with a similar length. */
export async function listNamesNear(
  prisma: PrismaClient,
  projectId: number,
  length: number,
): Promise<readonly string[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT name FROM endpoint
    WHERE project_id = ${projectId} AND is_active
      AND length(name) BETWEEN ${length - lengthsApart} AND ${length + lengthsApart}
    ORDER BY name LIMIT ${maxNames}`;
  return rows.map(({ name }) => name);
}

const maxFields = 500;

/**
 * Data graph fields of active endpoints that begin with the same letter and have a similar length. An endpoint whose
 * current version is inactive has no field of its own.
 */
export async function listFieldsNear(
  prisma: PrismaClient,
  projectId: number,
  field: string,
): Promise<readonly string[]> {
  const rows = await prisma.$queryRaw<{ name: string }[]>`
    SELECT e.graphql_name AS name FROM endpoint e
    JOIN endpoint_version c ON c.id = e.current_version_id AND c.is_active
    WHERE e.project_id = ${projectId} AND e.is_active AND left(e.graphql_name, 1) = ${field.slice(0, 1)}
      AND length(e.graphql_name) BETWEEN ${field.length - lengthsApart} AND ${field.length + lengthsApart}
    ORDER BY e.graphql_name LIMIT ${maxFields}`;
  return rows.map(({ name }) => name);
}
