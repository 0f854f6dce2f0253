/**
 * Stored facts that advice on endpoints is based on. Each takes one statement and covers a project's active endpoints.
 */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { openStore, type Store } from './open-store.ts';

interface OfEndpoint {
  readonly endpointId: string;
  readonly endpoint: string;
  /** The current version, unless stated otherwise. */
  readonly version: number;
}

export interface UnusedEndpoint extends OfEndpoint {
  readonly createdAt: Date;
  /** Null when it never ran. */
  readonly lastExecutedAt: Date | null;
}

export interface SteadyResult extends OfEndpoint {
  /** Null for the server's default. */
  readonly cacheAgeSeconds: number | null;
  readonly recomputed: number;
  readonly unchanged: number;
}

interface SteadySince extends Since {
  /** For versions without a cache age of their own. */
  readonly defaultCacheAgeSeconds: number;
  /** Only versions with a lower cache age. */
  readonly maxCacheAgeSeconds: number;
}

export interface UnusedVariables extends OfEndpoint {
  /** Optional variables that no execution set. */
  readonly variables: readonly string[];
  readonly executions: number;
}

export interface OldVersionRuns extends OfEndpoint {
  /** The version that was run. */
  readonly version: number;
  readonly currentVersion: number;
  readonly keyId: string;
  readonly keyLabel: string | null;
  readonly keyPrefix: string | null;
  readonly runs: number;
  /** The day of the last run, in UTC. */
  readonly lastDay: Date;
}

export interface CostlyEndpoint extends OfEndpoint {
  readonly versionId: string;
  readonly executions: number;
  readonly engineSeconds: number;
}

interface Since {
  readonly projectId: number;
  readonly since: Date;
  /** Minimum count of what the question is about. */
  readonly atLeast: number;
  readonly limit: number;
}

const operations = {
  findUnused,
  findSteadyResults,
  findUnusedVariables,
  findOldVersionRuns,
  findCostly,
};

export type AdviceStore = Store<typeof operations>;

export function openAdviceStore(deps: { readonly prisma: PrismaClient }): AdviceStore {
  return openStore(deps.prisma, operations);
}

/** Endpoints that existed before and have not run since. */
async function findUnused(
  prisma: PrismaClient,
  { projectId, since, limit }: Omit<Since, 'atLeast'>,
): Promise<readonly UnusedEndpoint[]> {
  return prisma.$queryRaw<readonly UnusedEndpoint[]>(Prisma.sql`
    SELECT e.id AS "endpointId", e.name AS endpoint, v.version,
      e.created_at AS "createdAt", e.last_executed_at AS "lastExecutedAt"
    FROM endpoint e JOIN endpoint_version v ON v.id = e.current_version_id
    WHERE e.project_id = ${projectId} AND e.is_active AND e.created_at < ${since}
      AND (e.last_executed_at IS NULL OR e.last_executed_at < ${since})
    ORDER BY coalesce(e.last_executed_at, e.created_at), e.id LIMIT ${limit}`);
}

/** Endpoints whose expired results were recomputed with the same rows nine times out of ten, most often first. */
async function findSteadyResults(
  prisma: PrismaClient,
  { projectId, since, atLeast, limit, defaultCacheAgeSeconds, maxCacheAgeSeconds }: SteadySince,
): Promise<readonly SteadyResult[]> {
  return prisma.$queryRaw<readonly SteadyResult[]>(Prisma.sql`
    SELECT e.id AS "endpointId", e.name AS endpoint, v.version,
      v.cache_age_seconds AS "cacheAgeSeconds",
      sum(u.recomputed)::float8 AS recomputed, sum(u.unchanged)::float8 AS unchanged
    FROM usage_count u
    JOIN endpoint e ON e.id = u.endpoint_id AND e.is_active
    JOIN endpoint_version v ON v.id = e.current_version_id AND v.version = u.version
    WHERE u.project_id = ${projectId} AND u.step = 'day' AND u.at >= ${since}
      AND coalesce(v.cache_age_seconds, ${defaultCacheAgeSeconds}) < ${maxCacheAgeSeconds}
    GROUP BY e.id, v.id
    HAVING sum(u.recomputed) >= ${atLeast} AND sum(u.unchanged) >= 0.9 * sum(u.recomputed)
    ORDER BY sum(u.unchanged) DESC, e.id LIMIT ${limit}`);
}

async function findUnusedVariables(
  prisma: PrismaClient,
  { projectId, since, atLeast, limit }: Since,
): Promise<readonly UnusedVariables[]> {
  return prisma.$queryRaw<readonly UnusedVariables[]>(Prisma.sql`
    WITH ran AS (
      SELECT q.endpoint_id, q.version, count(*) AS executions
      FROM query_status q
      WHERE q.project_id = ${projectId} AND q.start_time >= ${since} AND q.variables IS NOT NULL
      GROUP BY q.endpoint_id, q.version HAVING count(*) >= ${atLeast}
    ), given AS (
      SELECT DISTINCT q.endpoint_id, q.version, name
      FROM query_status q JOIN ran USING (endpoint_id, version),
        jsonb_object_keys(q.variables) AS name
      WHERE q.project_id = ${projectId} AND q.start_time >= ${since}
    )
    SELECT e.id AS "endpointId", e.name AS endpoint, v.version,
      array_agg(variable->>'name' ORDER BY variable->>'name') AS variables,
      max(ran.executions)::float8 AS executions
    FROM ran
    JOIN endpoint e ON e.id = ran.endpoint_id AND e.is_active
    JOIN endpoint_version v ON v.id = e.current_version_id AND v.version = ran.version,
      jsonb_array_elements(v.variables) AS variable
    WHERE (variable->>'required')::boolean IS NOT TRUE AND NOT EXISTS (
      SELECT FROM given
      WHERE given.endpoint_id = e.id AND given.version = v.version AND given.name = variable->>'name')
    GROUP BY e.id, v.id ORDER BY 5 DESC, e.id LIMIT ${limit}`);
}

/** By endpoint, version and key, most runs first. */
async function findOldVersionRuns(
  prisma: PrismaClient,
  { projectId, since, limit }: Omit<Since, 'atLeast'>,
): Promise<readonly OldVersionRuns[]> {
  return prisma.$queryRaw<readonly OldVersionRuns[]>(Prisma.sql`
    SELECT e.id AS "endpointId", e.name AS endpoint, u.version, v.version AS "currentVersion",
      u.key_id AS "keyId", k.label AS "keyLabel", k.prefix AS "keyPrefix",
      sum(u.runs)::float8 AS runs, max(u.at) AS "lastDay"
    FROM usage_count u
    JOIN endpoint e ON e.id = u.endpoint_id AND e.is_active
    JOIN endpoint_version v ON v.id = e.current_version_id AND v.version > u.version
    JOIN endpoint_version replacing
      ON replacing.endpoint_id = e.id AND replacing.version = u.version + 1
    LEFT JOIN api_key k ON k.id = u.key_id
    WHERE u.project_id = ${projectId} AND u.step = 'day' AND u.at >= ${since}
      -- Until the day on which the version was replaced, everyone ran it.
      AND u.at > replacing.created_at AND u.runs > 0
    GROUP BY e.id, u.version, v.version, u.key_id, k.id
    ORDER BY sum(u.runs) DESC, e.id, u.version, u.key_id LIMIT ${limit}`);
}

/** Endpoints whose current version is not materialized, by their engine time, most first. */
async function findCostly(
  prisma: PrismaClient,
  { projectId, since, atLeast, limit }: Since,
): Promise<readonly CostlyEndpoint[]> {
  return prisma.$queryRaw<readonly CostlyEndpoint[]>(Prisma.sql`
    SELECT e.id AS "endpointId", e.name AS endpoint, v.version, v.id AS "versionId",
      sum(u.executions)::float8 AS executions,
      (sum(u.engine_micros) / 1e6)::float8 AS "engineSeconds"
    FROM usage_count u
    JOIN endpoint e ON e.id = u.endpoint_id AND e.is_active
    JOIN endpoint_version v ON v.id = e.current_version_id AND v.version = u.version AND v.is_active
    JOIN materialization_status m ON m.version_id = v.id AND NOT m.enabled
    WHERE u.project_id = ${projectId} AND u.step = 'day' AND u.at >= ${since} AND u.outcome = 'ok'
    GROUP BY e.id, v.id HAVING sum(u.executions) >= ${atLeast}
    ORDER BY sum(u.engine_micros) DESC, e.id LIMIT ${limit}`);
}
