/** The executions of an endpoint as a searchable log, one line each. */

import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import type { ExecutionOrder } from '../model/execution-order.ts';
import { type ExecutionStatus, executionStatuses } from '../model/execution-status.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import { openStore, type Store } from './open-store.ts';

/** All conditions must be met. */
export interface ExecutionFilter {
  readonly id: string | null;
  readonly version: number | null;
  readonly statuses: readonly ExecutionStatus[];
  /** rest or graphql */
  readonly door: string | null;
  /** Started after this time. */
  readonly after: Date | null;
  /** Started before this time. */
  readonly before: Date | null;
  /** Substring of the line, ignoring case. */
  readonly search: string | null;
  /** Minimum duration in milliseconds; excludes running executions. */
  readonly minMs: number | null;
}

export interface ExecutionLogQuery {
  readonly projectId: number;
  /** Null for all endpoints and unsaved queries. */
  readonly endpointId: string | null;
  readonly filter: ExecutionFilter;
  readonly order: ExecutionOrder;
  readonly limit: number;
  readonly offset: number;
}

export interface ExecutionLine {
  readonly id: string;
  /** Null for an unsaved query or a deleted endpoint. */
  readonly endpointId: string | null;
  /** Empty for unsaved queries. */
  readonly endpoint: string;
  readonly version: number;
  readonly status: ExecutionStatus;
  readonly message: string;
  readonly door: string;
  readonly servedFrom: string;
  readonly format: string;
  readonly clientQueryId: string | null;
  readonly startTime: Date;
  readonly endTime: Date | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly resultRows: bigint;
  readonly resultBytes: bigint;
  readonly rowsRead: bigint;
  readonly bytesRead: bigint;
  /** Processor time at the engine; null when not known, or not yet. */
  readonly processorMicros: bigint | null;
  /** The run's variables by name: {type, length}. Null when recorded by an older version. */
  readonly variables: unknown;
  /** Null when served from a stored table, or recorded by an older version. */
  readonly inlineReason: string | null;
  readonly cacheReason: string | null;
  /** Null when it was not slow, or not recorded yet. */
  readonly plan: QueryPlan | null;
}

const operations = { listExecutions, countExecutions };

export type ExecutionLogStore = Store<typeof operations>;

export function openExecutionLogStore(deps: { readonly prisma: PrismaClient }): ExecutionLogStore {
  return openStore(deps.prisma, operations);
}

/** Tokens that existing clients search for. An execution never came from the cache. */
const message = Prisma.sql`concat_ws(' ',
  'path=' || served_from, 'cache=miss',
  'duration_ms=' || round(extract(epoch FROM end_time - start_time) * 1000),
  'rows=' || result_rows, 'version=' || version, 'interface=' || door, 'format=' || format,
  'client_query_id=' || client_query_id, 'error=' || error_code, error_message)`;

const orders: Readonly<Record<ExecutionOrder, Prisma.Sql>> = {
  newest: Prisma.empty,
  slowest: Prisma.sql`end_time - start_time DESC NULLS LAST,`,
};

const status = Prisma.sql`CASE WHEN end_time IS NULL THEN 'running'
  WHEN error_code IS NULL THEN 'completed' ELSE 'failed' END`;

async function listExecutions(
  prisma: PrismaClient,
  { order, limit, offset, ...query }: ExecutionLogQuery,
): Promise<readonly ExecutionLine[]> {
  return prisma.$queryRaw<readonly ExecutionLine[]>(Prisma.sql`
    SELECT id, endpoint_id AS "endpointId", endpoint_name AS endpoint, version, ${status} AS status, ${message} AS message,
      door, served_from AS "servedFrom", format, client_query_id AS "clientQueryId",
      start_time AS "startTime", end_time AS "endTime",
      error_code AS "errorCode", error_message AS "errorMessage",
      result_rows AS "resultRows", result_bytes AS "resultBytes",
      rows_read AS "rowsRead", bytes_read AS "bytesRead", processor_micros AS "processorMicros",
      variables, inline_reason AS "inlineReason", cache_reason AS "cacheReason", plan
    FROM query_status WHERE ${where(query)}
    ORDER BY ${orders[order]} start_time DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** The total over all pages. */
async function countExecutions(
  prisma: PrismaClient,
  query: Pick<ExecutionLogQuery, 'projectId' | 'endpointId' | 'filter'>,
): Promise<number> {
  const [row] = await prisma.$queryRaw<readonly { readonly count: number }[]>(Prisma.sql`
    SELECT count(*)::int AS count FROM query_status WHERE ${where(query)}`);
  return row?.count ?? 0;
}

function where({
  projectId,
  endpointId,
  filter,
}: Pick<ExecutionLogQuery, 'projectId' | 'endpointId' | 'filter'>): Prisma.Sql {
  const { minMs, id, version, statuses, door, after, before, search } = filter;
  const part = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  const conditions = [
    endpointId === null
      ? Prisma.sql`project_id = ${projectId}`
      : Prisma.sql`endpoint_id = ${endpointId}::uuid`,
    ...(minMs === null ? [] : [Prisma.sql`end_time - start_time >= ${minMs} * interval '1 ms'`]),
    ...(id === null ? [] : [Prisma.sql`id = ${id}::uuid`]),
    ...(version === null ? [] : [Prisma.sql`version = ${version}`]),
    ...(statuses.length === executionStatuses.length
      ? []
      : [Prisma.sql`${status} = ANY (${[...statuses]})`]),
    ...(door === null ? [] : [Prisma.sql`door = ${door}`]),
    ...(after === null ? [] : [Prisma.sql`start_time > ${after}`]),
    ...(before === null ? [] : [Prisma.sql`start_time < ${before}`]),
    ...(search === null ? [] : [Prisma.sql`${message} ILIKE ${part}`]),
  ];
  return Prisma.join(conditions, ' AND ');
}
