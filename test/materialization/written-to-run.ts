/**
 * `node test/materialization/written-to-run.ts INSERTS_PER_SECOND SYNCS`: so many first syncs of new endpoints while their tables
 * are written to. Prints how they ended, and how many stored tables differ from the query over the batches that they hold.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from '../../src/config/open-log.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { startTestEngine } from '../support/test-engine.ts';
import { startTestPostgres } from '../support/test-server.ts';

const rate = Number(process.argv[2] ?? 30);
const syncs = Number(process.argv[3] ?? 50);

/** Of `events`, which only gets whole batches: the result shows which ones were there. */
const queries = [
  'SELECT batch, count() AS n, sum(v) AS s FROM events GROUP BY batch ORDER BY batch',
  'SELECT batch, n, v FROM events ORDER BY batch, n',
  'SELECT batch, uniqExact(n) AS u FROM events WHERE n >= {from:UInt32} GROUP BY batch ORDER BY batch',
  'SELECT e.batch, e.v FROM events AS e WHERE e.n BETWEEN {from:UInt32} AND {to:UInt32} ORDER BY e.batch, e.v',
  'SELECT batch, n FROM per_batch ORDER BY batch',
];
/** Of tables whose rows come and go in every way. */
const changing = [
  'SELECT k, sum(v) AS s FROM moving GROUP BY k ORDER BY k',
  'SELECT k, v FROM latest FINAL WHERE k >= {from:UInt32} ORDER BY k',
  'SELECT m.k, uniqExact(l.v) AS u FROM moving AS m JOIN latest AS l ON l.k = m.k GROUP BY m.k ORDER BY m.k',
];
const values = { from: 3, to: 7 };

const tables = [
  'CREATE TABLE events (batch UInt32, n UInt32, v Int32) ENGINE = MergeTree ORDER BY (batch, n)',
  'CREATE VIEW per_batch AS SELECT batch, count() AS n FROM events GROUP BY batch',
  'CREATE TABLE moving (k UInt32, v Int64, at DateTime DEFAULT now()) ENGINE = MergeTree PARTITION BY k % 4 ORDER BY k TTL at + INTERVAL 5 SECOND DELETE WHERE k % 7 = 0',
  'CREATE TABLE latest (k UInt32, v Int64) ENGINE = ReplacingMergeTree ORDER BY k',
];
const changes = [
  'OPTIMIZE TABLE moving FINAL',
  'OPTIMIZE TABLE events',
  'ALTER TABLE moving UPDATE v = v + 1 WHERE k % 2 = 0',
  'ALTER TABLE moving DELETE WHERE k = 5',
  'DELETE FROM latest WHERE k = 4',
  'ALTER TABLE moving DROP PARTITION 1',
  'OPTIMIZE TABLE latest FINAL',
];

/** Each writes the batches of its own remainder in their order, so that a copy holds those of each up to some batch. */
const writers = Math.min(32, Math.ceil(rate / 8));

/** Inserts at the rate, or as fast as the engine takes them, until it is told to stop; returns how many a second. */
async function write(test: TestApp, isStopped: () => boolean): Promise<number> {
  let inserts = 0;
  const began = performance.now();
  const insert = async (writer: number) => {
    for (let batch = writers + writer; !isStopped(); batch += writers) {
      const statements = [
        `INSERT INTO events SELECT ${batch}, number, number + ${batch} FROM numbers(10)`,
        `INSERT INTO moving (k, v) SELECT number, ${batch} FROM numbers(20)`,
        `INSERT INTO latest SELECT number, ${batch} FROM numbers(20)`,
      ];
      for (const statement of statements) {
        await test.sql(statement);
        inserts += 1;
        await delay(Math.max(0, (inserts * 1000) / rate - (performance.now() - began)));
      }
    }
  };
  const change = async () => {
    for (let at = 0; !isStopped(); at += 1) {
      await test.sql(changes[at % changes.length] ?? '');
      await delay(200);
    }
  };
  const all = Array.from({ length: writers }, (_none, writer) => insert(writer));
  await Promise.all([...all, change()]);
  return (inserts * 1000) / (performance.now() - began);
}

interface Made {
  readonly name: string;
  readonly query: string;
  readonly rows: readonly (readonly unknown[])[];
}

async function rowsOf(test: TestApp, name: string, query: string) {
  const named = Object.entries(values).filter(([value]) => query.includes(`{${value}:`));
  const body = { refresh: 'force', variables: Object.fromEntries(named), limit: 1_000_000 };
  const { body: result } = await test.rest('POST', `/endpoints/${name}/run`, { body });
  if (result.served_from !== 'materialized') throw new Error(JSON.stringify(result).slice(0, 300));
  return result.results as Made['rows'];
}

/** The query itself over the batches that the result holds, once nobody writes. */
async function expectedRows(test: TestApp, { query, rows }: Made): Promise<string> {
  const last = Array.from({ length: writers }, () => 0);
  for (const [batch] of rows) {
    const writer = Number(batch) % writers;
    last[writer] = Math.max(last[writer] ?? 0, Number(batch));
  }
  const among = (table: string) =>
    `FROM (SELECT * FROM ${table} WHERE batch <= [${last.join(', ')}][batch % ${writers} + 1])`;
  const sql = query
    .replace(/FROM (events|per_batch)/, (_all, table: string) => among(table))
    .replaceAll(/\{(\w+):\w+\}/g, (_all, name: 'from' | 'to') => String(values[name]));
  const lines = await test.sql(`${sql} FORMAT JSONCompactEachRow`);
  return `[${lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.stringify(JSON.parse(line)))
    .join(',')}]`;
}

interface Tally {
  readonly outcomes: Map<string, number>;
  readonly errors: Set<string>;
  readonly made: Made[];
}

async function syncAll(test: TestApp, { outcomes, errors, made }: Tally): Promise<void> {
  const all = [...queries, ...changing];
  for (let at = 0; at < syncs; at += 1) {
    const [name, query] = [`e${at}`, all[at % all.length] ?? ''];
    const created = await test.rest('POST', '/endpoints', {
      body: { name, query, is_materialized: true },
    });
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
    for (const outcome of (await test.app.materialization.runOnce()).syncs) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const { body: status } = await test.rest('GET', `/endpoints/${name}/materialization_status`);
    if (status.error !== null) errors.add(`${query}: ${JSON.stringify(status.error)}`);
    else if (queries.includes(query))
      made.push({ name, query, rows: await rowsOf(test, name, query) });
    if (status.can_materialize === false)
      outcomes.set('refused', (outcomes.get('refused') ?? 0) + 1);
  }
}

async function campaign(test: TestApp) {
  for (const statement of tables) await test.sql(statement);
  let isStopped = false;
  const writing = write(test, () => isStopped);
  writing.catch((error: unknown) => console.error('writing failed', error));
  const outcomes = new Map<string, number>();
  const errors = new Set<string>();
  const made: Made[] = [];
  await syncAll(test, { outcomes, errors, made }).finally(() => {
    isStopped = true;
  });
  const insertsPerSecond = Math.round(await writing);
  let different = 0;
  for (const one of made) {
    if (JSON.stringify(one.rows) !== (await expectedRows(test, one))) different += 1;
  }
  const left = (await test.app.core.engine.listStoredTables(test.project.id)).filter((table) =>
    table.includes('_source_'),
  );
  return {
    rate,
    insertsPerSecond,
    syncs,
    outcomes: Object.fromEntries(outcomes),
    compared: made.length,
    different,
    copiesLeft: left.length,
    errors: [...errors],
  };
}

const postgres = await startTestPostgres();
const engine = await startTestEngine();
try {
  const servers = { engine: engine.shared, postgres: postgres.shared };
  const test = await openTestApp({}, openLog('silent'), {
    servers,
    workerTimes: { random: () => 0 },
  });
  const began = performance.now();
  console.log({
    ...(await campaign(test)),
    seconds: Math.round((performance.now() - began) / 1000),
  });
  await test.close();
} finally {
  await engine.stop();
  await postgres.stop();
}
