/** The migration that names the fields of endpoints from before there were any. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fieldName } from '../../src/data-graph/names.ts';
import { findMigrationsDir, listMigrations } from '../../src/store/migrations-folder.ts';
import { freshDatabase } from '../support/postgres.ts';
import { withClient } from '../support/test-server.ts';

const migration = '20261123020000_graphql_names';

/** The oldest first. */
const names = [
  'airport_delays',
  'a_b',
  'a-b',
  'A',
  'a',
  'aB',
  'sales_v2',
  'HTTPErrors',
  'HTTP2Code',
  'ABc-DEf',
  'x--_--',
  'x_1_2',
  'x_12',
  'Z9',
  'UPPER_CASE',
  'camelCase',
  'I',
  `l${'x'.repeat(127)}`,
  `L${'x'.repeat(127)}`,
];

test('it names them as new ones are named, the oldest first and each once in its project', async () => {
  const database = await freshDatabase({ empty: true });
  const dir = findMigrationsDir();
  const earlier = (await listMigrations(dir)).filter(({ name }) => name < migration);
  expect(earlier.length).toBeGreaterThan(0);
  const rows = await withClient(database.databaseUrl, async (client) => {
    for (const { sql } of earlier) await client.query(sql);
    await client.query("INSERT INTO project (id, name) VALUES (1, 'one'), (2, 'two')");
    for (const [at, name] of [...names, ...names].entries()) {
      const project = at < names.length ? 1 : 2;
      await client.query(
        `INSERT INTO endpoint (id, project_id, name, created_at)
         VALUES (gen_random_uuid(), $1, $2, '2026-01-01'::timestamptz + make_interval(secs => $3))`,
        [project, name, at],
      );
    }
    await client.query(await readFile(path.join(dir, migration, 'migration.sql'), 'utf8'));
    const found = await client.query<{ name: string; graphql_name: string }>(
      'SELECT name, graphql_name FROM endpoint WHERE project_id = 2 ORDER BY created_at',
    );
    return found.rows;
  });
  await database.drop();
  const taken = new Set<string>();
  const expected = names.map((name) => {
    const field = fieldName(name, (one) => taken.has(one));
    taken.add(field);
    return { name, graphql_name: field };
  });
  expect(rows).toEqual(expected);
});
