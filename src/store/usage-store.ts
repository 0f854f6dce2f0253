/** What runs cost, counted by minute, hour and day. */
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts';
import { toSnakeCase } from '../lib/snake-case.ts';
import { type UsageRow, type UsageStep, usageSumNames } from '../model/usage.ts';
import { deleteInChunks } from './delete-in-chunks.ts';
import { openStore, type Store } from './open-store.ts';
import { isForeignKeyViolation } from './prisma-errors.ts';
import { readUsage } from './usage-reading.ts';

/** Rows to add to the stored ones; unique by step, time and runs. */
interface UsageBatch {
  /** The process that counted. */
  readonly writerId: string;
  /** From 1; incremented with each batch of the writer. */
  readonly batch: number;
  readonly at: Date;
  readonly rows: readonly UsageRow[];
}

const operations = { addUsage, readUsage, deleteUsageBefore, deleteWritersBefore };

export type UsageStore = Store<typeof operations>;

export function openUsageStore(deps: { readonly prisma: PrismaClient }): UsageStore {
  return openStore(deps.prisma, operations);
}

const keyColumns = [
  ['project_id', 'int'],
  ['step', 'text'],
  ['at', 'timestamptz'],
  ['endpoint_id', 'uuid'],
  ['version', 'int'],
  ['key_id', 'uuid'],
  ['interface', 'text'],
  ['path', 'text'],
  ['outcome', 'text'],
] as const;
const sumColumns = usageSumNames.map(toSnakeCase);
const columns = [
  ...keyColumns.map(([name]) => name),
  'endpoint_name',
  ...sumColumns,
  'latency_buckets',
  'latency_runs',
];
/** In column order; lists are sent as text, because unnest would flatten lists of lists. */
const types = [...keyColumns.map(([, type]) => type), 'text', ...sumColumns.map(() => 'bigint')];
const given = [...types, 'text', 'text'].map((type, at) => `$${at + 4}::${type}[]`).join(', ');
const keys = keyColumns.map(([name]) => name).join(', ');

/**
 * One statement, so that a batch and its number are stored together or not at all: a retried batch finds its number and
 * adds nothing, and waits for a first attempt that is still running. Rows are locked in one order, so that concurrent
 * writers wait for each other instead of deadlocking.
 */
const add = `WITH fresh AS (
  INSERT INTO usage_writer (id, batch, written_at) VALUES ($1::uuid, $2::bigint, $3::timestamptz)
  ON CONFLICT (id) DO UPDATE SET batch = EXCLUDED.batch, written_at = EXCLUDED.written_at
  WHERE usage_writer.batch < EXCLUDED.batch
  RETURNING id
)
INSERT INTO usage_count (${columns.join(', ')})
SELECT ${columns.slice(0, -2).join(', ')}, latency_buckets::smallint[], latency_runs::bigint[]
FROM unnest(${given}) AS given (${columns.join(', ')})
CROSS JOIN fresh
WHERE EXISTS (SELECT FROM project WHERE project.id = given.project_id)
ORDER BY ${keys}
ON CONFLICT (${keys}) DO UPDATE SET
  ${sumColumns.map((name) => `${name} = usage_count.${name} + EXCLUDED.${name}`).join(', ')},
  (latency_buckets, latency_runs) = (
    SELECT coalesce(array_agg(bucket ORDER BY bucket), '{}'), coalesce(array_agg(runs ORDER BY bucket), '{}')
    FROM (
      SELECT bucket, sum(runs)::bigint AS runs FROM (
        SELECT * FROM unnest(usage_count.latency_buckets, usage_count.latency_runs)
        UNION ALL SELECT * FROM unnest(EXCLUDED.latency_buckets, EXCLUDED.latency_runs)
      ) AS both_counts (bucket, runs) GROUP BY bucket
    ) AS added
  )`;

/** Adds the rows to the stored ones, once however often it is called with the batch. */
async function addUsage(
  prisma: PrismaClient,
  { writerId, batch, at, rows }: UsageBatch,
): Promise<void> {
  const values = [...lists(rows)];
  for (let attempt = 1; ; attempt++) {
    try {
      await prisma.$executeRawUnsafe(add, writerId, String(batch), at.toISOString(), ...values);
      return;
    } catch (error) {
      // A project was deleted between the statement's snapshot and the reference check.
      if (attempt === 3 || !isForeignKeyViolation(error)) throw error;
    }
  }
}

/** One list of strings per column. */
function lists(rows: readonly UsageRow[]): readonly (readonly string[])[] {
  const of = (read: (row: UsageRow) => string | number) => rows.map((row) => String(read(row)));
  return [
    of((row) => row.projectId),
    of((row) => row.step),
    of((row) => row.at.toISOString()),
    of((row) => row.endpointId),
    of((row) => row.version),
    of((row) => row.keyId),
    of((row) => row.interface),
    of((row) => row.path),
    of((row) => row.outcome),
    of((row) => row.endpointName),
    ...usageSumNames.map((name) => of(({ counts }) => counts[name])),
    of(({ counts }) => `{${[...counts.latency.keys()].join(',')}}`),
    of(({ counts }) => `{${[...counts.latency.values()].join(',')}}`),
  ];
}

/** Deletes `chunk` rows at a time. Returns how many. */
function deleteUsageBefore(
  prisma: PrismaClient,
  { step, before }: { readonly step: UsageStep; readonly before: Date },
  chunk: number,
): Promise<number> {
  return deleteInChunks(chunk, () =>
    prisma.$executeRaw(Prisma.sql`
      DELETE FROM usage_count WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM usage_count WHERE step = ${step} AND at < ${before} LIMIT ${chunk}
      ))`),
  );
}

/** Deletes writers that have not written since; each wrote for as long as its process lived. */
async function deleteWritersBefore(prisma: PrismaClient, before: Date): Promise<number> {
  const { count } = await prisma.usageWriter.deleteMany({ where: { writtenAt: { lt: before } } });
  return count;
}
