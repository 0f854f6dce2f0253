import DataLoader from 'dataloader';
import {
  Prisma,
  type PrismaClient,
  type QueryStatus,
  type User,
} from '../generated/prisma/client.ts';

/** Reads that a Prisma selection cannot express: one statement for all fields of a request. */
export interface Loaders {
  /** The newest execution of an endpoint by its id; null when it never ran. */
  readonly latestExecution: DataLoader<string, QueryStatus | null>;
  /** By number; null when it does not exist (any more). */
  readonly user: DataLoader<number, User | null>;
  /** The endpoint of a version, both by their ids; null when the version does not exist. */
  readonly endpointOfVersion: DataLoader<string, string | null>;
}

export function openLoaders(prisma: PrismaClient): Loaders {
  return {
    latestExecution: new DataLoader(async (endpointIds: readonly string[]) => {
      const newest = await prisma.$queryRaw<readonly { id: string }[]>(Prisma.sql`
        SELECT newest.id FROM unnest(${[...endpointIds]}::uuid[]) AS wanted(endpoint_id)
        CROSS JOIN LATERAL (
          SELECT id FROM query_status WHERE endpoint_id = wanted.endpoint_id
          ORDER BY start_time DESC LIMIT 1
        ) AS newest`);
      const rows = await prisma.queryStatus.findMany({
        where: { id: { in: newest.map((row) => row.id) } },
      });
      const byEndpoint = new Map(rows.map((row) => [row.endpointId, row]));
      return endpointIds.map((id) => byEndpoint.get(id) ?? null);
    }),
    user: new DataLoader(async (ids: readonly number[]) => {
      const rows = await prisma.user.findMany({ where: { id: { in: [...ids] } } });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
    endpointOfVersion: new DataLoader(async (ids: readonly string[]) => {
      const rows = await prisma.endpointVersion.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, endpointId: true },
      });
      const byId = new Map(rows.map((row) => [row.id, row.endpointId]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
  };
}
