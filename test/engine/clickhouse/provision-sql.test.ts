import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectLogin } from '../../../src/engine/clickhouse/http/connection.ts';
import { harmfulOptimizations } from '../../../src/engine/clickhouse/provision/project-users.ts';
import {
  dropDatabaseSql,
  dropUsersSql,
  provisionSql,
} from '../../../src/engine/clickhouse/provision/provision-sql.ts';
import { adminRunner } from '../support/admin.ts';
import { config, type LocalEngine, secret, startLocalEngine } from '../support/local-engine.ts';

const connection = {
  credentials: (projectId: number, role: 'reader' | 'writer') =>
    projectLogin(secret, projectId, role),
};
const statementsOn = (on: string) => [
  ...provisionSql(7, connection, { limits: config, on }),
  dropDatabaseSql(7, on),
  ...dropUsersSql(7, on),
];
const statements = statementsOn('');
const onCluster = statementsOn(' ON CLUSTER `main`');

describe('the statements that provision a project on a server', () => {
  let local: LocalEngine;
  beforeAll(async () => {
    local = await startLocalEngine();
  });
  afterAll(async () => local?.close());

  it.each([...statements, ...onCluster])('are understood by the engine: %s', async (sql) => {
    const tree = await adminRunner(local.engine.connection)(`EXPLAIN AST ${sql}`);
    expect(tree).toMatch(/^(create|drop|grant)/i);
  });

  it('name settings that the engine has', async () => {
    const profiles = statements.filter((sql) => sql.startsWith('CREATE SETTINGS PROFILE'));
    expect(profiles).toHaveLength(2);
    const names = profiles.flatMap((sql) => [
      ...sql.replace(/^.* SETTINGS /, '').matchAll(/(?:^|, )([a-z_0-9]+)/g),
    ]);
    const known = await adminRunner(local.engine.connection)('SELECT name FROM system.settings');
    expect(names.length).toBeGreaterThan(15);
    const missing = names.map((match) => match[1] ?? '').filter((name) => !known.includes(name));
    expect(missing).toEqual([]);
  });

  it('give users no limits of their own, but those of the profiles that all share', () => {
    const users = statements.filter((sql) => sql.startsWith('CREATE USER'));
    expect(users.map((sql) => sql.replace(/^.* SETTINGS /, ''))).toEqual([
      "PROFILE 'querydock_reader'",
      "PROFILE 'querydock_writer'",
    ]);
    expect(statements[0]).toContain('CREATE SETTINGS PROFILE OR REPLACE querydock_reader ');
    expect(statements[1]).toContain('CREATE SETTINGS PROFILE OR REPLACE querydock_writer ');
  });

  it('leave out rewritings that a server does not have', () => {
    const [name = ''] = harmfulOptimizations.keys();
    const rules = { limits: config, missing: new Set([name]) };
    expect(statements.join()).toContain(`${name} = '0' CONST`);
    expect(provisionSql(7, connection, rules).join()).not.toContain(name);
  });

  it('are all for every node of a cluster', () => {
    expect(onCluster.filter((sql) => !sql.includes(' ON CLUSTER `main`'))).toEqual([]);
    expect(onCluster.map((sql) => sql.replace(' ON CLUSTER `main`', ''))).toEqual(statements);
  });

  it('hold no password', () => {
    for (const role of ['reader', 'writer'] as const) {
      const { password } = projectLogin(secret, 7, role);
      expect(statements.join('\n')).not.toContain(password);
    }
    expect(statements.join('\n')).not.toContain(secret);
  });

  it('give the reader nothing but SELECT on its own database', () => {
    const grants = statements.filter((sql) => /^GRANT .* TO project_7_reader$/.test(sql));
    expect(grants).toEqual(['GRANT SELECT ON project_7.* TO project_7_reader']);
  });
});
