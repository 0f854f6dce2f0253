import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figure } from './figure.ts';
import { type Bench, inDemo, readers, timeRun, waitForSync } from './materialization-demo.ts';
import { cpuSeconds } from './processor-time.ts';

const swaps = 200;
const idleMaterializations = 1000;
const idleSeconds = 20;
const idleParts = 4;

/** Reads while tables are swapped, and what a thousand materializations cost while nothing is due. */
export function measureSwaps(): Promise<readonly Figure[]> {
  return inDemo(async (bench) => [...(await countMixedReads(bench)), await measureIdle(bench)]);
}

async function countMixedReads(bench: Bench): Promise<readonly Figure[]> {
  await bench.sql('CREATE TABLE generation (g UInt32) ENGINE = MergeTree ORDER BY g');
  await bench.sql('INSERT INTO generation SELECT 0 FROM numbers(1000)');
  await bench.materialize('generations', 'SELECT g FROM generation');
  let reading = true;
  let [reads, wrong] = [0, 0];
  const read = async (): Promise<void> => {
    while (reading) {
      const { run } = await timeRun(bench, 'generations', { refresh: 'force' });
      const rows = run.results as readonly (readonly [number])[];
      reads += 1;
      if (
        run.endpoint_materialized !== true ||
        rows.length !== 1000 ||
        new Set(rows.map(([g]) => g)).size !== 1
      )
        wrong += 1;
    }
  };
  const all = Array.from({ length: readers }, read);
  for (let g = 1; g <= swaps; g += 1) {
    await bench.sql('CREATE TABLE generation_next AS generation');
    await bench.sql(`INSERT INTO generation_next SELECT ${g} FROM numbers(1000)`);
    await bench.sql('EXCHANGE TABLES generation AND generation_next');
    await bench.sql('DROP TABLE generation_next SYNC');
    await bench.sync('generations');
  }
  reading = false;
  await Promise.all(all);
  const name = `${swaps} swaps under ${readers} readers`;
  return [
    figure(name, 'reads', { samples: [reads] }),
    figure(name, 'reads that were mixed or inline', { samples: [wrong], target: { atMost: 0 } }),
  ];
}

async function measureIdle(bench: Bench): Promise<Figure> {
  const names = Array.from({ length: idleMaterializations }, (_, n) => `idle_${n}`);
  const lanes = Array.from({ length: 4 }, async (_, lane) => {
    for (let at = lane; at < names.length; at += 4) {
      await bench.rest('POST', '', {
        name: names[at],
        query: `SELECT ${at} AS n`,
        is_materialized: true,
        sync_frequency: '1hour',
      });
    }
  });
  await Promise.all(lanes);
  for (const name of names) await waitForSync(bench, name);
  const pids = [bench.server.pid];
  const samples: number[] = [];
  for (let part = 0; part < idleParts; part += 1) {
    const before = await cpuSeconds(pids);
    await delay((1000 * idleSeconds) / idleParts);
    const used = (await cpuSeconds(pids)) - before;
    samples.push((100 * used * idleParts) / idleSeconds);
  }
  return figure(`idle with ${idleMaterializations} materializations`, '% of a core', {
    samples,
    target: { atMost: 2 },
  });
}
