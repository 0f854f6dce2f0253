/**
 * `node test/hostile/long-fuzz.ts SECONDS [seed]`: all families of hostile input in turn, each round with
 * another seed, against a service of its own. Prints the seed, the inputs tried and the memory; ends with 1
 * at the first guarantee that does not hold, with what finds it again; that memory is bounded is one of them.
 */
import { families } from './families/all.ts';
import { countsOf, type Tally, tryFamily } from './support/family.ts';
import { maxHeapGrowth, memoryProblems, toMegabytes } from './support/memory.ts';
import { valueEndpoints } from './support/saved-endpoints.ts';
import { startServiceProcess } from './support/service-process.ts';
import { bystanders, sweep } from './support/world.ts';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const tally: Tally = new Map();

console.log(`fuzz for ${seconds} s, seed ${seed}`);
const service = await startServiceProcess(
  { MAX_BODY_BYTES: '33000000', CACHE_BYTES: '16777216' },
  valueEndpoints,
);
const deadline = performance.now() + seconds * 1000;
let rounds = 0;
try {
  const before = JSON.stringify(await bystanders(service.world));
  const first = await service.memory();
  for (; performance.now() < deadline; rounds += 1) {
    for (const { family, overSockets } of families) {
      if (performance.now() > deadline) break;
      await tryFamily(service.world, family, { seed: seed + rounds, numRuns: overSockets, tally });
    }
    await sweep(service.world);
    if (JSON.stringify(await bystanders(service.world)) !== before)
      throw new Error(`round ${rounds}: what no input may change was changed`);
    if (service.faults().length > 0) throw new Error(service.faults().slice(0, 5).join('\n'));
  }
  const last = await service.memory();
  const { rss, heap, flights } = last;
  console.log(countsOf(tally));
  console.log(
    `rounds ${rounds}, runs left over ${flights}, heap ${toMegabytes(first.heap)} → ${toMegabytes(heap)} MB, resident ${toMegabytes(first.rss)} → ${toMegabytes(rss)} MB`,
  );
  const problems = memoryProblems(first, last, 4 * maxHeapGrowth);
  if (problems.length > 0) throw new Error(problems.join('; '));
} catch (error) {
  console.log(countsOf(tally));
  console.error(`seed ${seed}, round ${rounds}`, error);
  console.error(service.faults().slice(-5).join('\n').slice(0, 5000));
  process.exitCode = 1;
} finally {
  await service.stop();
}
