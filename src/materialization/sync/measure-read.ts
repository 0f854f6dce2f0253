/** Measures whether reads of a stored table are faster than the inline query. */
import { isInlineFaster } from '../../model/materialization-state.ts';
import { type CompiledQuery, compileQuery } from '../../query/compile-query.ts';
import type { MeasuredRead } from '../../store/sync-records.ts';
import { compileRead } from '../compile-read.ts';
import type { MaterializationDeps } from '../deps.ts';
import { chooseTypicalSamples } from '../proof/choose-samples.ts';
import type { ProofRequest } from '../proof/proof-request.ts';
import { sampleData } from '../proof/sample-data.ts';
import { timedRun } from '../timed-run.ts';

/** Sets of variable values: whole ranges, and one value. */
const maxSamples = 2;
/** Rounds of runs; the fastest counts. The verdict that a table is slower must be certain, so it takes more rounds. */
const usualRounds = 3;
const certainRounds = 10;
/** Once the reads have taken this long in total, fewer rounds are enough, but never fewer than two. */
const certainMs = 2000;
/** If the query takes this many times as long as the read, one round is enough. */
const clearlyFaster = 2;
const maxMs = 3000;
/**
 * The query is not run on the source again while its last time is this many times as long as a read takes now: each sync
 * of a table over much data would take several times as long as building it does.
 */
const muchFaster = 2 * clearlyFaster;
/** Reads of fewer stored bytes are so short that ruling out noise takes more rounds. */
const shortBytes = 1_000_000;
const certainShortRounds = 40;

/**
 * Sums over the sets of values. Null if nothing could be measured: runs then read the table.
 *
 * @param before by an earlier sync of the same plan over about as much data.
 */
export async function measureRead(
  deps: MaterializationDeps,
  proof: ProofRequest,
  before: MeasuredRead | null,
): Promise<MeasuredRead | null> {
  try {
    const measured = await measure(deps, proof, before);
    if (measured === null) return null;
    return { readMs: toMicroseconds(measured.readMs), inlineMs: toMicroseconds(measured.inlineMs) };
  } catch (error) {
    proof.signal.throwIfAborted();
    deps.log.debug({ err: error, table: proof.table }, 'reads of a stored table were not measured');
    return null;
  }
}

/** The resolution of the engine's clock. */
function toMicroseconds(ms: number): number {
  return Math.round(1000 * ms) / 1000;
}

async function measure(
  deps: MaterializationDeps,
  proof: ProofRequest,
  before: MeasuredRead | null,
): Promise<MeasuredRead | null> {
  const { query, plan, table } = proof;
  const data = await sampleData(deps, proof);
  const samples = chooseTypicalSamples(query, plan, data).slice(0, maxSamples);
  if (samples.length === 0) return null;
  const reads = samples.map(({ bound }) => compileRead(query, bound, { table, plan }));
  const inline = samples.map(({ bound }) => compileQuery(query, bound, null));
  const began = performance.now();
  let best: MeasuredRead = { readMs: Infinity, inlineMs: Infinity };
  for (let round = 1; ; round += 1) {
    const read = await runAll(deps, proof, 'read', reads);
    if (round === 1 && before !== null && before.inlineMs > muchFaster * read.ms) {
      return { readMs: read.ms, inlineMs: before.inlineMs };
    }
    const source = await runAll(deps, proof, 'inline', inline);
    best = {
      readMs: Math.min(read.ms, best.readMs),
      inlineMs: Math.min(source.ms, best.inlineMs),
    };
    if (best.inlineMs > clearlyFaster * best.readMs) return best;
    const isOver = performance.now() - began > maxMs || round >= usualRounds;
    const isEnough = isInlineFaster(best) ? round >= roundsUntilCertain(best, read.bytes) : isOver;
    if (isEnough) return best;
  }
}

function roundsUntilCertain({ readMs }: MeasuredRead, bytes: number): number {
  const most = bytes < shortBytes ? certainShortRounds : certainRounds;
  return Math.min(most, Math.max(2, Math.ceil(certainMs / readMs)));
}

/** Total duration by the engine's clock, and total bytes read. */
async function runAll(
  deps: MaterializationDeps,
  { projectId, signal }: ProofRequest,
  of: 'read' | 'inline',
  statements: readonly CompiledQuery[],
): Promise<{ readonly ms: number; readonly bytes: number }> {
  let [ms, bytes] = [0, 0];
  for (const statement of statements) {
    const run = await timedRun(deps, projectId, { statement, signal });
    ms += deps.measuredMs(run.ms, of);
    bytes += run.bytesRead;
  }
  return { ms, bytes };
}
