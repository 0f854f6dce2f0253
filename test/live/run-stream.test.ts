import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { commandLineActor } from '../../src/model/actor.ts';
import { changeFeedName } from '../../src/store/change-feed.ts';
import { change, openSalesApp, save } from '../rest/support/sales.ts';
import { type EventReader, readEvents, type SeenEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { applyChanges, type Changes } from '../support/row-changes.ts';
import type { TestApp, TestProject } from '../support/test-app.ts';

let test: TestApp;
let second: App;
const readers: EventReader[] = [];

beforeAll(async () => {
  test = await openSalesApp({
    maxStreamsPerKey: 40,
    maxLiveBytes: 4_000_000,
    maxLiveBytesPerProject: 2_000_000,
  });
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
  });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await second.stop();
  await test.close();
});

interface Follow {
  readonly app?: App;
  readonly key?: string;
  readonly lastId?: string | null;
  readonly accept?: string;
  readonly project?: TestProject;
}

const requestOf = (path: string, follow: Follow, signal?: AbortSignal) => {
  const { project = test.project, key = project.readKey, lastId = null } = follow;
  return new Request(`http://querydock.test/api/projects/${project.id}/endpoints/${path}`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: follow.accept ?? 'text/event-stream',
      ...(lastId === null ? {} : { 'last-event-id': lastId }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
};

async function follow(path: string, how: Follow = {}): Promise<EventReader> {
  const { app = test.app } = how;
  const reader = await readEvents((signal) => app.fetch(requestOf(path, how, signal)));
  readers.push(reader);
  return reader;
}

async function refused(path: string, how: Follow = {}) {
  const response = await test.app.fetch(requestOf(path, how));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Rows arrive, and every process is told, as after a load. */
async function insert(country: string, amount: number): Promise<void> {
  await test.sql(`INSERT INTO sales VALUES ('${country}', ${amount}, '2026-03-01', NULL)`);
  await test.app.core.projects.recordDataChange({
    projectId: test.project.id,
    table: 'sales',
    by: commandLineActor,
    action: 'data.loaded',
    after: { rows: 1 },
  });
}

function rowsOf(event: SeenEvent | undefined): readonly unknown[] {
  if (event === undefined) throw new Error('there is no such event');
  return (event.data as { readonly results: readonly unknown[] }).results;
}

/** Executions of the endpoint so far, in both processes. */
async function executions(name: string): Promise<number> {
  await Promise.all([test.app.core.recorder.flush(), second.core.recorder.flush()]);
  return test.backends.metadata.prisma.queryStatus.count({ where: { endpointName: name } });
}

describe('a stream of results', () => {
  it('begins with a comment and the result, in headers that nothing may buffer', async () => {
    await save(test, 'begins');
    const reader = await follow('begins/run');
    const [first] = await reader.until(1);
    expect(reader.status).toBe(200);
    expect(Object.fromEntries(reader.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(reader.text()).toMatch(
      /^:\nretry: \d+\n\nid: [\w-]{27}\nevent: result\ndata: \{"results":/,
    );
    const { body } = await test.rest('GET', '/endpoints/begins/run');
    expect(rowsOf(first)).toEqual(body.results);
    expect(Object.keys(first?.data as object)).toEqual(Object.keys(body));
  });

  it('tells every subscriber of a change once, after one execution', async () => {
    await save(test, 'shared');
    await save(test, 'bystander', { query: 'SELECT 7 AS n' });
    const all = await Promise.all(Array.from({ length: 12 }, () => follow('shared/run')));
    const other = await follow('bystander/run');
    for (const reader of [...all, other]) await reader.until(1);
    const before = await executions('shared');
    await insert('ch', 5);
    for (const reader of all) {
      const [first, next] = await reader.until(2);
      expect(next?.id).not.toBe(first?.id);
      expect(rowsOf(next)).toContainEqual(['ch', 5]);
    }
    expect((await executions('shared')) - before).toBe(1);
    expect(all.map(({ events }) => events.length)).toEqual(all.map(() => 2));
    expect(other.events).toHaveLength(1);
  });

  it('says nothing when the result is the same', async () => {
    await save(test, 'same', { query: "SELECT count() AS n FROM sales WHERE country = 'at'" });
    const reader = await follow('same/run');
    await reader.until(1);
    const before = await executions('same');
    await insert('it', 1);
    await eventually('it ran again', async () => (await executions('same')) > before);
    await insert('at', 1);
    const events = await reader.until(2);
    expect(events.map(rowsOf)).toEqual([[[1]], [[2]]]);
  });

  it('resumes after Last-Event-ID: nothing while it is the same, else the newest', async () => {
    await save(test, 'resumed');
    const reader = await follow('resumed/run');
    const [first] = await reader.until(1);
    reader.close();
    const again = await follow('resumed/run', { lastId: first?.id ?? '' });
    const elsewhere = await follow('resumed/run', { lastId: first?.id ?? '', app: second });
    await insert('pt', 3);
    for (const one of [again, elsewhere]) {
      const [next] = await one.until(1);
      expect(rowsOf(next)).toContainEqual(['pt', 3]);
    }
    const [newest] = again.events;
    const late = await follow('resumed/run', { lastId: first?.id ?? '', app: second });
    expect((await late.until(1))[0]?.id).toBe(newest?.id);
    expect([again.events.length, elsewhere.events.length]).toEqual([1, 1]);
  });

  it('tells subscribers of every process', async () => {
    await save(test, 'everywhere');
    const here = await follow('everywhere/run');
    const there = await follow('everywhere/run', { app: second });
    await here.until(1);
    await there.until(1);
    await insert('es', 8);
    const [, mine] = await here.until(2);
    const [, theirs] = await there.until(2);
    expect(theirs?.id).toBe(mine?.id);
  });

  it('checks everything again after changes may have been missed', async () => {
    await save(test, 'missed', { query: 'SELECT count() AS n FROM sales' });
    const reader = await follow('missed/run');
    const [[before = 0] = []] = rowsOf((await reader.until(1))[0]) as number[][];
    await test.sql("INSERT INTO sales VALUES ('gr', 1, '2026-03-01', NULL)");
    // As a load does, but nobody is notified.
    const { prisma } = test.backends.metadata;
    await prisma.$executeRaw`UPDATE project SET data_revision = data_revision + 1 WHERE id = ${test.project.id}`;
    await prisma.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ${changeFeedName}`;
    const [, next] = await reader.until(2);
    expect(rowsOf(next)).toEqual([[before + 1]]);
  });

  it('loses and repeats nothing over many changes and connections to either process', async () => {
    await save(test, 'roaming', { query: 'SELECT count() AS n FROM sales' });
    const seen: number[] = [];
    let lastId: string | null = null;
    let count = 0;
    for (let turn = 0; turn < 12; turn += 1) {
      const app = turn % 2 === 0 ? test.app : second;
      const reader = await follow('roaming/run', { app, lastId });
      // While it is connected, and while it is not.
      await insert('ro', 1);
      const { results } = (await test.rest('GET', '/endpoints/roaming/run?refresh=force')).body;
      [[count = 0] = []] = results as number[][];
      await eventually(
        'the newest came',
        () => Number((rowsOf(reader.events.at(-1)) as number[][])[0]) === count,
      );
      for (const event of reader.events) seen.push(Number((rowsOf(event) as number[][])[0]));
      lastId = reader.events.at(-1)?.id ?? null;
      reader.close();
      if (turn % 3 === 0) await insert('ro', 1);
    }
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(count);
  });

  it('tells of a new version with its number, and nothing where another version is named', async () => {
    await save(test, 'versions', { query: 'SELECT 1 AS n' });
    const here = await follow('versions/run');
    const elsewhere = await follow('versions/run', { app: second });
    const pinned = await follow('versions/run?version=1', { app: second });
    for (const reader of [here, elsewhere, pinned]) await reader.until(1);
    await change(test, 'versions', { query: 'SELECT 1 AS n, 2 AS m' });
    for (const reader of [here, elsewhere]) {
      const [, next] = await reader.until(2);
      expect(next?.data).toMatchObject({ endpoint_version: 2, results: [[1, 2]] });
    }
    expect(pinned.events).toHaveLength(1);
  });

  it('tells of a stored table that is published', async () => {
    await save(test, 'stored', { query: 'SELECT count() AS n FROM sales', is_materialized: true });
    await test.app.materialization.runOnce();
    const reader = await follow('stored/run');
    const [first] = await reader.until(1);
    expect(first?.data).toMatchObject({ endpoint_materialized: true });
    await insert('no', 1);
    await test.app.materialization.runOnce();
    const [, next] = await reader.until(2);
    const [[before = 0] = []] = rowsOf(first) as number[][];
    expect(rowsOf(next)).toEqual([[before + 1]]);
  });
});

describe('an interval', () => {
  it('computes the result again when nothing is known to have changed', async () => {
    await save(test, 'polled', { cache_age_seconds: 3600 });
    const polled = await follow('polled/run?interval_seconds=30');
    await polled.until(1);
    await test.sql("INSERT INTO sales VALUES ('se', 4, '2026-03-01', NULL)");
    test.clock.advance(29_000);
    test.app.live.tick();
    test.clock.advance(1000);
    test.app.live.tick();
    const [, next] = await polled.until(2);
    expect(rowsOf(next)).toContainEqual(['se', 4]);
  });

  it('is the cache age by default', async () => {
    await save(test, 'aged', { cache_age_seconds: 60 });
    const aged = await follow('aged/run');
    await aged.until(1);
    await test.sql("INSERT INTO sales VALUES ('dk', 4, '2026-03-01', NULL)");
    test.clock.advance(60_000);
    test.app.live.tick();
    const [, next] = await aged.until(2);
    expect(rowsOf(next)).toContainEqual(['dk', 4]);
  });

  it('is refused below the least value', async () => {
    await save(test, 'hurried');
    expect(await refused('hurried/run?interval_seconds=4')).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_input',
        attr: 'interval_seconds',
        detail: expect.stringContaining('from 5'),
      },
    });
  });
});

describe('the end of a stream', () => {
  it('is told with the code when the endpoint is deleted or switched off', async () => {
    await save(test, 'deleted');
    await save(test, 'off');
    await save(test, 'stays');
    const ending: EventReader[] = [];
    for (const name of ['deleted', 'off'])
      for (const app of [test.app, second]) ending.push(await follow(`${name}/run`, { app }));
    const stays = await follow('stays/run');
    for (const reader of [...ending, stays]) await reader.until(1);
    await test.rest('DELETE', '/endpoints/deleted');
    await change(test, 'off', { is_active: false });
    for (const reader of ending) {
      await reader.ended();
      expect(reader.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'not_found' } });
    }
    expect(stays.isOver()).toBe(false);
  });

  it('is told when its variables no longer fit', async () => {
    await save(test, 'fits', { query: 'SELECT {n:UInt8} AS n' });
    const reader = await follow('fits/run?variables[n]=1');
    await reader.until(1);
    await change(test, 'fits', { query: 'SELECT {m:UInt8} AS n' });
    await reader.ended();
    expect(reader.events.at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'unknown_variable' },
    });
  });

  it('comes when the key is revoked, here and elsewhere, and when it expires', async () => {
    await save(test, 'keyed');
    const scopes = ['endpoint:read'];
    const projects = [test.project];
    const revoked = await test.issueKey({ scopes, projects });
    const expiresAt = new Date(test.clock.now().getTime() + 60_000);
    const expiring = await test.issueKey({ scopes, projects, expiresAt });
    const here = await follow('keyed/run', { key: revoked.key });
    const there = await follow('keyed/run', { key: revoked.key, app: second });
    const brief = await follow('keyed/run', { key: expiring.key });
    const bystander = await follow('keyed/run');
    for (const reader of [here, there, brief, bystander]) await reader.until(1);
    await test.graphql(
      'mutation ($id: ID!) { revokeApiKey(id: $id) }',
      { id: revoked.id },
      { key: test.adminKey },
    );
    test.clock.advance(60_000);
    test.app.live.tick();
    for (const reader of [here, there, brief]) {
      await reader.ended();
      expect(reader.events.at(-1)).toMatchObject({
        event: 'error',
        data: { code: 'authentication_failed' },
      });
    }
    expect(bystander.isOver()).toBe(false);
  });
});

describe('a request for a stream', () => {
  it('gets the errors of a run', async () => {
    await save(test, 'erring', { query: 'SELECT {n:UInt8} AS n' });
    expect(await refused('erring/run')).toMatchObject({
      status: 400,
      body: { code: 'missing_variable' },
    });
    expect(await refused('nowhere/run')).toMatchObject({ status: 404 });
    expect(await refused('erring/run', { key: 'qd_wrong_key' })).toMatchObject({ status: 401 });
    expect(await refused('erring/run', { key: test.other.readKey })).toMatchObject({ status: 403 });
  });

  it('is refused by POST, with the method that it has', async () => {
    await save(test, 'posted');
    const headers = { accept: 'text/event-stream' };
    const { status, body } = await test.rest('POST', '/endpoints/posted/run', { headers });
    expect([status, body.code]).toEqual([406, 'not_acceptable']);
    expect(body.detail).toContain('text/event-stream by GET.');
    const other = await test.rest('POST', '/endpoints/posted/run', {
      headers: { accept: 'image/png' },
    });
    expect([other.status, String(other.body.detail).includes('GET')]).toEqual([406, false]);
  });

  it('is refused for what one response alone can be', async () => {
    await save(test, 'single');
    for (const [query, attr] of [
      ['format=csv', 'format'],
      ['debug=true', 'debug'],
      ['client_query_id=mine', 'client_query_id'],
    ])
      expect(await refused(`single/run?${query}`)).toMatchObject({ status: 400, body: { attr } });
    const inputs = await refused('single/run?interval_seconds=60', { accept: 'application/json' });
    expect(inputs).toMatchObject({ status: 400, body: { attr: 'interval_seconds' } });
    const unchanged = await test.rest('GET', '/endpoints/single/run?changes=false');
    expect(unchanged.status).toBe(200);
  });

  it('is one by the quality of Accept', async () => {
    await save(test, 'accepted');
    const typeOf = async (accept: string) => {
      const leaving = new AbortController();
      const response = await test.app.fetch(requestOf('accepted/run', { accept }, leaving.signal));
      leaving.abort();
      await response.body?.cancel();
      return response.headers.get('content-type')?.split(';')[0];
    };
    expect(await typeOf('text/event-stream, */*')).toBe('text/event-stream');
    expect(await typeOf('application/json;q=0.5, text/event-stream')).toBe('text/event-stream');
    expect(await typeOf('application/json, text/event-stream')).toBe('application/json');
    expect(await typeOf('*/*')).toBe('application/json');
  });

  it('is refused past the limit of its key, and not that of another', async () => {
    await save(test, 'limited');
    const { key } = await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] });
    const all = await Promise.all(Array.from({ length: 40 }, () => follow('limited/run', { key })));
    expect(await refused('limited/run', { key })).toMatchObject({
      status: 429,
      body: { code: 'too_many_streams', type: 'throttled_error' },
    });
    await (await follow('limited/run')).until(1);
    all[0]?.close();
    await eventually('there is room again', async () => {
      const leaving = new AbortController();
      const response = await test.app.fetch(requestOf('limited/run', { key }, leaving.signal));
      await response.body?.cancel();
      return response.status === 200;
    });
  });
});

describe('the memory of followed results', () => {
  const heavy = "SELECT number AS n, repeat('x', 1000) AS filler FROM numbers({n:UInt32})";
  const held = async () => {
    const { text } = await test.rest('GET', '/api/../metrics', { key: null });
    return Number(/^querydock_live_bytes (\d+)$/m.exec(text)?.[1]);
  };

  it('is refused to one more result beyond the limit of its project, until there is room', async () => {
    await save(test, 'heavy', { query: heavy });
    await save(test, 'heavy', { query: heavy }, test.other);
    const before = await held();
    const first = await follow('heavy/run?variables[n]=500');
    await first.until(1);
    expect(await held()).toBeGreaterThan(before + 3 * 500_000);
    expect(await refused('heavy/run?variables[n]=501')).toMatchObject({
      status: 429,
      body: { code: 'too_many_streams', detail: expect.stringContaining('2000000 bytes') },
    });
    expect(await refused('heavy/run?variables[n]=3000')).toMatchObject({
      status: 400,
      body: { code: 'query_too_large' },
    });
    const same = await follow('heavy/run?variables[n]=500');
    const others = await follow('heavy/run?variables[n]=501', { project: test.other });
    for (const reader of [same, others]) await reader.until(1);
    for (const reader of [first, same, others]) reader.close();
    await eventually('the memory is given back', async () => (await held()) === before);
    await (await follow('heavy/run?variables[n]=501')).until(1);
  });

  it('bounds a result that grows: it stays as it was, or its streams go elsewhere', async () => {
    const query = `SELECT number AS n, repeat('x', 1000) AS filler
      FROM numbers(assumeNotNull((SELECT toUInt64(sum(amount)) FROM sales WHERE country = 'size')))`;
    await save(test, 'growing', { query });
    await insert('size', 10);
    const reader = await follow('growing/run');
    await reader.until(1);
    await insert('size', 3000);
    const [, failure] = await reader.until(2);
    expect(failure).toMatchObject({ event: 'error', data: { code: 'query_too_large' } });
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 3000 SETTINGS mutations_sync = 2');
    await insert('size', 10);
    const [, , next] = await reader.until(3);
    expect(rowsOf(next)).toHaveLength(20);
    await save(test, 'filling', { query: heavy });
    const filling = await follow('filling/run?variables[n]=500');
    await filling.until(1);
    await insert('size', 400);
    await reader.ended();
    expect(reader.events.at(-1)?.event).toBe('reconnect');
    expect(await refused('growing/run')).toMatchObject({
      status: 429,
      body: { code: 'too_many_streams' },
    });
    expect(filling.isOver()).toBe(false);
  });
});

describe('changes of a result', () => {
  const query =
    "SELECT country, toUInt64(9007199254740993) + sum(amount) AS total, repeat('é\\n\"', 50) AS filler FROM sales WHERE country != 'xx' GROUP BY country ORDER BY country";

  it('are the rows that came, went and changed, with every digit', async () => {
    await save(test, 'changing', { query });
    const path = 'changing/run?changes=true&key=country';
    const changing = await follow(path);
    const whole = await follow('changing/run');
    const [first] = await changing.until(1);
    expect(first?.event).toBe('result');
    await whole.until(1);
    await insert('at', 5);
    await insert('zz', 5);
    await test.sql("ALTER TABLE sales DELETE WHERE country = 'de' SETTINGS mutations_sync = 2");
    await insert('zz', 1);
    const { results } = (await test.rest('GET', '/endpoints/changing/run')).body;
    await eventually('both have the newest', () => {
      const newest = whole.events.at(-1);
      return (
        JSON.stringify(rowsOf(newest)) === JSON.stringify(results) &&
        changing.events.at(-1)?.id === newest?.id
      );
    });
    const [start, ...rest] = changing.events;
    expect(rest.map(({ event }) => event)).toEqual(rest.map(() => 'changes'));
    const rebuilt = rest.reduce<unknown[][]>(
      (rows, { data }) => applyChanges(rows, data as Changes),
      [...rowsOf(start)] as unknown[][],
    );
    expect(rebuilt).toEqual(results);
    expect(changing.text()).toMatch(/"at":\d+,"row":\["zz", 90071992547409\d\d/);
  });

  it('go on after a reconnect where one was missed, and begin anew where more were', async () => {
    await save(test, 'again', { query });
    const path = 'again/run?changes=true&key=country';
    const stays = await follow(path);
    const [first] = await stays.until(1);
    await insert('be', 1);
    const [, second] = await stays.until(2);
    const late = await follow(path, { lastId: first?.id ?? '' });
    expect((await late.until(1))[0]).toEqual(second);
    await insert('be', 1);
    const [, , third] = await stays.until(3);
    expect(third?.event).toBe('changes');
    const later = await follow(path, { lastId: first?.id ?? '' });
    expect((await later.until(1))[0]).toMatchObject({ event: 'result', id: third?.id });
  });

  it('send the whole result when the order changes', async () => {
    await save(test, 'ordered', {
      query:
        "SELECT country, sum(amount) AS total FROM sales WHERE country IN ('o1', 'o2') GROUP BY country ORDER BY total",
    });
    await insert('o1', 1);
    await insert('o2', 2);
    const reader = await follow('ordered/run?changes=true&key=country');
    await reader.until(1);
    await insert('o1', 5);
    const [, next] = await reader.until(2);
    expect(next?.event).toBe('result');
    expect(rowsOf(next)).toEqual([
      ['o2', 2],
      ['o1', 6],
    ]);
  });

  it('have the cursor of the page that follows the changed one', async () => {
    const query =
      "SELECT country, count() AS n FROM sales WHERE country LIKE 'p%' GROUP BY country";
    await save(test, 'paged', { query });
    for (const country of ['p2', 'p4', 'p6', 'p8']) await insert(country, 1);
    const path = 'paged/run?order_by=country&limit=2';
    const reader = await follow(`${path}&changes=true&key=country`);
    await reader.until(1);
    await insert('p1', 1);
    const [, changed] = await reader.until(2);
    expect(changed).toMatchObject({ event: 'changes', data: { went: [['p4']] } });
    const { data } = changed as { readonly data: unknown };
    const { next_cursor: cursor } = data as { readonly next_cursor: string };
    const next = await test.rest('GET', `/endpoints/${path}&cursor=${cursor}`);
    expect(next.body.results).toEqual([
      ['p4', 1],
      ['p6', 1],
    ]);
  });

  it('need a key of columns that tells the rows apart', async () => {
    await save(test, 'twice', { query: 'SELECT country, amount FROM sales' });
    for (const query of [
      'changes=true',
      'changes=true&key=nothing',
      'changes=true&key=country',
      'key=country',
    ])
      expect(await refused(`twice/run?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', attr: 'key' },
      });
  });
});
