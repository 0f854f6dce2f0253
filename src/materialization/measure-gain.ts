/** Measures the expected gain of a materialization before anything is built. */
import { withTimeLimit } from '../lib/time-limit.ts';
import {
  isSplit,
  type MaterializationPlan,
  nameOfTable,
  type PlannedPredicate,
  readOf,
  storedTable,
  tablesOf,
} from '../model/materialization-plan.ts';
import { type CompiledQuery, compileQuery } from '../query/compile-query.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import { parseQuery } from '../query/query-definition.ts';
import { parseClickHouseType, withoutWrappers } from '../sql/clickhouse-type.ts';
import { quoteName } from '../sql/quote-name.ts';
import type { MaterializationDeps } from './deps.ts';
import { estimateSourceRows } from './estimate-size.ts';
import {
  type Alternative,
  clearGain,
  type ExpectedGain,
  expectGain,
  type MeasuredReads,
} from './gain-advice.ts';
import { chooseTypicalSamples, type Sample } from './proof/choose-samples.ts';
import { sampleData } from './proof/sample-data.ts';
import { readCondition } from './storage/read-condition.ts';
import { fastestRun, timedRun } from './timed-run.ts';

interface GainRequest {
  readonly projectId: number;
  readonly query: ParsedQuery;
  readonly plan: MaterializationPlan;
  /** Rows that would be stored. */
  readonly rows: number;
  readonly signal?: AbortSignal | undefined;
}

/** Time limit for measuring. */
const measureMs = 5000;
/** Sets of values: whole ranges, and a part of them. */
const maxSamples = 2;
/** The first run of a text fills the engine's caches. */
const runsEach = 2;

/** Null if it takes too long or the query cannot be run with values of the data. */
export async function measureGain(
  deps: MaterializationDeps,
  request: GainRequest,
): Promise<ExpectedGain | null> {
  const { signal: given } = request;
  const signal = withTimeLimit(measureMs, given);
  try {
    const measured = await measureReads(deps, request, signal);
    if (measured === null) return null;
    const expected = expectGain(measured, null);
    if (expected.expectedGain >= clearGain) return expected;
    return expectGain(measured, await findAlternative(deps, request, signal));
  } catch {
    given?.throwIfAborted();
    return null;
  }
}

async function measureReads(
  deps: MaterializationDeps,
  request: GainRequest,
  signal: AbortSignal,
): Promise<MeasuredReads | null> {
  const { projectId, query, plan, rows } = request;
  const tableOf = (number: number) => `(${tablesOf(plan)[number]?.storedQuery ?? ''})`;
  const proof = { ...request, table: '', buildMs: 0, signal };
  const data = await sampleData(deps, proof, tableOf);
  const samples = chooseTypicalSamples(query, plan, data);
  const measured: (Pick<MeasuredReads, 'inlineMs' | 'inlineRows'> & { stored: number })[] = [];
  for (const { bound } of samples.slice(0, maxSamples)) {
    const statement = compileQuery(query, bound, null);
    const inline = await fastestRun(runsEach, () =>
      timedRun(deps, projectId, { statement, signal }),
    );
    const counted = isSplit(plan) ? countReadOfParts : countRead;
    measured.push({
      inlineMs: inline.ms,
      inlineRows: inline.rowsRead,
      stored: await counted(deps, request, { bound, signal }),
    });
  }
  if (measured.length === 0) return null;
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const sourceRows = await estimateSourceRows(deps, { projectId, plan });
  return {
    rows,
    // The engine estimates 0 for generated rows.
    sourceRows: sourceRows === 0 && rows > 0 ? null : sourceRows,
    inlineMs: mean(measured.map(({ inlineMs }) => inlineMs)),
    inlineRows: mean(measured.map(({ inlineRows }) => inlineRows)),
    storedRows: mean(measured.map(({ stored }) => stored)),
  };
}

/** Stored rows a run reads: those selected by the variables, or all of them without a sorting key. */
async function countRead(
  deps: MaterializationDeps,
  { projectId, query, plan, rows }: GainRequest,
  { bound, signal }: Pick<Sample, 'bound'> & { readonly signal: AbortSignal },
): Promise<number> {
  const condition = readCondition(plan.readQuery);
  if (condition === null || plan.sortingKey.length === 0) return rows;
  const count = `SELECT count() FROM ${storedTable} WHERE ${condition}`;
  const text = readOf(count, `(${plan.storedQuery})`);
  const parsed = parseQuery({ ...query.definition, query: text });
  return countOf(deps, projectId, { statement: compileQuery(parsed, bound, null), signal });
}

/** For a plan with several tables, the sum over them of the rows selected by the sorting key, or all rows. */
async function countReadOfParts(
  deps: MaterializationDeps,
  { projectId, query, plan }: GainRequest,
  { bound, signal }: Pick<Sample, 'bound'> & { readonly signal: AbortSignal },
): Promise<number> {
  let rows = 0;
  for (const [number, { storedQuery, sortingKey }] of tablesOf(plan).entries()) {
    const name = nameOfTable(storedTable, number);
    const isReadOnce = plan.readQuery.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1;
    const conditions = plan.predicates.flatMap(({ table, column, condition }) => {
      const isFound = table === number && column !== null && sortingKey.includes(column);
      return isFound && isReadOnce && condition !== undefined ? [`(${condition})`] : [];
    });
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const text = `SELECT count() FROM (${storedQuery})${where}`;
    const parsed = parseQuery({ ...query.definition, query: text });
    rows += await countOf(deps, projectId, {
      statement: compileQuery(parsed, bound, null),
      signal,
    });
  }
  return rows;
}

/**
 * A time range compared by day instead, if that stores fewer rows. Applies only to aggregates merged at read time;
 * other rows are stored whatever they are compared with.
 */
async function findAlternative(
  deps: MaterializationDeps,
  { projectId, plan }: GainRequest,
  signal: AbortSignal,
): Promise<Alternative | null> {
  if (plan.aggregates.length === 0) return null;
  const sql = plan.storedQuery;
  const columns = await deps.engine.describe({ projectId, sql, params: {} });
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.type ?? '';
  const isTime = ({ column, operator }: PlannedPredicate) =>
    /^[<>]=?$/.test(operator) && column !== null && isDateTime(typeOf(column));
  const compared = plan.predicates.find(isTime);
  if (compared === undefined) return null;
  const keys = columns
    .filter(({ name }) => !/^__(a|querydock_)/.test(name))
    .map(({ name }) => name);
  const coarser = keys.map((name) =>
    name === compared.column ? `toDate(${quoteName(name)})` : quoteName(name),
  );
  const distinct = `SELECT DISTINCT ${coarser.join(', ')} FROM (${sql})`;
  const statement = { sql: `SELECT count() FROM (${distinct})`, params: {} };
  const { expression: insteadOf } = compared;
  const rows = await countOf(deps, projectId, { statement, signal });
  return { expression: `toDate(${insteadOf})`, insteadOf, rows };
}

function isDateTime(type: string): boolean {
  return withoutWrappers(parseClickHouseType(type)).name.startsWith('DateTime');
}

async function countOf(
  deps: MaterializationDeps,
  projectId: number,
  given: { readonly statement: CompiledQuery; readonly signal: AbortSignal },
): Promise<number> {
  const { rows } = await timedRun(deps, projectId, given);
  const [[counted = 0] = []] = JSON.parse(rows) as number[][];
  return counted;
}
