/** Tables of bound projects that somebody else writes to all the time: their syncs copy them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BoundWorld, openBoundWorld, repeated, several } from './support/bound-world.ts';

let world: BoundWorld;
beforeAll(async () => {
  world = await openBoundWorld();
});
afterAll(() => world?.close());

const rows = {
  open: "shop.open SELECT number, 'a' FROM numbers(3)",
  old: "archive.open SELECT number, 'a' FROM numbers(3)",
  versions: "archive.versions SELECT number, 'a', 1000 FROM numbers(3)",
  rich: "shop.rich (id, day) SELECT number, toDate('2026-01-01') + number % 40 FROM numbers(3)",
  items: "shop.`order-items` SELECT number, 'a', 1 FROM numbers(3)",
  held: "shop.held SELECT number, 'a' FROM numbers(3)",
  expired: "shop.expired SELECT number, 'a', '2020-01-01' FROM numbers(3)",
  typed: "shop.typed SELECT number, 'a', 1, [] FROM numbers(3)",
  orders: "shop.orders SELECT number, ['a', 'b'][number % 2 + 1], number FROM numbers(9)",
} as const;
const totals = (table: string, sum = 'id') =>
  `SELECT tenant, count() AS n, sum(${sum}) AS total FROM ${table} WHERE id >= {x:UInt32} GROUP BY tenant ORDER BY tenant`;

it.each([
  ['open', totals('open')],
  ['open', several('open')],
  ['open', totals('(SELECT id, tenant FROM shop.open)')],
  ['open', `WITH open AS (SELECT id, tenant FROM shop.open) ${totals('open')}`],
  [
    'old',
    'SELECT o.tenant AS t, count() AS n FROM open AS o JOIN archive.open AS a ON o.id = a.id WHERE o.id >= {x:UInt32} GROUP BY t ORDER BY t',
  ],
  [
    'open',
    'SELECT open.tenant AS t, count() AS n FROM open WHERE id >= {x:UInt32} AND id IN few GROUP BY t ORDER BY t',
  ],
  [
    'open',
    'SELECT tenant, label, count() AS n FROM open JOIN labels ON labels.code = open.tenant WHERE id >= {x:UInt32} GROUP BY tenant, label ORDER BY tenant',
  ],
  ['versions', totals('versions FINAL', 'v')],
  ['versions', totals('versions', 'versions.v')],
  ['items', totals('`order-items` FINAL', 'amount')],
  ['items', totals('`order-items`', 'amount')],
  ['rich', totals('rich', 'twice')],
  ['rich', totals('defined')],
  ['held', totals('held')],
  ['expired', several('expired')],
  ['typed', totals('typed', 'level')],
  ['orders', totals('large')],
  ['orders', totals('every')],
] as const)('a query of tables that are written to is stored: %s, %s', async (written, query) => {
  const { server, tested } = world;
  const project = world.projectOf('usual');
  const writer = repeated(world, `INSERT INTO ${rows[written]}`);
  const name = await world.synced(project, query, 'completed').finally(writer.stop);
  expect(await world.run(project, name, { x: 7 })).toMatchObject({ served_from: 'materialized' });
  tested.clock.advance(90_000_000);
  expect((await tested.app.materialization.runOnce()).syncs).toContain('completed');
  await world.expectSame(project, name, [{ x: 0 }, { x: 31 }]);
  await tested.rest('DELETE', `/endpoints/${name}`, { project });
  expect(await server.sql(copies)).toBe('0\n');
});

const copies =
  "SELECT count() FROM system.tables WHERE endsWith(database, '_stored') AND position(name, '_source_') > 0";

it.each([
  ['tenant', 'orders', 'amount'],
  ['tenant', 'large', 'amount'],
  ['viewing', 'large', 'amount'],
] as const)('rows that row policies hide are not copied: %s, %s', async (user, table, sum) => {
  const project = world.projectOf(user);
  const name = await world.synced(project, totals(table, sum), 'completed');
  await world.expectSame(project, name, [{ x: 0 }, { x: 31 }]);
  const { results } = (await world.run(project, name, { x: 0 })) as { results: unknown[][] };
  expect(results.map(([tenant]) => tenant)).toEqual(['a']);
});

it('copies of a sync that died are dropped with its table, and tables of others are not', async () => {
  const { server, tested } = world;
  const project = world.projectOf('usual');
  const name = await world.synced(project, totals('open'), 'completed');
  const [table = ''] = (
    await server.sql("SELECT name FROM system.tables WHERE database = 'usual_stored'")
  ).split('\n');
  const [own, other] = [`usual_stored.${table}_source_0`, `usual_stored.${table}_source_1`];
  const comment = await server.sql(
    `SELECT comment FROM system.tables WHERE database = 'usual_stored' AND name = '${table}' FORMAT TSVRaw`,
  );
  const create = (of: string, text: string) =>
    server.sql(`CREATE TABLE ${of} (id UInt8) ENGINE = MergeTree ORDER BY id COMMENT '${text}'`);
  await create(own, comment.trim());
  await create(other, 'of somebody else');
  await tested.rest('DELETE', `/endpoints/${name}`, { project });
  await tested.app.materialization.runOnce();
  tested.clock.advance(90_000_000);
  await tested.app.materialization.sweep();
  expect(await server.sql(copies)).toBe('1\n');
  await server.sql(`DROP TABLE ${other}`);
});
