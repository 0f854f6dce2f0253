/**
 * Measures Querydock on this machine, each figure beside what it is measured against in the same run, and prints
 * every target with whether it is met. `npm run bench` runs all cases, `npm run bench -- hot start` two of them;
 * with `--quick` they take one short round, which tells whether they work and not how fast anything is.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureCompressed } from './compressed.ts';
import { type Effort, fullEffort, quickEffort } from './effort.ts';
import { measureFairness } from './fairness.ts';
import { type Figure, isMet } from './figure.ts';
import { measureHot } from './hot.ts';
import { measureLarge } from './large.ts';
import { measureList } from './list.ts';
import { measureMany } from './many.ts';
import { measureMaterialization } from './materialization.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { printFigures } from './print-figures.ts';
import { measureProcesses } from './processes.ts';
import {
  type CaseResults,
  describeMachine,
  findCommit,
  resultsDir,
  writeResults,
} from './results-file.ts';
import { measureStart } from './start.ts';
import { measureSwaps } from './swaps.ts';
import { measureUncached } from './uncached.ts';

type Measure = (effort: Effort) => Promise<readonly Figure[]>;

const cases: Readonly<Record<string, Measure>> = {
  start: measureStart,
  hot: measureHot,
  large: measureLarge,
  compressed: measureCompressed,
  uncached: measureUncached,
  list: measureList,
  peers: measurePeers,
  many: measureMany,
  processes: measureProcesses,
  materialization: measureMaterialization,
  swaps: measureSwaps,
  fairness: measureFairness,
  overload: measureOverload,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const effort = values.quick ? quickEffort : fullEffort;
const unknown = positionals.filter((name) => !Object.hasOwn(cases, name));
if (unknown.length > 0) {
  console.error(`no such case: ${unknown.join(', ')}; there are ${Object.keys(cases).join(', ')}`);
  process.exit(2);
}

const machine = describeMachine();
const commit = findCommit();
const found: Record<string, CaseResults> = {};
for (const [name, measure] of Object.entries(cases)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  found[name] = await runCase(name, measure);
}
const figures = Object.values(found).flatMap((each) => each.figures);
const count = (met: boolean) => figures.filter((each) => isMet(each) === met).length;
console.log(`\n${count(true)} targets met, ${count(false)} not met`);
const file = path.join(resultsDir, `${new Date().toISOString().replaceAll(':', '-')}.json`);
writeResults(file, { cases: found });
console.log(`the figures with their samples: ${path.relative(process.cwd(), file)}`);
if (Object.values(found).some(({ failure }) => failure !== null)) process.exitCode = 1;

/** A case that fails leaves the others to be measured. */
async function runCase(name: string, measure: Measure): Promise<CaseResults> {
  const startedAt = performance.now();
  console.log(`\n${name}`);
  const outcome = await measure(effort).then(
    (figures) => ({ figures, failure: null }),
    (error: unknown) => ({ figures: [], failure: String(error) }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  printFigures(outcome.figures);
  if (outcome.failure !== null) console.log(`  FAILED: ${outcome.failure}`);
  console.log(`  took ${seconds} s`);
  return { at: new Date().toISOString(), commit, machine, seconds, ...outcome };
}
