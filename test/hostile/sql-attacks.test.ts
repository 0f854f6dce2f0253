/**
 * Every attack by the text of a query, in up to four ways: saved through REST, where the guard
 * stands; straight to the engine as the project's reader, and as its writer, where the grants stand alone;
 * and through a sync, where the guard stands again.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { remoteConnection } from '../../src/engine/clickhouse/http/connection.ts';
import type { ProjectRole } from '../../src/engine/clickhouse/provision/project-users.ts';
import { hasLandlock } from '../support/landlock.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { attacks, selects } from './sql/all.ts';
import { leak, type SqlAttack } from './support/attack.ts';
import { type Canaries, openCanaries, secretInFile, secretRow } from './support/canaries.ts';

/**
 * A message names the position in the text. Exceptions: an empty text, a variable that is quoted as it is written, what
 * the engine substitutes, and what the engine itself does not find or does not allow its reader.
 */
const located =
  /line \d+, column \d+|^The query is empty|^\{\w+:Identifier\} is|^The (?:table )?function (?:viewExplain|globalVariable) |^Unknown |^Function with name|^A query can only read the tables of its project, named without a database\.$/;

describe('an attack by the text of a query', () => {
  let tested: TestApp;
  let canaries: Canaries;

  beforeAll(async () => {
    tested = await openTestApp();
    canaries = await openCanaries(tested);
  });
  afterEach(async () => {
    expect(await canaries.touched()).toEqual([]);
  });
  afterAll(async () => {
    await canaries?.close();
    await tested?.close();
  });

  it('comes in more than 200 kinds', () => {
    expect(new Set(attacks.map(({ sql }) => sql)).size).toBe(attacks.length);
    expect(attacks.length).toBeGreaterThanOrEqual(200);
  });

  describe('is refused on saving', () => {
    it.each(attacks)('$family: $sql', async ({ sql, says }) => {
      const body = { name: 'attack', query: canaries.fill(sql) };
      const { status, body: answer } = await tested.rest('POST', '/endpoints', { body });
      expect({ status, ...answer }).toMatchObject({ status: 400, type: 'validation_error' });
      expect(answer.code).toMatch(/^(invalid_query|invalid_input)$/);
      expect(answer.detail).toMatch(says);
      expect(answer.detail).not.toMatch(leak);
      expect(answer.detail).toMatch(located);
      expect((await tested.rest('GET', '/endpoints/attack')).status).toBe(404);
    });
  });

  async function straight(role: ProjectRole, sql: string) {
    const { clickhouseUrl, secret } = inject('engine');
    const connection = remoteConnection(clickhouseUrl, secret);
    const { user, password, database } = connection.credentials(tested.project.id, role);
    const url = new URL(connection.url);
    const params = { database, wait_end_of_query: '1', ...identifiers(tested) };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
    const response = await fetch(url, { method: 'POST', body: sql, headers });
    return { ok: response.ok, text: await response.text() };
  }

  function expectBare(
    { bare, family }: SqlAttack,
    { ok, text }: { ok: boolean; text: string },
  ): void {
    expect(text).not.toContain(secretRow);
    if (bare.startsWith('denied')) expect({ ok, text }).toMatchObject({ ok: false });
    // Where the engine's process cannot open the file, no call of the function runs.
    const isClosed = hasLandlock && family === 'files by a function';
    if (bare === 'harmless') expect({ ok, text }).toMatchObject({ ok: !isClosed });
    const isReached = bare === 'residual' && !hasLandlock;
    if (isReached) expect(text).toContain(secretInFile);
    else expect(text).not.toContain(secretInFile);
  }

  describe('meets the grants of the reader alone', () => {
    it.each(attacks)('$bare, $family: $sql', async (attack) => {
      expectBare(attack, await straight('reader', canaries.fill(attack.sql)));
    });
  });

  describe('meets the grants of the writer alone', () => {
    it.each(selects)('$bare, $family: $sql', async ({ sql, bare }) => {
      const table = `_attack_${randomUUID().replaceAll('-', '')}`;
      const text = `CREATE TABLE ${table} ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM (\n${canaries.fill(sql)}\n)`;
      const made = await straight('writer', text);
      if (bare === 'denied') expect(made).toMatchObject({ ok: false });
      const read = made.ok ? await tested.sql(`SELECT * FROM ${table}`) : made.text;
      await tested.sql(`DROP TABLE IF EXISTS ${table} SYNC`);
      expect(read).not.toContain(secretRow);
      if (bare !== 'residual' || hasLandlock) expect(read).not.toContain(secretInFile);
    });
  });

  describe('is refused by a sync', () => {
    it.each(selects)('$family: $sql', async ({ sql }) => {
      const sync = tested.backends.engine.createTableFrom({
        projectId: tested.project.id,
        table: '_materialized_attack',
        sql: canaries.fill(sql),
        params: identifiers(tested),
        queryId: randomUUID(),
        orderBy: [],
        maxRows: 10,
      });
      await expect(sync).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_query|query_failed|missing_variable)$/),
      });
    });
  });
});

/** Values for parameters that would be names. */
function identifiers(tested: TestApp): Readonly<Record<string, string>> {
  return {
    param_x: 'country',
    param_t: 'secret',
    param_d: `project_${tested.other.id}`,
    param_a: 'b',
    param_f: 'file',
  };
}
