/** Executions: one row per query sent to the engine, written in batches. */

import { Prisma, type PrismaClient, type QueryStatus } from '../generated/prisma/client.ts';
import { isUuid } from '../lib/ids.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import type { LateWork } from '../model/usage.ts';
import { isText } from './column-range.ts';
import { deleteInChunks } from './delete-in-chunks.ts';
import { openStore, type Store } from './open-store.ts';
import { isForeignKeyViolation } from './prisma-errors.ts';

/** A row of `query_status`. `timeElapsed` is in seconds, the counts are the engine's. */
export type ExecutionRecord = Readonly<QueryStatus>;

interface LostBefore {
  readonly before: Date;
  readonly streamsBefore: Date;
}

/** In the column order of the statement below. Processor times and plans are added later, by separate statements. */
const fields = [
  ['id', 'uuid'],
  ['projectId', 'int'],
  ['endpointId', 'uuid'],
  ['endpointName', 'text'],
  ['version', 'int'],
  ['clientQueryId', 'text'],
  ['apiKeyId', 'uuid'],
  ['door', 'text'],
  ['servedFrom', 'text'],
  ['format', 'text'],
  ['startTime', 'timestamptz'],
  ['endTime', 'timestamptz'],
  ['errorCode', 'text'],
  ['errorMessage', 'text'],
  ['resultRows', 'bigint'],
  ['resultBytes', 'bigint'],
  ['rowsRead', 'bigint'],
  ['bytesRead', 'bigint'],
  ['rowsTotal', 'bigint'],
  ['timeElapsed', 'float8'],
  ['variables', 'jsonb'],
  ['inlineReason', 'text'],
  ['cacheReason', 'text'],
] as const satisfies readonly (readonly [keyof ExecutionRecord, string])[];

const columns = fields.map(([field]) => field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`));

/**
 * Locks endpoints before their executions, as a delete does: a batch that first updated an execution and then checked
 * its reference would deadlock with a delete that waits for that execution.
 */
const endpointIds = `$${fields.findIndex(([field]) => field === 'endpointId') + 1}::uuid[]`;

const upsert = `WITH locked AS MATERIALIZED (SELECT id FROM endpoint WHERE id = ANY(${endpointIds}) ORDER BY id FOR KEY SHARE)
INSERT INTO query_status (${columns.join(', ')})
SELECT ${columns.map((column) => (column === 'endpoint_id' ? 'locked.id' : `given.${column}`)).join(', ')}
FROM unnest(${fields.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')}) AS given (${columns.join(', ')})
JOIN project ON project.id = given.project_id
LEFT JOIN locked ON locked.id = given.endpoint_id
ON CONFLICT (id) DO UPDATE SET ${columns
  .filter((column) => column !== 'id')
  .map((column) => `${column} = EXCLUDED.${column}`)
  .join(', ')}
WHERE query_status.end_time IS NULL OR EXCLUDED.end_time IS NOT NULL`;

const operations = {
  upsertExecutions,
  updateLateWork,
  updatePlans,
  findExecution,
  deleteExecutionsBefore,
  endLostExecutions,
};

export type ExecutionStore = Store<typeof operations>;

export function openExecutionStore(deps: { readonly prisma: PrismaClient }): ExecutionStore {
  return openStore(deps.prisma, operations);
}

/**
 * Inserts or updates by id, in one statement. Among several rows with the same id the last wins; an unfinished row does
 * not reopen a finished one. A row whose endpoint is gone is stored without it; a row whose project is gone is not
 * stored.
 */
async function upsertExecutions(
  prisma: PrismaClient,
  rows: readonly ExecutionRecord[],
): Promise<void> {
  if (rows.length === 0) return;
  const newest = [...new Map(rows.map((row) => [row.id, row])).values()];
  const arrays = fields.map(([field]) => newest.map((row) => toText(row[field])));
  for (let attempt = 1; ; attempt++) {
    try {
      await prisma.$executeRawUnsafe(upsert, ...arrays);
      return;
    } catch (error) {
      // An endpoint was deleted between the statement's snapshot and the reference check.
      if (attempt === 3 || !isForeignKeyViolation(error)) throw error;
    }
  }
}

/** Microseconds by id; executions that are not stored are skipped. */
async function updateLateWork(
  prisma: PrismaClient,
  works: ReadonlyMap<string, LateWork>,
): Promise<void> {
  const ids = [...works.keys()];
  const found = [...works.values()];
  const micros = found.map(({ processorMicros }) => String(processorMicros));
  const rows = found.map(({ read }) => toText(read?.rowsRead ?? null));
  const bytes = found.map(({ read }) => toText(read?.bytesRead ?? null));
  await prisma.$executeRaw(Prisma.sql`
    UPDATE query_status SET processor_micros = given.micros,
      rows_read = coalesce(given.rows, rows_read), bytes_read = coalesce(given.bytes, bytes_read)
    FROM unnest(${ids}::uuid[], ${micros}::bigint[], ${rows}::bigint[], ${bytes}::bigint[]) AS given (id, micros, rows, bytes)
    WHERE query_status.id = given.id`);
}

/** Only for stored executions. */
async function updatePlans(
  prisma: PrismaClient,
  plans: ReadonlyMap<string, QueryPlan>,
): Promise<void> {
  const ids = [...plans.keys()];
  const texts = [...plans.values()].map(toText);
  await prisma.$executeRaw(Prisma.sql`
    UPDATE query_status SET plan = given.plan
    FROM unnest(${ids}::uuid[], ${texts}::jsonb[]) AS given (id, plan) WHERE query_status.id = given.id`);
}

/** Sends every value as text, which PostgreSQL casts, so that no digit is lost. */
function toText(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return JSON.stringify(value);
  // PostgreSQL's text cannot hold it, and one such character would lose the whole batch.
  return String(value as string | number | boolean).replaceAll('\0', '');
}

/** Finds it by its id, else the newest with that client_query_id. */
async function findExecution(
  prisma: PrismaClient,
  projectId: number,
  id: string,
): Promise<ExecutionRecord | null> {
  if (!isText(id)) return null;
  if (isUuid(id)) {
    const found = await prisma.queryStatus.findFirst({ where: { id, projectId } });
    if (found !== null) return found;
  }
  return prisma.queryStatus.findFirst({
    where: { projectId, clientQueryId: id },
    orderBy: [{ startTime: 'desc' }, { id: 'desc' }],
  });
}

/**
 * Deletes executions that started before `before`, `chunk` rows at a time so that no lock is held for long. Returns how
 * many.
 */
function deleteExecutionsBefore(
  prisma: PrismaClient,
  before: Date,
  chunk: number,
): Promise<number> {
  return deleteInChunks(chunk, () =>
    prisma.$executeRaw(Prisma.sql`
      DELETE FROM query_status WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM query_status WHERE start_time < ${before} LIMIT ${chunk}
      ))`),
  );
}

const lostMessage = 'The process that ran this query ended before it recorded the outcome.';

/**
 * Marks as failed those executions whose process ended without recording their end: started before `before`, or before
 * `streamsBefore` in a format other than JSON. Returns how many. One statement over open rows only.
 */
async function endLostExecutions(
  prisma: PrismaClient,
  { before, streamsBefore }: LostBefore,
  now: Date,
): Promise<number> {
  const began = [
    { format: 'json', startTime: { lt: before } },
    { startTime: { lt: streamsBefore } },
  ];
  const lost = await prisma.queryStatus.updateMany({
    where: { endTime: null, OR: began },
    data: { endTime: now, errorCode: 'error', errorMessage: lostMessage },
  });
  return lost.count;
}
