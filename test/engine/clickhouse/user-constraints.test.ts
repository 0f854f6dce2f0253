/** What holds the engine's users of a project, tried at the engine itself with nothing of the service before it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import {
  type ProjectRole,
  readerSettings,
  type UserSetting,
  writerSettings,
} from '../../../src/engine/clickhouse/provision/project-users.ts';
import { config, type LocalEngine, log, startLocalEngine } from '../support/local-engine.ts';

let local: LocalEngine;

beforeAll(async () => {
  local = await startLocalEngine();
  const { connection } = local.engine;
  const engine = openClickHouseEngine({ connection, config, log, local: local.engine });
  for (const id of [1, 2]) await engine.provision(id);
  await engine.close();
});
afterAll(() => local?.close());

async function ask(role: ProjectRole, sql: string, params: Readonly<Record<string, string>> = {}) {
  const { connection } = local.engine;
  const { user, password, database } = connection.credentials(1, role);
  const url = new URL(connection.url);
  for (const [name, value] of Object.entries({ database, wait_end_of_query: '1', ...params }))
    url.searchParams.set(name, value);
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const response = await fetch(url, { method: 'POST', body: sql, headers });
  return { ok: response.ok, text: await response.text() };
}

interface Change {
  readonly role: ProjectRole;
  readonly name: string;
  readonly to: string;
}

/** Values that the setting must not take: none at all, or what lies outside its range. */
function forbidden({ name, value, change }: UserSetting): readonly string[] {
  if (change === 'free') return [];
  // Without a value of its own it has the engine's, which is 0 and no change.
  if (change !== 'fixed') {
    const isZeroOutside = value !== null && change.min > 0;
    return [...(isZeroOutside ? ['0'] : []), String(change.max + 1)];
  }
  if (typeof value === 'number') return [String(value + 1), String(value === 0 ? 2 : 0)];
  return name === 'session_timezone' ? ['Europe/Paris', ''] : ['break', 'any'];
}

const settings = { reader: readerSettings(config), writer: writerSettings(config) } as const;
const roles = ['reader', 'writer'] as const;
const changes: readonly Change[] = roles.flatMap((role) =>
  settings[role].flatMap((setting) =>
    forbidden(setting).map((to) => ({ role, name: setting.name, to })),
  ),
);

/** What no query of either user may change, whatever the tables of settings say by now. */
const limits = [
  'max_memory_usage',
  'max_execution_time',
  'max_concurrent_queries_for_user',
  'max_temporary_data_on_disk_size_for_query',
  'timeout_overflow_mode',
  'result_overflow_mode',
  'allow_introspection_functions',
];

/** In the words of the engine for a value outside what a user may have, and not of any other fault. */
const held =
  /SETTING_CONSTRAINT_VIOLATION|READONLY|QUERY_IS_PROHIBITED|BAD_ARGUMENTS|UNKNOWN_OVERFLOW_MODE|CANNOT_PARSE|should(?:n't| not) be/;

describe('what is fixed', () => {
  it.each(roles)('is every limit of the %s', (role) => {
    const tried = changes.filter((change) => change.role === role).map(({ name }) => name);
    const own = role === 'reader' ? ['readonly', 'allow_ddl', 'max_result_bytes'] : [];
    expect(tried).toEqual(expect.arrayContaining([...limits, ...own]));
  });

  it.each(changes)(
    'for the $role is not $name = $to by the address',
    async ({ role, name, to }) => {
      const { ok, text } = await ask(role, 'SELECT 1', { [name]: to });
      expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringMatching(held) });
    },
  );

  it.each(changes)('for the $role is not $name = $to by SETTINGS', async ({ role, name, to }) => {
    const { ok, text } = await ask(role, `SELECT 1 SETTINGS ${name} = '${to}'`);
    expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringMatching(held) });
  });

  it.each(changes)('for the $role is not $name = $to by SET', async ({ role, name, to }) => {
    const session = { session_id: randomUUID() };
    const before = await ask(role, `SELECT toString(getSetting('${name}'))`, session);
    expect((await ask(role, `SET ${name} = '${to}'`, session)).ok).toBe(false);
    const after = await ask(role, `SELECT toString(getSetting('${name}'))`, session);
    expect(after).toEqual(before);
    expect(after.ok).toBe(true);
  });
});

describe('the reader', () => {
  it.each([
    ['max_rows_to_read', '5'],
    ['max_bytes_to_read', '1'],
    ['additional_table_filters', "{'x':'1'}"],
    ['max_memory_usage_for_user', '5'],
    ['allow_experimental_analyzer', '0'],
    ['enable_analyzer', '0'],
    ['log_queries', '0'],
    ['max_result_rows', '5'],
    ['max_ast_depth', '0'],
    ['compile_sort_description', '0'],
    ['profile', 'writer'],
    ['profile', 'boot'],
  ])('sets nothing that it was not given: %s=%s', async (name, value) => {
    expect(await ask('reader', 'SELECT 1', { [name]: value })).toMatchObject({ ok: false });
  });

  it('sets what the service sends along', async () => {
    expect(await ask('reader', 'SELECT 1', { limit: '1', max_execution_time: '2' })).toEqual({
      ok: true,
      text: '1\n',
    });
  });
});

describe.each(roles)('the %s', (role) => {
  it.each([
    [{ user: 'admin' }],
    [{ user: 'default' }],
    [{ user: 'project_2_reader' }],
    [{ user: 'project_2_writer' }],
    [{ password: 'x' }],
    [{ role: 'admin' }],
    [{ profile: 'writer_of_another' }],
    [{ quota_key: 'x' }],
  ])('is nobody else by %j in the address', async (params) => {
    const { ok, text } = await ask(role, 'SELECT currentUser()', params);
    if (ok) expect(text).toBe(`project_1_${role}\n`);
    else expect(text).toMatch(/Exception/);
  });

  it.each(['default', role])('is held as before by the profile %s', async (profile) => {
    const session = { session_id: randomUUID() };
    expect((await ask(role, `SET profile = '${profile}'`, session)).ok).toBe(true);
    for (const { name, to } of changes.filter((change) => change.role === role)) {
      expect((await ask(role, `SET ${name} = '${to}'`, session)).ok).toBe(false);
      expect((await ask(role, 'SELECT 1', { profile, [name]: to })).ok).toBe(false);
    }
  });

  it('reads nothing of another database by naming it in the address', async () => {
    const sql = 'SELECT count() FROM anything';
    expect((await ask(role, sql, { database: 'project_2' })).ok).toBe(false);
    expect((await ask(role, 'SELECT count() FROM tables', { database: 'system' })).text).toBe(
      '0\n',
    );
    expect((await ask(role, 'SELECT count() FROM processes', { database: 'system' })).ok).toBe(
      false,
    );
  });
});
