/** What the proof sees of the order of rows, and what it leaves to the query. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProving, type Proving, proved, refused } from '../support/proving.ts';

let proving: Proving;

beforeAll(async () => {
  proving = await openProving();
  await proving.test.sql(
    'CREATE TABLE points (id UInt32, rank UInt8, label Nullable(String), x Float64) ENGINE = MergeTree ORDER BY id',
  );
  // Ten rows of each rank; the numbers are not added up exactly.
  await proving.test.sql(
    "INSERT INTO points SELECT number, number % 10, if(number % 7 = 0, NULL, concat('l', toString(number % 13))), number / 7 FROM numbers(100)",
  );
});
afterAll(() => proving.test.close());

const rows = 'SELECT id, rank, label, x FROM points';

describe('rows that come in another order are seen', () => {
  it.each([
    [
      'no order',
      'SELECT id, label FROM points ORDER BY id DESC',
      'SELECT id, label FROM stored ORDER BY id',
    ],
    [
      'up for down',
      'SELECT rank, id FROM points ORDER BY rank DESC, id',
      'SELECT rank, id FROM stored ORDER BY rank, id',
    ],
    [
      'the second key left out',
      'SELECT rank, id FROM points ORDER BY rank, id DESC',
      'SELECT rank, id FROM stored ORDER BY rank, id',
    ],
    [
      'NULL at the other end',
      'SELECT label FROM points ORDER BY label NULLS FIRST',
      'SELECT label FROM stored ORDER BY label',
    ],
    [
      'a key that is not selected',
      'SELECT label FROM points ORDER BY id DESC',
      'SELECT label FROM stored ORDER BY id',
    ],
    [
      'an expression that is not selected',
      'SELECT id FROM points ORDER BY id % 7, id',
      'SELECT id FROM stored ORDER BY id % 8, id',
    ],
    [
      'two rows exchanged',
      'SELECT id FROM points ORDER BY id',
      'SELECT id FROM stored ORDER BY multiIf(id = 4, 5, id = 5, 4, id)',
    ],
    [
      'another column by number',
      'SELECT rank, id FROM points ORDER BY 2',
      'SELECT rank, id FROM stored ORDER BY 1, 2 DESC',
    ],
    [
      'groups by another aggregate',
      'SELECT rank, sum(x) AS s FROM points GROUP BY rank ORDER BY s DESC',
      'SELECT rank, sum(x) AS s FROM stored GROUP BY rank ORDER BY s',
    ],
    [
      'groups by an aggregate that is not selected',
      'SELECT rank FROM points GROUP BY rank ORDER BY sum(x) DESC',
      'SELECT rank FROM stored GROUP BY rank ORDER BY sum(x)',
    ],
  ])('%s', async (_what, query, read) => {
    expect(await proving.prove(query, { stored: rows, read })).toMatchObject(
      refused(/the rows are the same, but not in the same order, as of \[/),
    );
  });

  it('under variables, too', async () => {
    const query = 'SELECT id FROM points WHERE rank >= {r:UInt8} ORDER BY id DESC';
    const written = { stored: rows, predicates: ['r rank >='] };
    const read = 'SELECT id FROM stored WHERE rank >= {r:UInt8}';
    expect(await proving.prove(query, { ...written, read: `${read} ORDER BY id` })).toMatchObject(
      refused(/ for \{"r":"?\d+"?\}: the rows are the same, but not in the same order/),
    );
    expect(
      await proving.prove(query, { ...written, read: `${read} ORDER BY id DESC` }),
    ).toMatchObject(proved);
  });
});

describe('the order of rows that ORDER BY takes for equal is left open', () => {
  it.each([
    [
      'selected',
      'SELECT rank, id FROM points ORDER BY rank',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC',
    ],
    [
      'not selected',
      'SELECT id FROM points ORDER BY rank DESC',
      'SELECT id FROM stored ORDER BY rank DESC, id DESC',
    ],
    [
      'all of them',
      'SELECT id FROM points ORDER BY 1 + 1',
      'SELECT id FROM stored ORDER BY id DESC',
    ],
    ['none', 'SELECT id FROM points', 'SELECT id FROM stored ORDER BY id DESC'],
    [
      'under DISTINCT',
      'SELECT DISTINCT rank FROM points ORDER BY rank % 3',
      'SELECT DISTINCT rank FROM stored ORDER BY rank % 3, rank DESC',
    ],
    [
      'by sums in another order of adding up',
      'SELECT label, sum(x) AS s FROM points GROUP BY label ORDER BY s',
      'SELECT label, sum(x) * (1 + 2e-16) AS s FROM stored GROUP BY label ORDER BY s, label',
    ],
    [
      'by such sums that are not selected',
      'SELECT label FROM points GROUP BY label ORDER BY sum(x)',
      'SELECT label FROM stored GROUP BY label ORDER BY sum(x), label DESC',
    ],
  ])('keys that are %s', async (_what, query, read) => {
    expect(await proving.prove(query, { stored: rows, read })).toMatchObject(proved);
  });

  it('but not which rows they are', async () => {
    const query = 'SELECT rank, id FROM points ORDER BY rank';
    const read = 'SELECT rank, if(id = 57, 67, id)::UInt32 AS id FROM stored ORDER BY rank';
    expect(await proving.prove(query, { stored: rows, read })).toMatchObject(
      refused(/one more row \[7,[56]7\]/),
    );
  });
});

describe('which of the rows that are equal LIMIT keeps is left open', () => {
  it.each([
    [
      'at the end',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 13',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC LIMIT 13',
    ],
    [
      'by a key that is not selected',
      'SELECT id FROM points ORDER BY rank LIMIT 13',
      'SELECT id FROM stored ORDER BY rank, id DESC LIMIT 13',
    ],
    [
      'at both ends',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 22 OFFSET 5',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC LIMIT 22 OFFSET 5',
    ],
    [
      'at the beginning',
      'SELECT rank, id FROM points ORDER BY rank OFFSET 95',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC OFFSET 95',
    ],
    [
      'of groups',
      'SELECT label, uniq(rank) AS n FROM points GROUP BY label ORDER BY n DESC LIMIT 3',
      'SELECT label, uniq(rank) AS n FROM stored GROUP BY label ORDER BY n DESC, label DESC LIMIT 3',
    ],
    [
      'of groups beside a sum',
      'SELECT label, count() > 2 AS n, sum(x) AS s FROM points GROUP BY label ORDER BY n DESC LIMIT 3',
      'SELECT label, count() > 2 AS n, sum(x) * (1 + 2e-16) AS s FROM stored GROUP BY label ORDER BY n DESC, label DESC LIMIT 3',
    ],
    [
      'of each value by a key that is not selected',
      'SELECT label FROM points ORDER BY rank LIMIT 2 BY rank LIMIT 7',
      'SELECT label FROM stored ORDER BY rank, id DESC LIMIT 2 BY rank LIMIT 7',
    ],
    [
      'of each value',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 2 BY rank',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC LIMIT 2 BY rank',
    ],
    [
      'where nothing orders them',
      'SELECT id FROM points LIMIT 5',
      'SELECT id FROM stored ORDER BY id DESC LIMIT 5',
    ],
    [
      'under DISTINCT',
      'SELECT DISTINCT * FROM points ORDER BY rank LIMIT 5',
      'SELECT DISTINCT * FROM stored ORDER BY rank, id DESC LIMIT 5',
    ],
  ])('%s', async (_what, query, read) => {
    expect(await proving.prove(query, { stored: rows, read })).toMatchObject(proved);
  });

  it.each([
    [
      'a row of the next value',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 13',
      'SELECT rank, id FROM stored ORDER BY id != 7, rank LIMIT 13',
    ],
    [
      'a row that would not be first',
      'SELECT id FROM points ORDER BY x DESC LIMIT 3',
      'SELECT id FROM stored ORDER BY x DESC LIMIT 3 OFFSET 1',
    ],
    [
      'one row too few',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 13',
      'SELECT rank, id FROM stored ORDER BY rank LIMIT 12',
    ],
    [
      'no limit',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 13',
      'SELECT rank, id FROM stored ORDER BY rank',
    ],
    [
      'one of the equal rows twice',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 13',
      'SELECT rank, multiIf(id = 91, 81, id)::UInt32 AS id FROM stored ORDER BY rank, id DESC LIMIT 13',
    ],
    [
      'a row that is none',
      'SELECT id FROM points LIMIT 5',
      'SELECT id + 97 AS id FROM stored ORDER BY id DESC LIMIT 5',
    ],
    [
      'an earlier offset',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 22 OFFSET 15',
      'SELECT rank, id FROM stored ORDER BY rank LIMIT 22 OFFSET 5',
    ],
    [
      'of each value others by a key that is not selected',
      'SELECT label FROM points ORDER BY id LIMIT 2 BY rank',
      'SELECT label FROM stored ORDER BY id DESC LIMIT 2 BY rank',
    ],
    [
      'of each value too, but later ones',
      'SELECT label FROM points ORDER BY id LIMIT 2 BY rank LIMIT 9 OFFSET 2',
      'SELECT label FROM stored ORDER BY id LIMIT 2 BY rank LIMIT 9 OFFSET 3',
    ],
    [
      'one of each value',
      'SELECT rank, id FROM points ORDER BY rank, id LIMIT 2 BY rank LIMIT 9',
      'SELECT rank, id FROM stored ORDER BY rank, id LIMIT 1 BY rank LIMIT 9',
    ],
    [
      'of each value the wrong ones',
      'SELECT rank, id FROM points ORDER BY rank, id LIMIT 2 BY rank',
      'SELECT rank, id FROM stored ORDER BY rank, id DESC LIMIT 2 BY rank',
    ],
    [
      'of each value in another order',
      'SELECT rank, id FROM points ORDER BY rank LIMIT 2 BY rank',
      'SELECT rank, id FROM stored ORDER BY rank DESC LIMIT 2 BY rank',
    ],
  ])('but not %s', async (_what, query, read) => {
    const status = await proving.prove(query, { stored: rows, read });
    expect(status).toMatchObject({ status: 'Failed', can_materialize: false });
    expect(status.error).toMatch(/does not give the same result as the query itself: /);
  });
});

describe('a read that leaves the order open is refused', () => {
  it.each([
    [
      'though its rows are stored in that order',
      'SELECT id FROM points ORDER BY id',
      'SELECT id FROM stored',
    ],
    [
      'under DISTINCT, where the engine leaves orders out',
      'SELECT DISTINCT rank FROM points ORDER BY rank DESC',
      'SELECT DISTINCT rank FROM stored ORDER BY rank',
    ],
  ])('%s', async (_what, query, read) => {
    expect(await proving.prove(query, { stored: rows, read, sortingKey: ['id'] })).toMatchObject(
      refused(/has no ORDER BY|not in the same order/),
    );
  });
});
