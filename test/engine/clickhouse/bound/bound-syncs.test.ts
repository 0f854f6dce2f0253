/** Syncs of bound projects, which are filled by another user than the one that runs queries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BoundWorld, openBoundWorld, repeated, several } from './support/bound-world.ts';

let world: BoundWorld;
beforeAll(async () => {
  world = await openBoundWorld();
});
afterAll(() => world?.close());

it.each([
  "SELECT dictGet('shop.labels', 'label', tenant) AS label, count() AS n FROM open WHERE id >= {x:UInt32} GROUP BY label ORDER BY label",
  "SELECT id FROM open WHERE dictGetOrDefault('shop.labels', 'label', tenant, 'other') = 'other' AND id > {x:UInt32} ORDER BY id",
  "SELECT tenant, any(dictGet('shop.labels', 'label', tenant)) AS label, uniqExact(id) AS n FROM open WHERE id < {x:UInt32} GROUP BY tenant ORDER BY tenant",
])('what a dictionary has is stored: %s', async (query) => {
  const project = world.projectOf('usual');
  await world.expectSame(project, await world.synced(project, query, 'completed'), [
    { x: 0 },
    { x: 31 },
  ]);
});

it.each([
  "SELECT dictGet('shop.labels', 'label', {x:String}) AS label, count() AS n FROM open WHERE tenant = {x:String}",
  "SELECT id FROM open WHERE tenant = dictGet('shop.labels', 'label', {x:String})",
  "SELECT dictGetOrDefault('shop.labels', 'label', tenant, {x:String}) AS label, count() AS n FROM open GROUP BY label",
])('what runs would look up is not materialized: %s', async (query) => {
  const body = { name: 'looks_up', query, is_materialized: true };
  const { status, body: refused } = await world.tested.rest('POST', '/endpoints', {
    project: world.projectOf('usual'),
    body,
  });
  expect(status).toBe(400);
  expect(refused.detail).toMatch(
    /^Cannot materialize endpoint\. The function dictGet(?:OrDefault)? would look a value up in each run, .* \(line 1, column \d+\)\.$/,
  );
});

it('says that the user that stores results lacks rights', async () => {
  const project = world.projectOf('earlier');
  const query =
    "SELECT id, dictGet('shop.labels', 'label', tenant) AS label FROM open WHERE id = {x:UInt32}";
  const name = await world.synced(project, query, 'failed');
  const status = await world.tested.rest('GET', `/endpoints/${name}/materialization_status`, {
    project,
  });
  expect(status.body).toMatchObject({
    can_materialize: true,
    error:
      'The user that stores results may not read all that the query reads, such as a column or a dictionary; querydock project check names the rights that it lacks.',
  });
});

it.each([
  ['differing', 'orders'],
  ['differing', 'large'],
  ['differing', 'every'],
  ['mapped', 'orders'],
] as const)(
  'rows that a row policy hides from runs are not stored: for %s, of %s',
  async (user, table) => {
    const query = `SELECT tenant, sum(amount) AS total FROM ${table} WHERE id >= {x:UInt32} GROUP BY tenant`;
    const project = world.projectOf(user);
    // The policy hides none of the rows that are there.
    const name = await world.synced(project, query, 'failed');
    const status = await world.tested.rest('GET', `/endpoints/${name}/materialization_status`, {
      project,
    });
    expect(status.body).toMatchObject({
      can_materialize: false,
      reason: `Row policies give the user that runs queries other rows of shop.${table} than the user that stores results. Give both users of the project the same row policies.`,
    });
    expect(await world.run(project, name, { x: 0 })).toMatchObject({ served_from: 'inline' });
  },
);

it('nor are those of a table that was empty when the sync began', async () => {
  const project = world.projectOf('arriving');
  const rows =
    "INSERT INTO shop.arriving SELECT number, ['a', 'b'][number % 2 + 1] FROM numbers(9)";
  let isWritten = false;
  world.held.before(async (statement) => {
    if (isWritten || !statement.startsWith('CREATE')) return;
    isWritten = true;
    await world.server.sql(rows);
  });
  const query = 'SELECT tenant, count() AS n FROM arriving WHERE id >= {x:UInt32} GROUP BY tenant';
  const name = await world.synced(project, query, 'failed');
  world.held.before(null);
  expect(await world.errorOf(project, name)).toMatch(
    /the stored table gives one more row \["b",4\] than inline/,
  );
  expect(await world.run(project, name, { x: 0 })).toMatchObject({
    served_from: 'inline',
    results: [['a', 5]],
  });
});

it('tables with the same row policies for both users are stored, and so are others', async () => {
  const project = world.projectOf('tenant');
  const query =
    'SELECT tenant, sum(amount) AS total FROM large WHERE id >= {x:UInt32} GROUP BY tenant';
  await world.expectSame(project, await world.synced(project, query, 'completed'), [
    { x: 0 },
    { x: 50 },
  ]);
  const other = world.projectOf('differing');
  const open =
    'SELECT tenant, count() AS n FROM open WHERE id >= {x:UInt32} GROUP BY tenant ORDER BY tenant';
  await world.expectSame(other, await world.synced(other, open, 'completed'), [
    { x: 0 },
    { x: 50 },
  ]);
});

const ofDictionary =
  "WITH few AS (SELECT tenant, count() AS n FROM open WHERE id < {x:UInt32} GROUP BY tenant), named AS (SELECT tenant, min(dictGet('shop.labels', 'label', tenant)) AS label FROM open GROUP BY tenant) SELECT n, label FROM few JOIN named ON few.tenant = named.tenant ORDER BY label";

describe('a query that needs several tables', () => {
  it.each([
    ['usual', several('every')],
    ['copyless', several('open')],
    [
      'copyless',
      'SELECT tenant, count() / (SELECT count() FROM large WHERE amount > {x:UInt32}) AS share FROM open WHERE id > {x:UInt32} GROUP BY tenant ORDER BY tenant',
    ],
  ] as const)(
    'is stored if its sources do not change meanwhile: by %s, %s',
    async (user, query) => {
      const project = world.projectOf(user);
      await world.expectSame(project, await world.synced(project, query, 'completed'), [
        { x: 0 },
        { x: 31 },
      ]);
    },
  );

  it('is tried again if they do and cannot be copied', async () => {
    const project = world.projectOf('copyless');
    await world.server.sql('CREATE TABLE shop.moving AS shop.open');
    const write = "INSERT INTO shop.moving SELECT number, 'a' FROM numbers(3)";
    await world.server.sql(write);
    const writer = repeated(world, write);
    const name = await world.synced(project, several('moving'), 'failed').finally(writer.stop);
    expect(await world.errorOf(project, name)).toMatch(
      /a table that the query reads cannot be copied and has changed meanwhile\. The sync is tried again\.$/,
    );
    expect(await world.run(project, name, { x: 2 })).toMatchObject({ served_from: 'inline' });
    world.tested.clock.advance(3_600_000);
    expect((await world.tested.app.materialization.runOnce()).syncs).toContain('completed');
    await world.expectSame(project, name, [{ x: 0 }, { x: 2 }]);
  });

  it.each([
    ['usual', several('joined'), 'shop.joined'],
    ['earlier', several('open'), 'a table that the query reads'],
    ['usual', ofDictionary, 'what dictGet looks up'],
  ] as const)('is not stored: by %s, %s, %s', async (user, query, what) => {
    const project = world.projectOf(user);
    const name = await world.synced(project, query, 'failed');
    expect(await world.errorOf(project, name)).toBe(
      `The rows have to be stored as of one time although they are read several times, but ${what} can neither be copied nor tell whether it changes. The sync is tried again.`,
    );
  });
});
