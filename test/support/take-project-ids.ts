import { lastCountedProjectId } from './project-ids.ts';
import { type TestPostgres, withClient } from './test-server.ts';

/** Takes project ids of the run's engine that nobody else has, one after the other. @returns the first. */
export async function takeProjectIds(
  { databaseUrl, prefix }: TestPostgres,
  count = 1,
): Promise<number> {
  const first = await withClient(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(1)');
    await client.query(`CREATE SEQUENCE IF NOT EXISTS ${prefix}_projects`);
    const { rows } = await client.query<{ next: string }>(
      `SELECT nextval('${prefix}_projects') AS next`,
    );
    const next = Number(rows[0]?.next);
    await client.query(`SELECT setval('${prefix}_projects', ${next + count - 1})`);
    return next;
  });
  if (first + count - 1 > lastCountedProjectId)
    throw new Error('there are fewer projects for a run of the tests: see project-ids.ts');
  return first;
}
