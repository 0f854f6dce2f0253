/** `node test/materialization/long-run.ts N [seed]`: N generated queries, each on several sets of generated rows. */
import { startTestEngine } from '../support/test-engine.ts';
import { openLaboratories, runTrials } from './support/trials.ts';

const queries = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
console.log(`${queries} queries, seed ${seed}`);
const engine = await startTestEngine();
try {
  const laboratories = await openLaboratories(engine.shared, seed);
  const { refusals, ...counts } = await runTrials(laboratories, { seed, queries });
  for (const laboratory of laboratories) laboratory.close();
  console.log(counts);
  for (const [reason, count] of refusals) console.log(`refused ${count}: ${reason}`);
} finally {
  await engine.stop();
}
