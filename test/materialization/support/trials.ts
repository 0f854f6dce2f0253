/** Many generated cases, several at a time; a failing one is made as small as possible. */
import fc from 'fast-check';
import { fixedProjectIds } from '../../support/project-ids.ts';
import type { TestEngine } from '../../support/test-engine.ts';
import { type Case, compare } from './comparison.ts';
import { cases } from './grammar.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { createTables } from './tables.ts';

export interface Tally {
  queries: number;
  planned: number;
  /** Cases: a generated query with generated rows and values, whose read was the inline run's. */
  compared: number;
  /** Of these, with at least one row. */
  withRows: number;
  /** Of these, through tables that store periods. */
  byPeriod: number;
  /** Of these, through tables that set the greatest groups apart. */
  byTop: number;
  /** Reason → number of queries. */
  readonly refusals: Map<string, number>;
}

const PARALLEL = 4;

/** Projects that no other test uses, each with the same tables and rows of its own. */
const projectIds = fixedProjectIds.trials;

/** @param seed of the rows. */
export async function openLaboratories(
  engine: TestEngine,
  seed: number,
): Promise<readonly Laboratory[]> {
  const laboratories: Laboratory[] = [];
  for (const [at, id] of projectIds.entries()) {
    const laboratory = await openLaboratory(engine, id);
    await createTables(laboratory, seed + at);
    laboratories.push(laboratory);
  }
  return laboratories;
}

const zero = { queries: 0, planned: 0, compared: 0, withRows: 0, byPeriod: 0, byTop: 0 };

/** Throws fast-check's report, with the seed, the path and the smallest failing case. */
export async function runTrials(
  laboratories: readonly Laboratory[],
  { seed, queries }: { readonly seed: number; readonly queries: number },
): Promise<Tally> {
  const tally: Tally = { ...zero, refusals: new Map() };
  const examples = fc.sample(cases, { seed, numRuns: queries });
  let next = 0;
  const work = async () => {
    for (let at = next++; at < examples.length; at = next++) {
      const example = examples[at];
      if (example !== undefined) await countTrial({ laboratories, tally, example, seed, at });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return tally;
}

interface Trial {
  readonly laboratories: readonly Laboratory[];
  readonly tally: Tally;
  readonly example: Case;
  readonly seed: number;
  readonly at: number;
}

async function countTrial({ laboratories, tally, example, seed, at }: Trial): Promise<void> {
  try {
    const { compared, withRows, byPeriod, byTop, refusal } = await compare(laboratories, example);
    tally.queries += 1;
    tally.compared += compared;
    tally.withRows += withRows;
    tally.byPeriod += byPeriod;
    tally.byTop += byTop;
    if (refusal === null) tally.planned += 1;
    else tally.refusals.set(refusal, (tally.refusals.get(refusal) ?? 0) + 1);
  } catch (error) {
    await shrink(laboratories, { seed, path: String(at) });
    // It failed only once: report the seed and the path all the same.
    throw new Error(`seed ${seed}, path "${at}": ${String(error)}`, { cause: error });
  }
}

/** Runs the failing case again, and smaller ones until none fails. */
async function shrink(
  laboratories: readonly Laboratory[],
  where: { readonly seed: number; readonly path: string },
): Promise<void> {
  const property = fc.asyncProperty(cases, async (example) => {
    await compare(laboratories, example);
  });
  await fc.assert(property, { ...where, numRuns: 1 });
}
