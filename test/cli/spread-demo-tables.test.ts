/** The demo's tables are spread over two nodes whole or not at all, wherever it is interrupted, and nothing else is touched. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { spreadDemoTables } from '../../src/cli/demo/spread-demo-tables.ts';
import { noProgress } from '../../src/cli/progress-bar.ts';
import { openTwoNodes, type TwoNodes } from '../support/two-nodes.ts';

const columns =
  "(date DateTime('UTC'), delay Int16, distance UInt16, origin LowCardinality(String), destination LowCardinality(String))";
const rows =
  "SELECT toDateTime(number * 60, 'UTC'), number % 100, number, ['SFO', 'ANC', 'ORD'][number % 3 + 1], 'JFK' FROM numbers(3000)";
const sums = 'SELECT count(), sum(distance), sum(delay), uniqExact(date) FROM project_1.flights';
const whole = '3000\t4498500\t148500\t3000\n';

let two: TwoNodes;
beforeAll(async () => {
  two = await openTwoNodes();
});
afterAll(() => two?.stop());
beforeEach(() => makeTables());
afterEach(() => each('DROP DATABASE IF EXISTS project_1 SYNC'));

/** As one node has them. */
async function makeTables(): Promise<void> {
  await two.sql(0, 'CREATE DATABASE project_1');
  await two.sql(0, `CREATE TABLE project_1.flights ${columns} ENGINE = MergeTree ORDER BY date`);
  await two.sql(0, `INSERT INTO project_1.flights ${rows}`);
  await two.sql(
    0,
    'CREATE TABLE project_1.airports ENGINE = MergeTree ORDER BY iata AS SELECT toString(number) AS iata FROM numbers(9)',
  );
}

const both = [0, 1] as const;
const each = (statement: string) => Promise.all(both.map((node) => two.sql(node, statement)));

/** @param statements how many are sent before it is interrupted. */
function spread(statements = Number.POSITIVE_INFINITY): Promise<boolean> {
  let sent = 0;
  const signal = Object.assign(new AbortController().signal, {
    throwIfAborted() {
      sent += 1;
      if (sent > statements) throw new Error('interrupted');
    },
  });
  const connections = two.urls.map((url) => ({ ...two.connection, url }));
  return spreadDemoTables({
    connections,
    clusters: two.clusters,
    projectId: 1,
    startProgress: noProgress,
    signal,
  });
}

async function expectSpread(): Promise<void> {
  expect(await each(sums)).toEqual([whole, whole]);
  const counts = await each('SELECT count() FROM project_1.flights_local');
  expect(Number(counts[0]) + Number(counts[1])).toBe(3000);
  for (const count of counts) expect(Number(count)).toBeGreaterThan(1000);
  expect(await each('SELECT count() FROM project_1.airports')).toEqual(['9\n', '9\n']);
  const tables = await each(
    "SELECT name FROM system.tables WHERE database = 'project_1' ORDER BY name",
  );
  expect(tables).toEqual(both.map(() => 'airports\nflights\nflights_local\n'));
}

describe('the tables of the demo', () => {
  it('are spread, and stay as they are when they are', async () => {
    expect(await spread()).toBe(true);
    await expectSpread();
    const ids = "SELECT name, uuid FROM system.tables WHERE database = 'project_1' ORDER BY name";
    const before = await each(ids);
    expect(await spread()).toBe(true);
    expect(await each(ids)).toEqual(before);
  });

  it('have all their rows after an interruption at any statement, and are spread by the next start', async () => {
    let isWhole = false;
    let interruptions = 0;
    for (; !isWhole; interruptions += 1) {
      isWhole = await spread(interruptions).then(
        () => true,
        (error: unknown) => {
          expect(String(error)).toBe('Error: interrupted');
          return false;
        },
      );
      // Whatever had been done of it: the service may be started on the first node alone only before it is spread.
      expect(await two.sql(0, sums)).toBe(whole);
      expect(await spread()).toBe(true);
      await expectSpread();
      await each('DROP DATABASE project_1 SYNC');
      await makeTables();
    }
    expect(interruptions).toBeGreaterThan(25);
  });

  it('are not spread over a table of the same name that is somebody’s', async () => {
    await two.sql(
      0,
      'CREATE TABLE project_1.flights_local ENGINE = MergeTree ORDER BY n AS SELECT 7 AS n',
    );
    await expect(spread()).rejects.toThrow(
      'a node has a table project_1.flights_local that the demo did not create',
    );
    expect(await two.sql(0, 'SELECT n FROM project_1.flights_local')).toBe('7\n');
    expect(await two.sql(0, sums)).toBe(whole);
  });

  it('stay where they are when flights is another table now', async () => {
    await two.sql(0, 'DROP TABLE project_1.flights SYNC');
    await two.sql(
      0,
      'CREATE TABLE project_1.flights ENGINE = MergeTree ORDER BY n AS SELECT 7 AS n',
    );
    expect(await spread()).toBe(false);
    expect(await two.sql(0, 'SELECT n FROM project_1.flights')).toBe('7\n');
  });
});
