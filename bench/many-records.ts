/** The metadata of a service in long use, written directly to its PostgreSQL. */
import pg from 'pg';
import type { DemoServer } from './demo-server.ts';

export const manyProjects = 1000;
export const manyEndpoints = 10_000;
export const manyVersions = 10;

/** Every tenth endpoint belongs to the demo's project, the others to all projects in turn. */
const statements = [
  `INSERT INTO project (name) SELECT 'project ' || n FROM generate_series(2, ${manyProjects}) n`,
  `CREATE TEMP TABLE places AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, id FROM project`,
  `INSERT INTO endpoint (id, project_id, name, graphql_name)
    SELECT gen_random_uuid(), CASE WHEN n % 10 = 0 THEN $1::int ELSE id END, 'saved_' || n, 'saved' || n
    FROM generate_series(1, ${manyEndpoints}) n JOIN places ON place = n % ${manyProjects}`,
  `INSERT INTO endpoint_version (id, endpoint_id, version, query, columns)
    SELECT gen_random_uuid(), e.id, v, jsonb_build_object('kind', 'SQLQuery', 'query', 'SELECT ' || v || ' AS n', 'variables', '{}'::jsonb),
      '[{"name": "n", "type": "UInt8"}]'
    FROM endpoint e, generate_series(1, ${manyVersions}) v WHERE e.name LIKE 'saved\\_%'`,
  `INSERT INTO materialization_status (id, version_id, reason)
    SELECT gen_random_uuid(), v.id, NULL FROM endpoint_version v LEFT JOIN materialization_status m ON m.version_id = v.id
    WHERE m.id IS NULL`,
  `UPDATE endpoint e SET current_version_id = v.id FROM endpoint_version v
    WHERE v.endpoint_id = e.id AND v.version = ${manyVersions} AND e.current_version_id IS NULL`,
  'ANALYZE',
];

export async function fillRecords({ server, projectId }: DemoServer): Promise<void> {
  const client = new pg.Client({ connectionString: server.database_url });
  await client.connect();
  try {
    for (const text of statements) {
      await client.query(text, text.includes('$1') ? [projectId] : []);
    }
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM endpoint_version');
    const made = Number(rows[0]?.count);
    if (made < manyEndpoints * manyVersions) throw new Error(`only ${made} versions were made`);
  } finally {
    await client.end();
  }
}
