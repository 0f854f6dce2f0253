/** Which differences the proof explains, and that it refuses the others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handPlanner } from '../support/hand-plans.ts';
import { openMaterializedApp, run, save, statusOf, sync } from '../support/materialized.ts';
import { openProving, type Proving, planOf, proved, refused } from '../support/proving.ts';

let proving: Proving;

beforeAll(async () => {
  proving = await openProving();
  await proving.test.sql(
    'CREATE TABLE points (id UInt32, label String, x Float64) ENGINE = MergeTree ORDER BY id',
  );
  await proving.test.sql(
    "INSERT INTO points SELECT number, concat('l', toString(number % 13)), number / 7 FROM numbers(100)",
  );
});
afterAll(() => proving.test.close());

/** The last digit of each number is another. */
const shaken = 'SELECT * REPLACE (x * (1 + 4e-16) AS x) FROM points';
const grouped = (select: string, from = 'SELECT * FROM points') =>
  `SELECT label, ${select} AS a FROM (${from}) GROUP BY label`;

describe('a query of all columns of one table of several', () => {
  it.each(['t', 'r', 's', 'v', 'f', 'c0'])('may call that table %s', async (name) => {
    const from = `points AS ${name} LEFT JOIN points AS other ON ${name}.id = other.id + 50`;
    const rows = `SELECT ${name}.*, other.label AS l FROM ${from}`;
    expect(await proving.prove(rows, { stored: rows })).toMatchObject(proved);
    const sums = `SELECT ${name}.*, sum(other.x) OVER (ORDER BY ${name}.id) AS a FROM ${from}`;
    expect(await proving.prove(sums, { stored: sums })).toMatchObject(proved);
    const others = `SELECT * REPLACE (if(id = 3, 'l4', label) AS label) FROM (${sums})`;
    expect(await proving.prove(sums, { stored: others })).toMatchObject(
      refused(/inline has one more row \[3,"l3"/),
    );
  });
});

describe('numbers that are added up', () => {
  const nested: readonly (readonly [string, string])[] = [
    ['in an array', '[sum(x), avg(x)]'],
    ['in a tuple', "('t', sum(x), 1)"],
    ['in a map', "map('m', sum(x))"],
    ['in tuples of an array', "[('t', sum(x)), ('u', avg(x))]"],
    ['in arrays of an array', '[[sum(x)], []]'],
    ['that may be NULL', 'sumOrNull(x)'],
    ['in a NULL beside them', "(NULL, sum(x), if(label = 'l3', NULL, sum(x)))"],
    ['of half the size', 'toFloat32(sum(x) * 1000003)'],
  ];

  it.each(nested)('may differ in their last digits: %s', async (_where, select) => {
    const query = grouped(select, 'SELECT * FROM points');
    expect(await proving.prove(query, { stored: grouped(select, shaken) })).toMatchObject(proved);
  });

  it.each(nested)('may not differ in more: %s', async (_where, select) => {
    const other = 'SELECT * REPLACE (if(id = 77, x * 1.0001, x) AS x) FROM points';
    const query = grouped(select, 'SELECT * FROM points');
    expect(await proving.prove(query, { stored: grouped(select, other) })).toMatchObject(
      refused(/: inline has \["l12",.*\] where the stored table gives \["l12",/),
    );
  });

  it.each([
    ['more of them', '[sum(x)]', '[sum(x), 0]'],
    ['another text beside them', "('t', sum(x))", "('u', sum(x))"],
    ['another key of a map', "map('m', sum(x))", "map('n', sum(x))"],
    ['NULL for one', 'sumOrNull(x)', "if(label = 'l3', NULL, sumOrNull(x))"],
    ['NaN for one', 'sum(x)', "if(label = 'l3', nan, sum(x))"],
    ['infinity for one', 'sum(x)', "if(label = 'l3', inf, sum(x))"],
    ['zero for one', 'sum(x)', "if(label = 'l3', 0., sum(x))"],
    ['texts of them', 'toString(sum(x) * 1e9)', 'toString(sum(x) * 1e9 * (1 + 4e-16))'],
  ])('nor have %s', async (_what, select, stored) => {
    expect(await proving.prove(grouped(select), { stored: grouped(stored) })).toMatchObject(
      refused(/does not give the same result/),
    );
  });

  it.each([
    [
      'zero but for the last digits, beside larger ones',
      "if(label = 'l3', 0., sum(x))",
      "if(label = 'l3', 1e-15, sum(x))",
      true,
    ],
    ['small numbers that are twice as large', 'sum(x) * 1e-13', 'sum(x) * 2e-13', false],
    ['zero with another sign', 'min(x * 0)', 'min(x * -0.)', true],
    ['NaN of another kind', 'sum(x / 0 - x / 0)', 'sum(nan * x)', true],
  ])('%s', async (_what, select, stored, isSame) => {
    const status = await proving.prove(grouped(select), { stored: grouped(stored) });
    expect(status).toMatchObject(isSame ? proved : refused(/where the stored table gives/));
  });

  it.each([
    ['what is chosen among them', 'max(x)', 'max(x) * (1 + 4e-16)'],
    ['what they are grouped by', 'label, x', 'label, x * (1 + 4e-16)'],
    ['sums of integers', 'sum(id) / 7', 'sum(id) / 7 * (1 + 4e-16)'],
  ])('nor may anything else beside them: %s', async (_what, other, stored) => {
    const select = (text: string) =>
      `SELECT tuple(${text}) AS k, sum(x) AS a FROM points GROUP BY label, x`;
    expect(await proving.prove(select(other), { stored: select(stored) })).toMatchObject(
      refused(/inline has/),
    );
  });

  const tenth = '(SELECT label, x / 10 * 3 AS x FROM points WHERE id % 13 < 3)';
  it.each([
    ['pass HAVING', `SELECT label, sum(x) AS a FROM ${tenth} GROUP BY label HAVING a >= $`],
    ['are rounded up', `SELECT label, round(sum(x) - $ + 0.5) AS a FROM ${tenth} GROUP BY label`],
    [
      'cancel out',
      'SELECT sum(x * if(id % 2 = 0, 1, -1) * 1e5) + 357142.857142857 AS a FROM points',
    ],
    ['cancel out in a difference', `SELECT sum(x) - (SELECT sum(x) FROM points) AS a FROM points`],
  ])('that are equal but for rounding, or not: they %s', async (_what, text) => {
    const limit = await proving.test.sql(
      `SELECT toString(sum(x)) FROM ${tenth} WHERE label = 'l1'`,
    );
    const query = text.replace('$', () => limit.trim());
    const stored = query.replaceAll('sum(x)', 'sum(x * (1 - 4e-16))');
    expect(await proving.prove(query, { stored })).toMatchObject(proved);
  });

  it('do not pass HAVING where they are larger than the rounding explains', async () => {
    const query = `SELECT label, sum(x) AS a FROM ${tenth} GROUP BY label HAVING a > 16`;
    const stored = query.replace('> 16', '> 17');
    expect(await proving.prove(query, { stored })).toMatchObject(refused(/inline has/));
  });

  it('are distinguished by the row they are in', async () => {
    const select = (last: string) =>
      `SELECT 1 AS k, sum(x) AS a, if(id = 3, ${last}, 5.) AS b FROM points WHERE id IN (3, 9) GROUP BY id`;
    expect(await proving.prove(select('6.'), { stored: select('6.') })).toMatchObject(proved);
    const swapped = `SELECT k, a, 11 - b AS b FROM (${select('6.')})`;
    expect(await proving.prove(select('6.'), { stored: swapped })).toMatchObject(
      refused(/inline has/),
    );
  });

  it('are compared in full where there are more than a million', async () => {
    const sums = (x: string) =>
      `SELECT number AS k, sum(${x}) AS s, (avg(number / 7), 't') AS t FROM numbers(1200000) GROUP BY k`;
    expect(
      await proving.prove(sums('number / 3'), { stored: sums('number / 3 * (1 + 4e-16)') }),
    ).toMatchObject(proved);
    expect(
      await proving.prove(sums('number / 3'), {
        stored: sums('if(number = 777777, 7., number / 3)'),
      }),
    ).toMatchObject(refused(/some of the rows have other floating point numbers/));
  });
});

describe('numbers that nothing adds up', () => {
  it.each([
    ['their last digit', 'SELECT x FROM points', 'SELECT x * (1 + 4e-16) AS x FROM points'],
    ['the sign of zero', 'SELECT x * 0 AS z FROM points', 'SELECT x * -0. AS z FROM points'],
    [
      'the sign of zero in a tuple',
      'SELECT (x * 0, 1) AS z FROM points',
      'SELECT (x * -0., 1) AS z FROM points',
    ],
  ])('are the same or refused: %s', async (_what, query, stored) => {
    expect(await proving.prove(query, { stored })).toMatchObject(
      refused(/inline has (one|100) more rows? \[/),
    );
  });
});

describe('names of the author are not taken for those of the comparison', () => {
  const names =
    'c0 c1 c2 side n q h t s g p v v1 v2 m x e0 k k0 f f0 b r d i run place a y x0 y0'.split(' ');
  const columns = names
    .map((name, at) => `(id + ${(at * 7) % 31})::UInt64 AS \`${name}\``)
    .join(', ');
  const sum = ', sum(points.x) OVER (PARTITION BY id) AS `__querydock_key_0`';
  const query = `SELECT ${columns}${sum} FROM points ORDER BY id % 10`;
  const stored = `SELECT * FROM (${query} ASC, id DESC)`;
  const order = 'SELECT * FROM stored ORDER BY (c0 - 0) % 10, c0 DESC';

  it('in results that are the same but for rows that are equal', async () => {
    expect(await proving.prove(query, { stored, read: order })).toMatchObject(proved);
    expect(
      await proving.prove(`${query} LIMIT 15`, { stored, read: `${order} LIMIT 15` }),
    ).toMatchObject(proved);
  });

  it('in results that differ', async () => {
    const read = order.replace('*', '* REPLACE (if(c1 = 57, c0, c1) AS c1)');
    const seen = refused(/(inline has|the stored table gives) (one more row )?\[50,5[07],/);
    expect(await proving.prove(query, { stored, read })).toMatchObject(seen);
    const swapped = order.replace('*', '* REPLACE (c1 AS c0, c0 AS c1)');
    expect(await proving.prove(query, { stored, read: swapped })).toMatchObject(
      refused(/does not give the same result/),
    );
  });
});

it('rows that WITH FILL adds are compared with what INTERPOLATE puts in them', async () => {
  const query =
    'SELECT id * 2 AS n, id AS v FROM points ORDER BY n WITH FILL INTERPOLATE (v AS v + 1)';
  const without = query.replace(/ INTERPOLATE.*/, '');
  const read = 'SELECT * FROM stored ORDER BY n';
  expect(await proving.prove(query, { stored: query, read })).toMatchObject(proved);
  expect(await proving.prove(query, { stored: without, read })).toMatchObject(
    refused(/inline has (one|100) more rows? \[/),
  );
});

describe('what a limit keeps from being compared', () => {
  it('is not used, and tried again', async () => {
    const planner = handPlanner();
    const slow = await openMaterializedApp(
      { planMaterialization: planner.plan },
      { queryTimeoutSeconds: 1, streamTimeoutSeconds: 1 },
    );
    try {
      const query = 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)';
      planner.set({ kind: 'plan', plan: planOf({ stored: 'SELECT toUInt64(1) AS s' }) });
      await save(slow, 'slow', { query, is_materialized: true });
      expect(await sync(slow)).toEqual(['failed']);
      expect(await statusOf(slow, 'slow')).toMatchObject({
        status: 'Failed',
        can_materialize: true,
        ready: false,
        error: expect.stringMatching(
          /^The stored table could not be compared with the query itself, so it is not used: The query exceeded its time limit/,
        ),
        next_sync_at: expect.any(String),
      });
    } finally {
      await slow.close();
    }
  });
});

describe('a query that fails for some values', () => {
  const fails = "throwIf({x:String} = 'l9') = 0";
  const select = 'SELECT label, count() AS n FROM';
  const ofLabel = 'WHERE label = {x:String}';
  const written = { stored: 'SELECT * FROM points', predicates: ['x label ='] };

  it('fails for the same from its stored table', async () => {
    const query = `${select} points ${ofLabel} AND ${fails} GROUP BY label`;
    const read = `${select} stored ${ofLabel} AND ${fails} GROUP BY label`;
    expect(await proving.prove(query, { ...written, read })).toMatchObject(proved);
    const { provedAt } =
      await proving.test.backends.metadata.prisma.materializationStatus.findFirstOrThrow({
        where: { version: { endpoint: { name: proving.name() } } },
      });
    expect(provedAt).not.toBeNull();
  });

  it('and is not used when it fails for all that were tried', async () => {
    const always = 'SELECT throwIf(count() < 1000) AS t FROM';
    const query = `${always} points ${ofLabel}`;
    const read = `${always} stored ${ofLabel}`;
    expect(await proving.prove(query, { ...written, read })).toMatchObject({
      status: 'Failed',
      can_materialize: true,
      ready: false,
      error: expect.stringMatching(
        /could not be compared with the query itself, so it is not used: A condition of throwIf is true.*Give its variables defaults with which it runs\.$/,
      ),
    });
  });

  it.each([
    ['itself', `AND ${fails}`, ''],
    ['stored', '', `AND ${fails}`],
  ])('or is refused: %s alone', async (_which, inline, stored) => {
    const query = `${select} points ${ofLabel} ${inline} GROUP BY label`;
    const read = `${select} stored ${ofLabel} ${stored} GROUP BY label`;
    expect(await proving.prove(query, { ...written, read })).toMatchObject(
      refused(/for \{"x":"l9"\}: only the (query itself|read of the stored table) fails/),
    );
    expect(await run(proving.test, proving.name(), { variables: { x: 'l1' } })).toMatchObject({
      served_from: 'inline',
    });
  });
});
