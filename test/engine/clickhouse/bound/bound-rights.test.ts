/** Users of bound projects that lack one right: what does not work says which, and nothing is left in their databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachProject } from '../../../../src/access/attach-project.ts';
import { engineConfig } from '../../../../src/backends.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { readerGrants, writerGrants } from '../../../../src/engine/clickhouse/bound/binding-sql.ts';
import {
  readerSettings,
  writerSettings,
} from '../../../../src/engine/clickhouse/provision/project-users.ts';
import { openSealer } from '../../../../src/lib/seal.ts';
import { commandLineActor } from '../../../../src/model/actor.ts';
import { openBindingStore } from '../../../../src/store/binding-store.ts';
import { type DbaServer, profileOf, startDbaServer } from '../../../support/dba-server.ts';
import { openTestApp, type TestApp, type TestProject } from '../../../support/test-app.ts';

const key = 'b7'.repeat(32);
const limits = engineConfig(readConfig({}));
const lacksOf = (user: string, right: string) =>
  `The user that ${user} ${right}; querydock project check names the rights that it lacks.`;
const ofStored = (right: string) =>
  lacksOf('stores results', `lacks the right ${right} on the database of stored tables`);

/** The database of stored tables, the right that is taken away, and what a sync says then. */
const cases = [
  ['no_select', 'writer', /SELECT, (?=INSERT)/, ofStored('SELECT')],
  ['no_insert', 'writer', /INSERT, /, ofStored('INSERT')],
  ['no_create', 'writer', /CREATE TABLE, /, ofStored('CREATE TABLE')],
  ['no_drop', 'writer', /, DROP TABLE/, ofStored('DROP TABLE')],
  [
    'no_engine',
    'writer',
    /^TABLE ENGINE ON MergeTree$/,
    lacksOf('stores results', 'lacks the right TABLE ENGINE ON MergeTree'),
  ],
  [
    'no_source',
    'writer',
    /^SELECT ON shop\.\*$/,
    lacksOf(
      'stores results',
      'may not read all that the query reads, such as a column or a dictionary',
    ),
  ],
  [
    'unread',
    'reader',
    /^SELECT ON unread\.\*$/,
    lacksOf(
      'runs queries',
      'may not read the stored table that was just created, so its rows cannot be counted',
    ),
  ],
] as const;
const dictless = 'no_dictionary';

let server: DbaServer;
let tested: TestApp;
beforeAll(async () => {
  server = await startDbaServer([
    ...cases.flatMap(([stored, user, right]) => usersOf(stored, user, right)),
    ...usersOf(dictless, 'reader', /^dictGet.*/),
  ]);
  const databases = ['shop', dictless, ...cases.map(([stored]) => stored)];
  for (const name of databases) await server.sql(`CREATE DATABASE ${name}`);
  await server.sql(
    'CREATE TABLE shop.orders ENGINE = MergeTree ORDER BY id AS SELECT number AS id FROM numbers(9)',
  );
  await server.sql(
    'CREATE DICTIONARY shop.labels (id UInt64, label String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0)',
  );
  tested = await openTestApp({ credentialsKey: key }, undefined, { projects: 12 });
});
afterAll(async () => {
  await tested?.close();
  await server?.stop();
});

const placeOf = (stored: string) => ({
  databases: ['shop'],
  stored,
  dictionaries: ['shop.labels'],
});

function usersOf(stored: string, user: 'reader' | 'writer', right: RegExp) {
  const granted = (all: readonly string[], lacks: boolean) =>
    lacks ? all.map((grant) => grant.replace(right, '')).filter((grant) => grant !== '') : all;
  const place = placeOf(stored);
  return [
    {
      name: `${stored}_reader`,
      grants: granted(readerGrants(place), user === 'reader'),
      profile: profileOf(readerSettings(limits)),
    },
    {
      name: `${stored}_writer`,
      grants: granted(writerGrants(place), user === 'writer'),
      profile: profileOf(writerSettings(limits)),
    },
  ];
}

async function openBound(stored: string): Promise<TestProject> {
  const { id } = await tested.app.core.projects.createProject(stored);
  const { prisma } = tested.backends.metadata;
  const bindings = openBindingStore({ prisma, clock: tested.clock, sealer: openSealer(key) });
  const readerUrl = server.urlOf(`${stored}_reader`);
  const writerUrl = server.urlOf(`${stored}_writer`);
  const attachment = { ...placeOf(stored), readerUrl, writerUrl };
  await attachProject({ bindings }, id, { attachment, by: commandLineActor });
  const bare = { id, readKey: '', writeKey: '' };
  const issued = await tested.issueKey({ scopes: ['endpoint:write'], projects: [bare] });
  return { id, readKey: issued.key, writeKey: issued.key };
}

describe('a bound project whose users lack a right', () => {
  it.each(cases)('says so in its syncs and leaves no table: %s', async (stored, _user, _, says) => {
    const project = await openBound(stored);
    const query =
      'SELECT id % 2 AS odd, count() AS n FROM orders WHERE id >= {x:UInt8} GROUP BY odd';
    const body = { name: 'odd', query, is_materialized: true };
    expect((await tested.rest('POST', '/endpoints', { project, body })).status).toBe(201);
    expect((await tested.app.materialization.runOnce()).syncs).toEqual(['failed']);
    const path = '/endpoints/odd/materialization_status';
    expect((await tested.rest('GET', path, { project })).body).toMatchObject({ error: says });
    const run = { variables: { x: 7 }, refresh: 'force' };
    const { body: ran } = await tested.rest('POST', '/endpoints/odd/run', { project, body: run });
    expect(ran).toMatchObject({ served_from: 'inline' });
    await tested.rest('DELETE', '/endpoints/odd', { project });
    tested.clock.advance(120_000);
    await tested.app.materialization.sweep();
    const left = `SELECT count() FROM system.tables WHERE database = '${stored}'`;
    expect(await server.sql(left)).toBe('0\n');
  });

  it('says so to whoever saves or runs a query of a dictionary', async () => {
    const says =
      'The user that runs queries lacks the right dictGet on the dictionary shop.labels. An operator should run querydock project check.';
    const project = await openBound(dictless);
    // The engine looks it up when the query is analyzed.
    const query = "SELECT dictGet('shop.labels', 'label', 1) AS label, id FROM orders";
    const body = { name: 'labels', query };
    expect((await tested.rest('POST', '/endpoints', { project, body })).body).toMatchObject({
      code: 'invalid_query',
      detail: says,
    });
    const simple = "SELECT dictGet('shop.labels', 'label', id) AS label FROM orders";
    const ofRun = { query: { kind: 'SQLQuery', query: simple } };
    expect((await tested.rest('POST', '/query', { project, body: ofRun })).body).toMatchObject({
      detail: says,
    });
  });
});
