/** The executions of an endpoint as a log: one line each, which can be searched. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { type ExecutionStatus, executionStatuses } from '../model/execution-status.ts';
import { openStore, type Store } from './open-store.ts';

/** All conditions must be met. */
export interface ExecutionFilter {
  readonly id: string | null;
  readonly version: number | null;
  readonly statuses: readonly ExecutionStatus[];
  /** rest or graphql */
  readonly door: string | null;
  /** Began after it. */
  readonly after: Date | null;
  /** Began before it. */
  readonly before: Date | null;
  /** Part of the line, whatever its case. */
  readonly search: string | null;
}

export interface ExecutionLogQuery {
  readonly endpointId: string;
  readonly filter: ExecutionFilter;
  readonly limit: number;
  readonly offset: number;
}

export interface ExecutionLine {
  readonly id: string;
  readonly endpointId: string;
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
}

const operations = { listExecutions, countExecutions };

export type ExecutionLogStore = Store<typeof operations>;

export function openExecutionLogStore(deps: { readonly prisma: PrismaClient }): ExecutionLogStore {
  return openStore(deps.prisma, operations);
}

/** Tokens as existing clients search them. An execution never came from the cache. */
const message = Prisma.sql`concat_ws(' ',
  'path=' || served_from, 'cache=miss',
  'duration_ms=' || round(extract(epoch FROM end_time - start_time) * 1000),
  'rows=' || result_rows, 'version=' || version, 'interface=' || door, 'format=' || format,
  'client_query_id=' || client_query_id, 'error=' || error_code, error_message)`;

const status = Prisma.sql`CASE WHEN end_time IS NULL THEN 'running'
  WHEN error_code IS NULL THEN 'completed' ELSE 'failed' END`;

/** Newest first; one statement. */
async function listExecutions(
  prisma: PrismaClient,
  { endpointId, filter, limit, offset }: ExecutionLogQuery,
): Promise<readonly ExecutionLine[]> {
  return prisma.$queryRaw<readonly ExecutionLine[]>(Prisma.sql`
    SELECT id, endpoint_id AS "endpointId", version, ${status} AS status, ${message} AS message,
      door, served_from AS "servedFrom", format, client_query_id AS "clientQueryId",
      start_time AS "startTime", end_time AS "endTime",
      error_code AS "errorCode", error_message AS "errorMessage",
      result_rows AS "resultRows", result_bytes AS "resultBytes",
      rows_read AS "rowsRead", bytes_read AS "bytesRead"
    FROM query_status WHERE ${where(endpointId, filter)}
    ORDER BY start_time DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** Of all pages. */
async function countExecutions(
  prisma: PrismaClient,
  { endpointId, filter }: Pick<ExecutionLogQuery, 'endpointId' | 'filter'>,
): Promise<number> {
  const [row] = await prisma.$queryRaw<readonly { readonly count: number }[]>(Prisma.sql`
    SELECT count(*)::int AS count FROM query_status WHERE ${where(endpointId, filter)}`);
  return row?.count ?? 0;
}

function where(endpointId: string, filter: ExecutionFilter): Prisma.Sql {
  const { id, version, statuses, door, after, before, search } = filter;
  const part = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  const conditions = [
    Prisma.sql`endpoint_id = ${endpointId}::uuid`,
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
