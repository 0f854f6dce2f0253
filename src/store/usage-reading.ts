/** Reads what runs cost, aggregated as the caller requests. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { toSnakeCase } from '../lib/snake-case.ts';
import { type UsageCounts, type UsageStep, type UsageSums, usageSumNames } from '../model/usage.ts';

export type UsageGroup = 'endpoint' | 'version' | 'key' | 'interface' | 'path' | 'outcome';

/** All conditions must hold; null matches anything. */
export interface UsageFilter {
  readonly endpointId: string | null;
  /** Any of these. */
  readonly endpointIds: readonly string[] | null;
  /** Also matches deleted endpoints. */
  readonly endpointName: string | null;
  readonly version: number | null;
  readonly keyId: string | null;
  readonly interface: string | null;
  readonly path: string | null;
  readonly outcome: string | null;
}

export interface UsageQuery {
  readonly projectId: number;
  /** The step of the stored counts to aggregate. */
  readonly step: UsageStep;
  /** The start of a step. */
  readonly from: Date;
  /** The start of a step, exclusive. */
  readonly to: Date;
  /** Whether to aggregate each step separately. */
  readonly isByStep: boolean;
  readonly groups: readonly UsageGroup[];
  readonly filter: UsageFilter;
  /** One extra line is returned when there are more. */
  readonly maxLines: number;
}

/** The group of a line; null for members that were not requested. */
interface UsageGroupValues {
  /** The start of the step; null for the whole time. */
  readonly at: Date | null;
  readonly endpointId: string | null;
  /** Empty for unsaved queries. */
  readonly endpoint: string | null;
  readonly version: number | null;
  readonly keyId: string | null;
  readonly keyLabel: string | null;
  readonly keyPrefix: string | null;
  readonly interface: string | null;
  readonly path: string | null;
  readonly outcome: string | null;
}

export interface UsageLine extends UsageGroupValues, UsageCounts {
  /** Failed runs by error code. */
  readonly errors: ReadonlyMap<string, number>;
}

interface StoredLine extends UsageGroupValues, Record<keyof UsageSums, bigint> {
  readonly errors: Readonly<Record<string, number>> | null;
  readonly latencyBuckets: readonly number[] | null;
  readonly latencyRuns: readonly bigint[] | null;
}

const columnsOf: Readonly<Record<UsageGroup, readonly string[]>> = {
  endpoint: ['endpoint_id', 'endpoint_name'],
  version: ['version'],
  key: ['key_id'],
  interface: ['interface'],
  path: ['path'],
  outcome: ['outcome'],
};

/** The columns that hold a line's group values, in the order of the interface. */
const valuesOf: readonly (readonly [name: keyof UsageGroupValues, column: string])[] = [
  ['endpointId', 'endpoint_id'],
  ['endpoint', 'endpoint_name'],
  ['version', 'version'],
  ['keyId', 'key_id'],
  ['interface', 'interface'],
  ['path', 'path'],
  ['outcome', 'outcome'],
];

/** One statement over one snapshot of the counts; sorted by time, then by runs, most first. */
export async function readUsage(
  prisma: PrismaClient,
  query: UsageQuery,
): Promise<readonly UsageLine[]> {
  const rows = await prisma.$queryRaw<readonly StoredLine[]>(statementOf(query));
  return rows.map(toLine);
}

function statementOf(query: UsageQuery): Prisma.Sql {
  const columns = query.groups.flatMap((group) => columnsOf[group]);
  const groups = Prisma.raw(['grouped_at', ...columns].join(', '));
  const values = valuesOf.map(([name, column]) =>
    columns.includes(column) ? `sums.${column} AS "${name}"` : `NULL AS "${name}"`,
  );
  const sums = usageSumNames.map((name) => `sum(${toSnakeCase(name)})::bigint AS "${name}"`);
  const ownKey = Prisma.raw(columns.includes('key_id') ? 'api_key.id = sums.key_id' : 'false');
  // Groups are never NULL, so they can be joined by equality, which PostgreSQL hashes.
  const at = Prisma.raw(query.isByStep ? 'at' : "timestamptz 'epoch'");
  const stepStart = Prisma.raw(query.isByStep ? 'sums.grouped_at' : 'NULL::timestamptz');
  const same = (table: string) =>
    Prisma.raw(
      ['grouped_at', ...columns]
        .map((column) => `${table}.${column} = sums.${column}`)
        .join(' AND '),
    );
  return Prisma.sql`
    WITH picked AS MATERIALIZED (
      SELECT ${at} AS grouped_at, * FROM usage_count WHERE ${where(query)}
    ), sums AS (
      SELECT ${groups}, ${Prisma.raw(sums.join(', '))} FROM picked GROUP BY ${groups}
    ), failed AS (
      SELECT ${groups}, jsonb_object_agg(code, failed_runs) AS errors FROM (
        SELECT ${groups}, outcome AS code, sum(runs) AS failed_runs FROM picked
        WHERE outcome <> 'ok' AND runs > 0 GROUP BY ${groups}, outcome
      ) AS by_code GROUP BY ${groups}
    ), latency AS (
      SELECT ${groups}, array_agg(bucket) AS buckets, array_agg(bucket_runs) AS bucket_runs FROM (
        SELECT ${groups}, bucket, sum(bucket_runs)::bigint AS bucket_runs
        FROM picked, unnest(latency_buckets, latency_runs) AS held (bucket, bucket_runs)
        GROUP BY ${groups}, bucket
      ) AS by_bucket GROUP BY ${groups}
    )
    SELECT ${stepStart} AS at, ${Prisma.raw(values.join(', '))},
      api_key.label AS "keyLabel", api_key.prefix AS "keyPrefix",
      ${Prisma.raw(usageSumNames.map((name) => `sums."${name}"`).join(', '))},
      failed.errors, latency.buckets AS "latencyBuckets", latency.bucket_runs AS "latencyRuns"
    FROM sums
    LEFT JOIN failed ON ${same('failed')}
    LEFT JOIN latency ON ${same('latency')}
    LEFT JOIN api_key ON ${ownKey}
    ORDER BY sums.grouped_at, sums."runs" DESC, ${groupOrder(columns)} LIMIT ${query.maxLines + 1}`;
}

function groupOrder(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(['sums.grouped_at', ...columns.map((column) => `sums.${column}`)].join(', '));
}

function where({ projectId, step, from, to, filter }: UsageQuery): Prisma.Sql {
  const is = (column: string, value: string | number | null) =>
    value === null ? [] : [Prisma.sql`${Prisma.raw(column)} = ${value}`];
  const { endpointId: id, endpointIds: ids, keyId } = filter;
  return Prisma.join(
    [
      Prisma.sql`project_id = ${projectId} AND step = ${step} AND at >= ${from} AND at < ${to}`,
      ...(id === null ? [] : [Prisma.sql`endpoint_id = ${id}::uuid`]),
      ...(ids === null ? [] : [Prisma.sql`endpoint_id = ANY (${ids}::uuid[])`]),
      ...(keyId === null ? [] : [Prisma.sql`key_id = ${keyId}::uuid`]),
      ...is('endpoint_name', filter.endpointName),
      ...is('version', filter.version),
      ...is('interface', filter.interface),
      ...is('path', filter.path),
      ...is('outcome', filter.outcome),
    ],
    ' AND ',
  );
}

function toLine(row: StoredLine): UsageLine {
  const { errors, latencyBuckets, latencyRuns, ...rest } = row;
  const sums = Object.fromEntries(usageSumNames.map((name) => [name, Number(row[name])]));
  const runs = latencyRuns ?? [];
  return {
    ...rest,
    ...(sums as unknown as UsageSums),
    errors: new Map(Object.entries(errors ?? {}).map(([code, count]) => [code, Number(count)])),
    latency: new Map((latencyBuckets ?? []).map((bucket, at) => [bucket, Number(runs[at] ?? 0)])),
  };
}
