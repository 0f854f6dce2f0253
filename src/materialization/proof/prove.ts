import { syncShare } from '../../access/admission/admission.ts';
import type { EngineResult, EngineStatement, ResultShape } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { type CompiledQuery, compileQuery } from '../../query/compile-query.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { compileRead } from '../compile-read.ts';
import type { MaterializationDeps } from '../deps.ts';
import { mayUseTime } from '../planner/text/determinism.ts';
import { chooseSamples, type Sample, type SampledData, sampledColumns } from './choose-samples.ts';
import { type ComparisonInput, compareResults, findImpossibleRow } from './compare-results.ts';
import type { ProofRequest } from './proof-request.ts';
import { sampleGroups } from './sample-groups.ts';

export interface ProofResult {
  /** The first difference as a sentence with its example; null: none was found. */
  readonly disproof: string | null;
  /** Whether rows were compared at all: what was shown for none says little about others. */
  readonly isConclusive: boolean;
}

const unknownShape: ResultShape = {
  isOneSelect: false,
  isAggregated: false,
  isDistinct: false,
  keys: [],
  cut: null,
};

/** Compared however long it takes, unless a limit stops it. */
const minSamples = 3;
/** What a proof may read of the source, and how long it may take, whatever the build took. */
const freeReadRows = 2_000_000;
const freeMs = 10_000;
/** Of the time that the build took. */
const maxShareOfBuild = 0.1;
/** A limit that stopped so many comparisons stops the others, too. */
const maxStopped = 3;

/**
 * Compares the stored table with the query on source data for values that stand in the table and for values that do
 * not, the most telling first, as long as that is in proportion to the build.
 *
 * @throws ServiceError when there was nothing that could be compared, as where a limit stops every run: such a table is not
 * served.
 */
export async function prove(deps: MaterializationDeps, proof: ProofRequest): Promise<ProofResult> {
  const samples = chooseSamples(proof.query, proof.plan, await sampleData(deps, proof));
  const comparer = await openComparer(deps, proof);
  const began = performance.now();
  const unknown: unknown[] = [];
  let [compared, stopped, rows, rowsRead] = [0, 0, 0, 0];
  for (const [at, sample] of samples.entries()) {
    const found = await compareResults(deps, await comparer(sample));
    rowsRead += found.rowsRead;
    if (found.kind === 'same') {
      compared += 1;
      rows += found.rows;
    } else if (found.kind === 'unknown') {
      unknown.push(found.error);
      if (found.isLimit) stopped += 1;
    } else if (await isExplainedByTime(deps, proof, { sample, compared: await comparer(sample) })) {
      compared += 1;
      rows += 1;
    } else {
      return { disproof: withExample(sample, found.how), isConclusive: true };
    }
    const tookMs = performance.now() - began;
    const isSpent =
      (rowsRead >= freeReadRows || tookMs > freeMs) && tookMs > maxShareOfBuild * proof.buildMs;
    if (stopped >= maxStopped || (isSpent && at + 1 >= minSamples)) break;
  }
  if (compared === 0 && (stopped > 0 || proof.rows > 0)) throw notCompared(unknown[0]);
  return { disproof: null, isConclusive: rows > 0 && proof.rows > 0 };
}

type Comparer = (sample: Sample) => Promise<ComparisonInput>;

async function openComparer(deps: MaterializationDeps, proof: ProofRequest): Promise<Comparer> {
  const { query, table, plan, signal, projectId } = proof;
  const partOf = (await sampleGroups(deps, proof)) ?? ((statement: CompiledQuery) => statement);
  const shapes = new Map<string, ResultShape>();
  const shapeOf = async (statement: EngineStatement) => {
    const known = shapes.get(statement.sql) ?? (await readShape(deps, statement));
    shapes.set(statement.sql, known);
    return known;
  };
  return async ({ bound, isOfData }) => {
    const inline = { projectId, ...compileQuery(query, bound, null) };
    const stored = { projectId, ...compileRead(query, bound, { table, plan }) };
    const [shape, storedShape] = [await shapeOf(inline), await shapeOf(stored)];
    return { inline, stored, shape, storedShape, partOf, isOfData, signal };
  };
}

/** Of a text that the engine does not take nothing is known; what it has against it shows when it is run. */
async function readShape(
  deps: MaterializationDeps,
  statement: EngineStatement,
): Promise<ResultShape> {
  try {
    return await deps.engine.shape(statement);
  } catch (error) {
    const isOfText =
      error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code);
    if (isOfText) return unknownShape;
    throw error;
  }
}

interface Differing {
  readonly sample: Sample;
  readonly compared: ComparisonInput;
}

/**
 * Whether a query that looks at the clock differs for that reason alone: asked within one statement, and so at one
 * time, what is stored and the query itself are the same.
 */
async function isExplainedByTime(
  deps: MaterializationDeps,
  { query, plan, rows }: ProofRequest,
  { sample: { bound }, compared }: Differing,
): Promise<boolean> {
  if (!mayUseTime(plan.storedQuery) && !mayUseTime(plan.readQuery)) return false;
  const { inline, shape } = compared;
  const read = compileRead(query, bound, { table: `(${plan.storedQuery})`, plan });
  const stored = { ...inline, ...read };
  const width = (await deps.engine.describe(inline)).length;
  const atOnce = { ...compared, stored };
  if ((await findImpossibleRow(deps, atOnce, { width, rows })) !== null) return false;
  // Of a part that LIMIT keeps only its rows were looked at, and not how many they are.
  const count = ({ sql, params }: CompiledQuery) => ({
    sql: `SELECT count() AS n FROM (\n${sql}\n)`,
    params,
  });
  const counts = {
    ...atOnce,
    inline: { ...inline, ...count(inline) },
    stored: { ...stored, ...count(stored) },
  };
  const ofCounts = { ...shape, keys: [], cut: null };
  return (
    (await findImpossibleRow(deps, { ...counts, shape: ofCounts }, { width: 1, rows: 1 })) === null
  );
}

function withExample({ values }: Sample, difference: string): string {
  const example = values === null ? '' : ` for ${JSON.stringify(values)}`;
  return `Its stored table does not give the same result as the query itself${example}: ${difference}.`;
}

function notCompared(error: unknown): ServiceError {
  const [code, words] =
    error instanceof ServiceError
      ? ([error.code, error.message] as const)
      : (['query_failed', ''] as const);
  return new ServiceError(
    code,
    `The stored table could not be compared with the query itself, so it is not used: ${words}`,
  );
}

const maxSampled = 64;

/** Distinct rows from all over the table, however large it is, and the ends of its columns. */
async function sampleData(deps: MaterializationDeps, proof: ProofRequest): Promise<SampledData> {
  const columns = sampledColumns(proof.plan).map(quoteName);
  if (columns.length === 0) return { columns: [], rows: [] };
  const list = columns.join(', ');
  const every = Math.max(1, Math.floor(proof.rows / 20_000));
  const sampled = await query(
    deps,
    proof,
    `SELECT DISTINCT ${list} FROM ${proof.table} WHERE sipHash64(${list}) % ${every} = 0 ORDER BY sipHash64(${list}) LIMIT ${maxSampled}`,
  );
  const found = proof.rows === 0 ? [] : await findEnds(deps, proof, columns);
  return {
    rows: rowsOf(sampled),
    columns: sampled.columns.map(({ type }, at) => ({
      type,
      lowest: found[2 * at] ?? null,
      highest: found[2 * at + 1] ?? null,
    })),
  };
}

/** The lowest and the highest value of each; none where one is of a type that has no order. */
async function findEnds(
  deps: MaterializationDeps,
  proof: ProofRequest,
  columns: readonly string[],
): Promise<readonly unknown[]> {
  const ends = columns.map((column) => `min(${column}), max(${column})`).join(', ');
  try {
    return rowsOf(await query(deps, proof, `SELECT ${ends} FROM ${proof.table}`))[0] ?? [];
  } catch (error) {
    if (error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code))
      return [];
    throw error;
  }
}

function query(
  deps: MaterializationDeps,
  { projectId, signal }: ProofRequest,
  sql: string,
): Promise<EngineResult> {
  const queryId = uuidv7(deps.clock.now());
  return deps.engine.query(
    {
      projectId,
      sql,
      params: {},
      queryId,
      limit: maxSampled,
      offset: 0,
      integers: 'string',
      share: syncShare,
    },
    signal,
  );
}

function rowsOf(result: EngineResult): readonly (readonly unknown[])[] {
  return JSON.parse(result.rows.toString('utf8')) as readonly (readonly unknown[])[];
}
