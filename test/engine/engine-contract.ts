/** What every engine the service can run on has to do; `open` gives one with the tests' small limits. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { EngineConnection } from '../../src/engine/clickhouse/http/connection.ts';
import { loadTable } from '../../src/engine/clickhouse/load/load-table.ts';
import type { EngineParams, EngineResult, QueryEngine } from '../../src/engine/query-engine.ts';
import { formatParam } from '../../src/sql/param-value.ts';
import { eventually } from '../support/eventually.ts';
import { adminRunner } from './support/admin.ts';
import { params } from './support/params.ts';
import { guardRefusals, textRefusals } from './support/refusals.ts';
import { valueTypes } from './support/value-types.ts';

export interface OpenedEngine {
  readonly engine: QueryEngine;
  readonly connection: EngineConnection;
  close(): Promise<void>;
}

interface Run {
  readonly params?: EngineParams;
  readonly limit?: number;
  readonly offset?: number;
  readonly integers?: 'number' | 'string';
  readonly queryId?: string;
  readonly projectId?: number;
}

/** Longer than the time limit of the tests. */
const FOREVER = 'SELECT sum(sipHash64(number)) AS s FROM numbers(1000000000000)';

export function engineContract(open: () => Promise<OpenedEngine>): void {
  let opened: OpenedEngine;
  const run = (sql: string, given: Run = {}, signal?: AbortSignal): Promise<EngineResult> =>
    opened.engine.query(
      {
        projectId: 1,
        sql,
        params: {},
        queryId: randomUUID(),
        limit: 1000,
        offset: 0,
        integers: 'number',
        ...given,
      },
      signal,
    );
  const rows = async (sql: string, given: Run = {}): Promise<unknown> =>
    JSON.parse((await run(sql, given)).rows.toString());
  const describeText = (sql: string, given: EngineParams = {}) =>
    opened.engine.describe({ projectId: 1, sql, params: given });
  /** Until nothing of earlier tests counts any more. */
  const idle = () =>
    eventually('the project is idle', async () => {
      const count = "SELECT count() FROM system.processes WHERE user LIKE 'project_1%'";
      return Number(await adminRunner(opened.connection)(count)) === 0;
    });
  const isRunning = async (queryId: string) => (await opened.engine.progress(queryId)) !== null;

  beforeAll(async () => {
    opened = await open();
    await opened.engine.provision(1);
    await opened.engine.provision(2);
    const admin = adminRunner(opened.connection);
    await admin('CREATE TABLE project_1.t (id UInt64, s String) ENGINE = MergeTree ORDER BY id');
    await admin('INSERT INTO project_1.t SELECT number, toString(number % 7) FROM numbers(100)');
    await admin('CREATE TABLE project_2.secret (id UInt64) ENGINE = MergeTree ORDER BY id');
  });
  afterAll(async () => opened?.close());

  describe('values', () => {
    it.each(valueTypes)('writes $expression', async ({ expression, type, json, ...rest }) => {
      const result = await run(`SELECT ${expression} AS v`);
      expect(result.columns).toEqual([{ name: 'v', type }]);
      expect(result.rows.toString()).toBe(`[[${json}]]`);
      const asText = await run(`SELECT ${expression} AS v`, { integers: 'string' });
      expect(asText.rows.toString()).toBe(`[[${rest.asString ?? json}]]`);
    });

    it.each(params)('reads back $type $value', async ({ type, value, json }) => {
      const text = formatParam(type, value);
      const result = await run(`SELECT {x:${type}} AS v`, { params: { x: text } });
      expect(result.rows.toString()).toBe(`[[${json}]]`);
    });

    it('keeps every row apart, whatever the texts hold', async () => {
      const texts = ['],[', '\n', '"', '\\', ',', '', '[1]\n[2]', '\u2028'];
      const x = formatParam('Array(String)', texts);
      expect(await rows('SELECT arrayJoin({x:Array(String)}) AS v', { params: { x } })).toEqual(
        texts.map((text) => [text]),
      );
    });

    it('takes a parameter longer than an address may be', async () => {
      const x = 'x'.repeat(100_000);
      expect(await rows('SELECT length({x:String})', { params: { x } })).toEqual([[100_000]]);
    });
  });

  describe('columns', () => {
    it('keeps odd and repeated names, also where columns are converted', async () => {
      const sql =
        'SELECT toInt128(1) AS `a b`, 2 AS `c``d`, 3 AS "e.f", 4 AS `x\\\\y`, id, id, 5 AS `it\'s` FROM t WHERE id = 3';
      const result = await run(sql);
      const names = result.columns.map((column) => column.name);
      expect(names).toEqual(['a b', 'c`d', 'e.f', 'x\\y', 'id', 'id', "it's"]);
      expect(result.columns[0]?.type).toBe('Int128');
      expect(await describeText(sql)).toEqual(result.columns);
      expect(JSON.parse(result.rows.toString())).toEqual([['1', 2, 3, 4, 3, 3, 5]]);
    });

    it('names an unnamed expression after its parameter, whatever the value', async () => {
      const sql = 'SELECT concat({x:String}, s), {n:UInt8} + 1 FROM t LIMIT 1';
      const described = await describeText(sql, { x: '', n: '1' });
      expect(described).toEqual([
        { name: 'concat({x}, s)', type: 'String' },
        { name: 'plus({n}, 1)', type: 'UInt16' },
      ]);
      const result = await run(sql, { params: { x: "it's", n: '200' } });
      expect(result.columns).toEqual(described);
    });

    it('notices that a table was replaced by one with other columns', async () => {
      const admin = adminRunner(opened.connection);
      const table = 'CREATE OR REPLACE TABLE project_1.changing';
      await admin(`${table} ENGINE = Memory AS SELECT 1::UInt8 AS v`);
      expect(await rows('SELECT * FROM changing')).toEqual([[1]]);
      await admin(`${table} ENGINE = Memory AS SELECT 1::Int128 AS v`);
      expect(await rows('SELECT * FROM changing')).toEqual([['1']]);
      await admin(`${table} ENGINE = Memory AS SELECT 1::Int128 AS v, 'x' AS w`);
      expect(await rows('SELECT * FROM changing')).toEqual([['1', 'x']]);
      await admin(`${table} ENGINE = Memory AS SELECT 1::Int128 AS v, sumState(1) AS w`);
      await expect(rows('SELECT * FROM changing')).rejects.toMatchObject({ code: 'invalid_query' });
      await admin(`${table} ENGINE = Memory AS SELECT 1 AS v`);
      expect(await rows('SELECT * FROM changing')).toEqual([[1]]);
      await admin(`${table} ENGINE = Memory AS SELECT sumState(1) AS v`);
      await expect(rows('SELECT * FROM changing')).rejects.toMatchObject({ code: 'invalid_query' });
    });
  });

  describe('limit and offset', () => {
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => [from + index]);

    it.each([
      ['a plain query', 'SELECT id FROM t ORDER BY id', ids(1, 4), true],
      ['its own LIMIT as the ceiling', 'SELECT id FROM t ORDER BY id LIMIT 3', ids(1, 3), false],
      ['its own OFFSET', 'SELECT id FROM t ORDER BY id LIMIT 9 OFFSET 10', ids(11, 14), true],
      ['UNION ALL', '(SELECT id FROM t WHERE id < 2) UNION ALL (SELECT 9)', null, false],
      [
        'a long UNION ALL',
        'SELECT 7 AS id FROM t UNION ALL SELECT 7 FROM t',
        [[7], [7], [7]],
        true,
      ],
      ['INTERSECT', 'SELECT toUInt8(id) FROM t INTERSECT SELECT 1', [], false],
      [
        'WITH TIES',
        'SELECT intDiv(id, 10) FROM t ORDER BY 1 LIMIT 1 WITH TIES',
        [[0], [0], [0]],
        true,
      ],
      ['a negative LIMIT', 'SELECT id FROM t ORDER BY id LIMIT -3', ids(98, 100), false],
      ['a fractional LIMIT', 'SELECT id FROM t ORDER BY id LIMIT 0.1', ids(1, 4), true],
      [
        'a CTE',
        'WITH c AS (SELECT id FROM t) SELECT count() FROM c UNION ALL SELECT 1',
        null,
        false,
      ],
      ['IN', 'SELECT id FROM t WHERE id IN (SELECT id FROM t) ORDER BY id', ids(1, 4), true],
      ['LIMIT BY', 'SELECT s FROM t ORDER BY s LIMIT 1 BY s', [['1'], ['2'], ['3']], true],
      [
        'totals that an aggregation drops',
        "SELECT count() FROM (SELECT s = '' AS e FROM t GROUP BY e WITH TOTALS)",
        [],
        false,
      ],
      ['a trailing comment', 'SELECT id FROM t ORDER BY id -- the end', ids(1, 4), true],
      ['a trailing semicolon', 'SELECT id FROM t ORDER BY id; -- the end', ids(1, 4), true],
    ])('apply to %s', async (_name, sql, expected, hasMore) => {
      const result = await run(sql, { limit: 3, offset: 1 });
      const found = JSON.parse(result.rows.toString()) as unknown[];
      if (expected !== null) expect(found).toEqual(expected);
      expect(result.rowCount).toBe(found.length);
      expect(result.hasMore).toBe(hasMore);
    });

    it('count the rows of a UNION ALL as one result', async () => {
      const sql = 'SELECT 1 AS v UNION ALL SELECT 2 UNION ALL SELECT 3';
      expect(await run(sql, { offset: 2 })).toMatchObject({ rowCount: 1, hasMore: false });
      expect(await run(sql, { offset: 3 })).toMatchObject({ rowCount: 0, hasMore: false });
    });

    it('leave aggregates and subqueries alone', async () => {
      const sql = 'WITH c AS (SELECT id FROM t) SELECT count(), (SELECT max(id) FROM t) FROM c';
      expect(await rows(sql, { limit: 1 })).toEqual([[100, 99]]);
      const inList = 'SELECT count() FROM t WHERE id IN (SELECT id FROM t)';
      expect(await rows(inList, { limit: 1 })).toEqual([[100]]);
    });

    it('report correctly whether there are more rows', async () => {
      const exact = await run('SELECT number FROM numbers(5)', { limit: 5 });
      expect([exact.rowCount, exact.hasMore]).toEqual([5, false]);
      const none = await run('SELECT number FROM numbers(5)', { limit: 5, offset: 5 });
      expect([none.rows.toString(), none.rowCount, none.hasMore]).toEqual(['[]', 0, false]);
      const last = await run('SELECT number FROM numbers(5)', { limit: 2, offset: 2 });
      expect([last.rows.toString(), last.hasMore]).toEqual(['[[2],[3]]', true]);
    });
  });

  describe('limits', () => {
    it.each([
      ['time', FOREVER, 'query_timeout'],
      [
        'memory',
        "SELECT groupArray(repeat('a', 100000)) FROM numbers(100000)",
        'query_memory_limit',
      ],
      ['result size', "SELECT repeat('x', 20000) FROM numbers(1000)", 'query_too_large'],
    ])('end a query that takes too much %s', async (_name, sql, code) => {
      await expect(run(sql)).rejects.toMatchObject({ code });
    });

    it('hold for JSON that is longer than the values', async () => {
      // 255 numbers of one byte make 1 KB of text each row.
      const sql = 'SELECT arrayResize(emptyArrayUInt8(), 255, 255) FROM numbers(8000)';
      await expect(run(sql, { limit: 8000 })).rejects.toMatchObject({ code: 'query_too_large' });
    });

    it('refuse more queries at once than a project may have, and only of that project', async () => {
      await idle();
      const abort = new AbortController();
      const running = [1, 2, 3].map(() => randomUUID());
      const outcomes = running.map((queryId) => settled(run(FOREVER, { queryId }, abort.signal)));
      await Promise.all(running.map((id) => eventually('it runs', () => isRunning(id))));
      await expect(run('SELECT 1')).rejects.toMatchObject({
        code: 'too_many_concurrent_queries',
        retryAfterSeconds: expect.any(Number),
      });
      const other = await run('SELECT 1', { projectId: 2 });
      expect(other.rowCount).toBe(1);
      abort.abort();
      expect(await Promise.all(outcomes)).toEqual(running.map(() => 'query_cancelled'));
      for (const id of running) await eventually('it is gone', async () => !(await isRunning(id)));
    });

    it('report that a failing query failed', async () => {
      await expect(
        run("SELECT throwIf(number = 3, 'three is wrong') FROM numbers(5)"),
      ).rejects.toMatchObject({ code: 'query_failed', message: 'three is wrong.' });
    });
  });

  describe('running queries', () => {
    it('are not started for a signal that is aborted already', async () => {
      const queryId = randomUUID();
      await expect(run(FOREVER, { queryId }, AbortSignal.abort())).rejects.toMatchObject({
        code: 'query_cancelled',
      });
      expect(await isRunning(queryId)).toBe(false);
    });

    it('end at the engine when nobody waits any more', async () => {
      const abort = new AbortController();
      const queryId = randomUUID();
      const outcome = settled(run(FOREVER, { queryId }, abort.signal));
      await eventually('it runs', () => isRunning(queryId));
      abort.abort();
      expect(await outcome).toBe('query_cancelled');
      await eventually('it is gone', async () => !(await isRunning(queryId)));
    });

    it('can be watched and cancelled by their id', async () => {
      const queryId = randomUUID();
      const bystander = randomUUID();
      const abort = new AbortController();
      const outcome = settled(run(FOREVER, { queryId }));
      const other = settled(run(FOREVER, { queryId: bystander }, abort.signal));
      await eventually('both run', async () => (await isRunning(queryId)) && isRunning(bystander));
      await eventually('rows are counted', async () => {
        const progress = await opened.engine.progress(queryId);
        return progress !== null && progress.rowsRead > 0 && progress.rowsTotal > 0;
      });
      expect(await opened.engine.cancel(queryId)).toBe(true);
      expect(await outcome).toBe('query_cancelled');
      expect(await isRunning(bystander)).toBe(true);
      abort.abort();
      await other;
    });

    it('are unknown when they do not run', async () => {
      expect(await opened.engine.cancel(randomUUID())).toBe(false);
      expect(await opened.engine.progress(randomUUID())).toBeNull();
    });

    it('report what they have read', async () => {
      const { stats } = await run('SELECT count() FROM t WHERE id >= 0 AND s != {x:String}', {
        params: { x: 'none' },
      });
      expect(stats).toMatchObject({ rowsRead: 100 });
      expect(stats.bytesRead).toBeGreaterThan(0);
      expect(stats.timeElapsed).toBeGreaterThan(0);
    });
  });

  describe('describe', () => {
    it('returns names and types without running the query', async () => {
      expect(await describeText('SELECT id, s AS name, count() FROM t GROUP BY ALL')).toEqual([
        { name: 'id', type: 'UInt64' },
        { name: 'name', type: 'String' },
        { name: 'count()', type: 'UInt64' },
      ]);
      expect(await describeText(FOREVER)).toEqual([{ name: 's', type: 'UInt64' }]);
    });

    it('does not read the values it is given only to describe with', async () => {
      const sql =
        'SELECT toDate({d:String}) AS d, id FROM t WHERE toDateTime({d:String}) > now() LIMIT {n:UInt8}';
      expect(await describeText(sql, { d: '', n: '1' })).toEqual([
        { name: 'd', type: 'Date' },
        { name: 'id', type: 'UInt64' },
      ]);
    });

    it('prints a tuple’s type in one line', async () => {
      const sql = "SELECT CAST((1, 'x') AS Tuple(a UInt8, b String)) AS v";
      expect(await describeText(sql)).toEqual([{ name: 'v', type: 'Tuple(a UInt8, b String)' }]);
    });

    it.each(textRefusals)('refuses $sql', async ({ sql, says }) => {
      await expect(describeText(sql)).rejects.toMatchObject({
        code: 'invalid_query',
        attr: 'query',
        message: expect.stringMatching(says),
      });
    });

    it.each(guardRefusals)('keeps out %s', async (sql) => {
      const refusal = { code: 'invalid_query', attr: 'query' };
      await expect(describeText(sql)).rejects.toMatchObject(refusal);
      await expect(run(sql)).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_query|query_failed)$/),
      });
    });

    it('reports the same for a table of another project, whether it exists or not', async () => {
      const refusals = new Set<unknown>();
      for (const table of ['project_2.secret', 'project_2.none', 'nowhere.t', 'system.users']) {
        const refusal = describeText(`SELECT * FROM ${table}`);
        refusals.add(await refusal.catch((error: Error) => error.message));
      }
      expect([...new Set(refusals)]).toEqual([expect.stringMatching(/tables of its project/)]);
    });

    it('names the variable without a value, and the one whose value does not fit', async () => {
      await expect(describeText('SELECT {x:UInt8}')).rejects.toMatchObject({
        code: 'missing_variable',
        attr: 'variables.x',
      });
      await expect(run('SELECT {x:UInt8}', { params: { x: 'abc' } })).rejects.toMatchObject({
        code: 'invalid_input',
        attr: 'variables.x',
      });
    });
  });

  describe('projects', () => {
    it('are provisioned as often as requested', async () => {
      await opened.engine.provision(1);
      expect(await rows('SELECT count() FROM t')).toEqual([[100]]);
    });

    it('list their tables and no others', async () => {
      const tables = await opened.engine.tables(1);
      expect(tables.find((table) => table.name === 't')).toMatchObject({
        rows: 100,
        bytes: expect.any(Number),
        columns: [
          { name: 'id', type: 'UInt64' },
          { name: 's', type: 'String' },
        ],
      });
      expect(await opened.engine.tables(2)).toMatchObject([{ name: 'secret', rows: 0 }]);
      expect(await opened.engine.tables(60)).toEqual([]);
    });

    it('can be removed with all they have, and made again', async () => {
      await opened.engine.provision(5);
      const source = new Blob(['{"a":1}\n']).stream();
      await loadTable({
        connection: opened.connection,
        log: openLog('silent'),
        projectId: 5,
        table: 'gone',
        format: 'JSONEachRow',
        source: (await import('node:stream')).Readable.fromWeb(source as never),
        columns: [{ name: 'a', type: 'UInt8' }],
        mode: 'create',
      });
      expect(await opened.engine.tables(5)).toHaveLength(1);
      await opened.engine.deprovision(5);
      await opened.engine.deprovision(5);
      expect(await opened.engine.tables(5)).toEqual([]);
      await opened.engine.provision(5);
      expect(await rows('SELECT 1', { projectId: 5 })).toEqual([[1]]);
      expect(await rows('SELECT count() FROM t')).toEqual([[100]]);
    });
  });

  it('responds to a ping', async () => {
    await expect(opened.engine.ping()).resolves.toBeUndefined();
  });
}

function settled(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'finished',
    (error: { readonly code?: string }) => error.code ?? 'failed',
  );
}
