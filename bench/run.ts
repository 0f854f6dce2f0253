/**
 * Prints what Querydock costs on this machine, each figure beside what it is measured against in the
 * same run. `npm run bench` runs all cases; `npm run bench -- start` one of them.
 */
import { measureFairness } from './fairness.ts';
import { measureHot } from './hot.ts';
import { measureMaterialization } from './materialization.ts';
import { measureOverload } from './overload.ts';
import { measurePaths } from './paths.ts';
import { measureStart } from './start.ts';
import { measureSwaps } from './swaps.ts';

const cases = {
  start: measureStart,
  paths: measurePaths,
  hot: measureHot,
  materialization: measureMaterialization,
  fairness: measureFairness,
  overload: measureOverload,
  swaps: measureSwaps,
} as const;
const wanted = process.argv.slice(2);

for (const [name, measure] of Object.entries(cases)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  for (const line of await measure()) console.log(`  ${line}`);
}
