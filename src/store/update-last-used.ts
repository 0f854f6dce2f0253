import type { Prisma } from '../generated/prisma/client.ts';

const statements = {
  api_key: lastUsedStatement('api_key', 'last_used_at'),
  endpoint: lastUsedStatement('endpoint', 'last_executed_at'),
} as const;

/**
 * Locks rows in id order, so that two concurrent writers wait for each other instead of deadlocking; a row whose time
 * would not move is not written.
 */
function lastUsedStatement(table: string, column: string): string {
  return `WITH later AS MATERIALIZED (
  SELECT row.id, given.at
  FROM unnest($1::uuid[], $2::timestamptz[]) AS given (id, at)
  JOIN "${table}" AS row ON row.id = given.id
  WHERE row."${column}" IS NULL OR row."${column}" < given.at
  ORDER BY row.id
  FOR NO KEY UPDATE OF row
)
UPDATE "${table}" AS row SET "${column}" = GREATEST(row."${column}", later.at)
FROM later WHERE row.id = later.id`;
}

type UpdateTimes = (
  deps: { readonly prisma: Prisma.TransactionClient },
  times: ReadonlyMap<string, Date>,
) => Promise<void>;

/**
 * Moves each id's time of last use forward, never back, in one statement. Ignores unknown ids and sends no
 * notification.
 */
export function updateTimesOf(table: keyof typeof statements): UpdateTimes {
  return async ({ prisma }, times) => {
    if (times.size === 0) return;
    const ids = [...times.keys()];
    const at = [...times.values()].map((time) => time.toISOString());
    await prisma.$executeRawUnsafe(statements[table], ids, at);
  };
}
