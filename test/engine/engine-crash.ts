/**
 * `node test/engine/engine-crash.ts SECONDS [seed]`: every function of the engine with hostile arguments, every aggregate function
 * with states of crafted bytes and of its own, against a local engine. Prints what was tried; ends with 1 at the first text that
 * ends the engine, is not answered, opens a file, or hands it a state.
 */
import { openTrial } from './support/crash-trial.ts';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
console.log(`hostile calls for ${seconds} s, seed ${seed}`);
const trial = await openTrial(seed);
const deadline = performance.now() + seconds * 1000;
const faults: string[] = [];
try {
  while (performance.now() < deadline && faults.length < 20) {
    const fault = await trial.next();
    if (fault === null) continue;
    faults.push(fault);
    console.error(fault.slice(0, 2000));
  }
  console.log(trial.counts());
} finally {
  await trial.close();
}
process.exit(faults.length === 0 ? 0 : 1);
