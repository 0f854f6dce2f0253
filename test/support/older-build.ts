/** What a process of the version before the data graph writes, which goes on for a while when another upgrades the database. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Its statements when it saves an endpoint, as its Prisma sent them. Returns the endpoint's id. */
export async function saveByOlderBuild(
  pool: pg.Pool,
  endpoint: {
    readonly projectId: number;
    readonly name: string;
    readonly query: string;
    readonly columns: readonly object[];
  },
): Promise<string> {
  const { projectId, name, columns } = endpoint;
  const [id, versionId] = [randomUUID(), randomUUID()];
  const now = '2026-11-22T12:00:00Z';
  const query = { kind: 'SQLQuery', query: endpoint.query, variables: {} };
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO "public"."endpoint" ("id","project_id","name","is_active","derived_from_insight","tags","created_by_id","created_at","updated_at")
       VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9) RETURNING "public"."endpoint"."id"`,
      [id, projectId, name, true, null, [], null, now, now],
    );
    await client.query(
      `INSERT INTO "public"."endpoint_version" ("id","endpoint_id","version","description","query","columns","variables","cache_age_seconds","is_active","created_by_id","created_at","updated_at")
       VALUES ($1,$2,1,'',$3,$4,'[]',60,true,null,$5,$5)`,
      [versionId, id, JSON.stringify(query), JSON.stringify(columns), now],
    );
    await client.query(
      `INSERT INTO "public"."materialization_status" ("id","version_id","enabled","sync_frequency") VALUES ($1,$2,false,'24hour')`,
      [randomUUID(), versionId],
    );
    await client.query(
      'UPDATE "public"."endpoint" SET "current_version_id" = $1 WHERE ("public"."endpoint"."id" = $2 AND 1=1)',
      [versionId, id],
    );
    await client.query('SELECT pg_notify($1, $2)', [
      'querydock_changes',
      JSON.stringify({ kind: 'endpoint', projectId, name }),
    ]);
    await client.query('COMMIT');
    return id;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
