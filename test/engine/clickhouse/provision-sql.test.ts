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
const statements = [
  ...provisionSql(7, connection, { limits: config }),
  dropDatabaseSql(7),
  ...dropUsersSql(7),
];

describe('the statements that provision a project on a server', () => {
  let local: LocalEngine;
  beforeAll(async () => {
    local = await startLocalEngine();
  });
  afterAll(async () => local?.close());

  it.each(statements)('are understood by the engine: %s', async (sql) => {
    const tree = await adminRunner(local.engine.connection)(`EXPLAIN AST ${sql}`);
    expect(tree).toMatch(/^(create|drop|grant)/i);
  });

  it('name settings that the engine has', async () => {
    const create = statements.find((sql) => sql.startsWith('CREATE USER')) ?? '';
    const names = [...create.replace(/^.* SETTINGS /, '').matchAll(/(?:^|, )([a-z_0-9]+)/g)];
    const known = await adminRunner(local.engine.connection)('SELECT name FROM system.settings');
    expect(names.length).toBeGreaterThan(15);
    const missing = names.map((match) => match[1] ?? '').filter((name) => !known.includes(name));
    expect(missing).toEqual([]);
  });

  it('leave out rewritings that a server does not have', () => {
    const [name] = harmfulOptimizations;
    const rules = { limits: config, missing: new Set<string>([name]) };
    expect(statements.join()).toContain(`${name} = 0 CONST`);
    expect(provisionSql(7, connection, rules).join()).not.toContain(name);
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
