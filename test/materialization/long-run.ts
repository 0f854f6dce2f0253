/** `node test/materialization/long-run.ts N [seed]`: N generated queries, each read with several values. */
import { startTestEngine } from '../support/test-engine.ts';
import { openLaboratory } from './support/laboratory.ts';
import { createTables } from './support/tables.ts';
import { runTrials } from './support/trials.ts';

const queries = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
console.log(`${queries} queries, seed ${seed}`);
const engine = await startTestEngine();
try {
  const laboratory = await openLaboratory(engine.shared, 592);
  await createTables(laboratory);
  const { refusals, ...counts } = await runTrials(laboratory, { seed, queries });
  laboratory.close();
  console.log(counts);
  for (const [reason, count] of refusals) console.log(`refused ${count}: ${reason}`);
} finally {
  await engine.stop();
}
