/** Proves a stored table: its reads must return the same result as the inline query over the source data. */
import type { EngineStatement } from '../../engine/query-engine.ts';
import type { ResultShape } from '../../engine/result-shape.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { tablesOf } from '../../model/materialization-plan.ts';
import { type CompiledQuery, compileQuery } from '../../query/compile-query.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { listVariables } from '../../query/variables.ts';
import { isTextError } from '../../sql/sql-analysis.ts';
import { withoutEnd } from '../../sql/statement-end.ts';
import { compileRead, compileReadOfQueries } from '../compile-read.ts';
import type { MaterializationDeps } from '../deps.ts';
import { mayUseTime } from '../planner/text/determinism.ts';
import { hintAtChoice } from './choice-hint.ts';
import { chooseSamples, type Sample } from './choose-samples.ts';
import {
  type ComparisonInput,
  compareResults,
  findImpossibleRow,
  isLimitError,
} from './compare-results.ts';
import type { ProofRequest } from './proof-request.ts';
import { liveSource } from './proof-source.ts';
import { hintAtRounding, isExplainedByRounding } from './rounding.ts';
import { sampleData } from './sample-data.ts';
import { sampleGroups } from './sample-groups.ts';
import { isExplainedByTies } from './settled-order.ts';

interface ProofResult {
  /** A sentence with the first difference and its example; null if there is none. */
  readonly disproof: string | null;
  /**
   * Whether the table was built from the rows it was compared with; otherwise concurrent writes may explain
   * differences.
   */
  readonly isFrozen: boolean;
  /** Whether any rows were compared: an empty table proves little. */
  readonly isConclusive: boolean;
}

const unknownShape: ResultShape = {
  isOneSelect: false,
  precisions: [],
  isRounded: false,
  isDistinct: false,
  keys: [],
  fixed: [],
  cut: null,
  hasInnerCut: false,
};

/** Of a stored table, whose results have hardly more. */
const fewRows = 1000;
/** Samples that are always compared, however long it takes, unless limits stop them. */
const minSamples = 3;
/** Source rows and time that a proof may always use. */
const freeReadRows = 2_000_000;
const freeMs = 10_000;
/** Beyond these, the maximum share of the build's duration. */
const maxShareOfBuild = 0.1;
/** After limits have stopped this many comparisons, the rest are assumed to fail too, but for the usual samples. */
const maxStopped = 3;
/** With those of usual samples. */
const maxStoppedInAll = 5;

/**
 * Compares reads of the stored table with the query, most informative samples first, as long as the cost is
 * proportionate to the build.
 *
 * @throws ServiceError if nothing could be compared, for example because every run exceeds a limit: such a table is
 * not served.
 */
export async function prove(deps: MaterializationDeps, given: ProofRequest): Promise<ProofResult> {
  const query = nestable(given.query);
  const proof = { ...given, query };
  const samples = chooseSamples(proof.query, proof.plan, await sampleData(deps, proof));
  const comparer = await openComparer(deps, proof);
  const began = performance.now();
  const failures: unknown[] = [];
  let [compared, stopped, rows, rowsRead] = [0, 0, 0, 0];
  for (const [at, sample] of samples.entries()) {
    if (stopped >= maxStopped && !(compared === 0 && sample.isUsual)) continue;
    const { isFrozen, ...comparison } = await comparer(sample);
    const found = await compareResults(deps, comparison);
    rowsRead += found.rowsRead;
    if (found.kind === 'same') {
      compared += 1;
      rows += found.rows;
    } else if (found.kind === 'unknown') {
      failures.push(found.error);
      if (found.isLimit) stopped += 1;
    } else if (await isExplained(deps, proof, [sample, await comparer(sample)])) {
      compared += 1;
      rows += 1;
    } else {
      const hint = await hintAtChoice(deps, proof.projectId, proof.query);
      const disproof = `${withExample(sample, found.how)}${hint}${hintAtRounding(comparison.shape)}`;
      return { disproof, isFrozen, isConclusive: true };
    }
    const tookMs = performance.now() - began;
    const isSpent =
      (rowsRead >= freeReadRows || tookMs > freeMs) && tookMs > maxShareOfBuild * proof.buildMs;
    const isEnough = isSpent && compared > 0 && at + 1 >= minSamples;
    if (stopped >= maxStoppedInAll || isEnough) break;
  }
  if (compared === 0 && (stopped > 0 || proof.rows > 0)) throw notCompared(failures[0], query);
  return { disproof: null, isFrozen: true, isConclusive: rows > 0 && proof.rows > 0 };
}

/** The query without a closing semicolon, so that its results can be selected from. */
function nestable(query: ParsedQuery): ParsedQuery {
  const { definition } = query;
  return { ...query, definition: { ...definition, query: withoutEnd(definition.query) } };
}

type Comparer = (sample: Sample) => Promise<ComparisonInput & Pick<ProofResult, 'isFrozen'>>;

async function openComparer(deps: MaterializationDeps, proof: ProofRequest): Promise<Comparer> {
  const { query, table, plan, signal, projectId } = proof;
  const { inline: over } = proof.source ?? liveSource([]);
  const partOf = (await sampleGroups(deps, proof)) ?? ((statement) => statement);
  const shapes = new Map<string, ResultShape>();
  const shapeOf = async (statement: EngineStatement) => {
    const known = shapes.get(statement.sql);
    // LIMIT may be a variable.
    if (known !== undefined && known.cut === null) return known;
    const shape = await readShape(deps, statement);
    shapes.set(statement.sql, shape);
    return shape;
  };
  return async ({ bound, isOfData }) => {
    const { statement: inline, isFrozen } = await over({
      projectId,
      ...compileQuery(query, bound, null),
    });
    const stored = { projectId, ...compileRead(query, bound, { table, plan }) };
    const [shape, storedShape] = [await shapeOf(inline), await shapeOf(stored)];
    const isSmall = proof.rows <= fewRows;
    return { inline, stored, shape, storedShape, partOf, isOfData, isSmall, signal, isFrozen };
  };
}

/** The shape is unknown for a text that the engine rejects; running it reports the error. */
async function readShape(
  deps: MaterializationDeps,
  statement: EngineStatement,
): Promise<ResultShape> {
  try {
    return await deps.engine.shape(statement);
  } catch (error) {
    if (isTextError(error)) return unknownShape;
    throw error;
  }
}

/** Whether the difference is due to something the query leaves undefined, so that two of its runs may differ too. */
async function isExplained(
  deps: MaterializationDeps,
  proof: ProofRequest,
  [sample, compared]: readonly [Sample, ComparisonInput],
): Promise<boolean> {
  if (await isExplainedByTime(deps, proof, [sample, compared])) return true;
  if (await isExplainedByTies(deps, proof, { bound: sample.bound, compared })) return true;
  return isExplainedByRounding(deps, compared);
}

/**
 * Whether time functions alone cause the difference: evaluated in one statement, hence at the same time, both results
 * are equal. Where the stored rows depend on the time of the sync, the stored query is compared instead of the table.
 */
async function isExplainedByTime(
  deps: MaterializationDeps,
  { query, plan, rows, source }: ProofRequest,
  [{ bound }, compared]: readonly [Sample, ComparisonInput],
): Promise<boolean> {
  const storedQueries =
    source?.storedQueries ?? tablesOf(plan).map(({ storedQuery }) => storedQuery);
  const isOfSync = storedQueries.some(mayUseTime);
  if (!isOfSync && !mayUseTime(plan.readQuery)) return false;
  const { inline, shape } = compared;
  const read = compileReadOfQueries(query, bound, { plan, storedQueries });
  const stored = isOfSync ? { ...inline, ...read } : compared.stored;
  const width = (await deps.engine.describe(inline)).length;
  const atOnce = { ...compared, stored };
  if ((await findImpossibleRow(deps, atOnce, { width, rows })) !== null) return false;
  // With LIMIT, rows were compared but not counted.
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

function notCompared(error: unknown, query: ParsedQuery): ServiceError {
  const { code, message } =
    error instanceof ServiceError ? error : ({ code: 'query_failed', message: '' } as const);
  const isOfValues =
    (isTextError(error) || (error instanceof ServiceError && isLimitError(error))) &&
    listVariables(query).length > 0;
  const mend = isOfValues ? ' Give its variables defaults with which it runs.' : '';
  return new ServiceError(
    code,
    `The stored table could not be compared with the query itself, so it is not used: ${message}${mend}`,
  );
}
