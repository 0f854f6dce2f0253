import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { verdict } from './figures.ts';
import { type Bench, inDemo, readers, timeRun, waitForSync } from './materialization-demo.ts';

const swaps = 200;
const idleMaterializations = 1000;
const idleSeconds = 20;

/** Reads while tables are swapped, and what a thousand materializations cost while nothing is due. */
export function measureSwaps(): Promise<readonly string[]> {
  return inDemo(async (bench) => [await countMixedReads(bench), await measureIdle(bench)]);
}

async function countMixedReads(bench: Bench): Promise<string> {
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
  return `${swaps} swaps under ${readers} readers: ${reads} reads, ${wrong} wrong: ${verdict(wrong === 0)}`;
}

async function measureIdle(bench: Bench): Promise<string> {
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
  const before = await cpuSeconds(bench.pid);
  await delay(idleSeconds * 1000);
  const share = (await cpuSeconds(bench.pid)) - before;
  const percent = (100 * share) / idleSeconds;
  return `idle with ${idleMaterializations} materializations: ${percent.toFixed(2)} % of a core, target 2 %: ${verdict(percent <= 2)}`;
}

/** Processor time of the service's own process so far. Source: /proc/<pid>/stat, in hundredths of a second. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
