/** Builds a stored table within its row limit, and proves it against the query. */
import { syncShare } from '../../access/admission/admission.ts';
import type { StoredTableSize } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { stableJson } from '../../lib/stable-json.ts';
import {
  isRolledUp,
  type MaterializationPlan,
  nameOfTable,
  periodColumns,
  tablesOf,
} from '../../model/materialization-plan.ts';
import { rowLimitOf, tooManyRows } from '../../model/row-limit.ts';
import { compileQuery } from '../../query/compile-query.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import type { MeasuredRead, ProvedTable, SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import { countRows } from '../estimate-size.ts';
import { isRefusedForZero } from '../planner/layout/zero-guards.ts';
import { openProofSource, type ProofSource } from '../proof/proof-source.ts';
import { prove } from '../proof/prove.ts';
import { decidedAgain, withRollUp } from '../roll-up/choose-roll-up.ts';
import { measureRead } from './measure-read.ts';

/** The query cannot be materialized after all; the message is the reason. */
export class MaterializationRefused extends Error {
  /** Whether the served table was made by the same plan, and so is wrong as well. */
  readonly isOfServed: boolean;

  constructor(reason: string, isOfServed = false) {
    super(reason);
    this.isOfServed = isOfServed;
  }
}

export interface Sync {
  readonly deps: MaterializationDeps;
  readonly claim: SyncClaim;
  /** A name that no table ever had. */
  readonly table: string;
  /** By how much the clocks of two processes may differ. */
  readonly skewMs: number;
  readonly signal: AbortSignal;
}

interface BuiltTable {
  readonly plan: MaterializationPlan;
  readonly size: StoredTableSize;
  readonly proved: ProvedTable | null;
  readonly durationMs: number;
  /** Null: not measured. */
  readonly measured: MeasuredRead | null;
}

/** Creates the table and proves it, unless the same plan has been proved for about as many rows. Null when the claim is lost. */
export async function buildTable(sync: Sync, query: ParsedQuery): Promise<BuiltTable | null> {
  const { deps, claim, table, skewMs } = sync;
  const { projectId } = claim;
  const began = performance.now();
  const planned = await planQuery(deps, projectId, query);
  sync.signal.throwIfAborted();
  const again = decidedAgain(planned, claim.plan);
  const registered = { table, now: deps.clock.now(), skewMs };
  if (!(await deps.materializations.registerTable(claim, registered))) return null;
  const request = { projectId, query, table, signal: sync.signal };
  if (again !== null && isSamePlan(claim.plan, again) && claim.proved !== null) {
    const plan = again;
    const size = await createAgain(sync, { query, plan });
    const durationMs = Math.round(performance.now() - began);
    if (isProvedFor(claim, size)) {
      const { rows } = size;
      const measured = await measureRead(deps, { ...request, plan, rows, buildMs: durationMs });
      return { plan, size, durationMs, proved: claim.proved, measured };
    }
    await deps.engine.dropTable(projectId, table);
  }
  const maxRows = rowLimitOf(claim.maxRows, deps.config);
  const plan = await withRollUp(deps, { projectId, plan: planned, maxRows, signal: sync.signal });
  return buildProved(sync, { query, plan, isSamePlan: isSamePlan(claim.plan, plan), began });
}

/**
 * A query is refused only while the engine takes it: with a table missing, no plan can be made, but one may be later.
 *
 * @throws MaterializationRefused
 */
async function planQuery(
  deps: MaterializationDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<MaterializationPlan> {
  const planned = await deps.eligibility.plan(projectId, query);
  if (planned.kind === 'plan') return planned.plan;
  await deps.engine.describe({ projectId, ...compileQuery(query, sampleVariables(query), null) });
  const again = await deps.eligibility.plan(projectId, query);
  if (again.kind === 'refusal') throw new MaterializationRefused(again.reason);
  return again.plan;
}

interface Build {
  readonly query: ParsedQuery;
  readonly plan: MaterializationPlan;
  readonly isSamePlan: boolean;
  /** When the sync began, by the clock of `performance`. */
  readonly began: number;
}

/**
 * Builds the table and compares it over copies of the source, so that writers change neither. When something fails, the
 * copies are dropped with the table.
 */
async function buildProved(sync: Sync, build: Build): Promise<BuiltTable> {
  const { deps, table, signal } = sync;
  const { projectId } = sync.claim;
  const { query, plan, isSamePlan, began } = build;
  const source = await openSource(sync, { query, plan });
  const size = await createTables(sync, plan, source.storedQueries);
  const durationMs = Math.round(performance.now() - began);
  const { rows } = size;
  const proof = { projectId, query, table, plan, rows, buildMs: durationMs, signal, source };
  const { disproof, isFrozen, isConclusive } = await prove(deps, proof);
  if (disproof !== null && isFrozen) throw new MaterializationRefused(disproof, isSamePlan);
  if (disproof !== null) throw sourceMayHaveChanged(disproof);
  await source.release();
  const proved = isConclusive ? { at: deps.clock.now(), rows } : null;
  const measured = await measureRead(deps, proof);
  return { plan, size, durationMs, proved, measured };
}

type PlannedQuery = Pick<Build, 'query' | 'plan'>;

/** Copies of the tables that are read, or these themselves, of which a plan of several tables would see several states. */
async function openSource(
  { deps, claim, table, signal }: Sync,
  { query, plan }: PlannedQuery,
): Promise<ProofSource> {
  const storedQueries = tablesOf(plan).map(({ storedQuery }) => storedQuery);
  const { projectId } = claim;
  const source = await openProofSource(deps, { projectId, query, storedQueries, table, signal });
  if (source.isFrozen || storedQueries.length === 1) return source;
  throw new ServiceError(
    'query_failed',
    'Several tables would be stored, and a table that the query reads cannot be copied, so that they might not be of one time. The sync is tried again.',
  );
}

/** The tables of a plan that has been proved. One table alone needs no copies of its source. */
async function createAgain(sync: Sync, planned: PlannedQuery): Promise<StoredTableSize> {
  const { plan } = planned;
  if (tablesOf(plan).length === 1) return createTables(sync, plan, [plan.storedQuery]);
  const source = await openSource(sync, planned);
  const size = await createTables(sync, plan, source.storedQueries);
  await source.release();
  return size;
}

/** A table that has grown so much may contain cases that the proved one did not. */
const provedGrowth = 10;

function isProvedFor({ proved }: SyncClaim, { rows }: StoredTableSize): boolean {
  return proved !== null && rows < provedGrowth * proved.rows;
}

function isSamePlan(served: MaterializationPlan | null, plan: MaterializationPlan): boolean {
  return served !== null && stableShape(served) === stableShape(plan);
}

/** Equal for plans that read and store in the same way; relative dates in the stored query differ. */
function stableShape({ rollUps: _possible, ...plan }: MaterializationPlan): string {
  const furtherTables = plan.furtherTables?.map(({ sortingKey }) => sortingKey) ?? [];
  const rolledUp = plan.rolledUp ?? null;
  return stableJson({ ...plan, storedQuery: '', furtherTables, rolledUp });
}

/** One after the other; the limit is that of their rows together. Returns the sums. */
async function createTables(
  sync: Sync,
  plan: MaterializationPlan,
  storedQueries: readonly string[],
): Promise<StoredTableSize> {
  const { deps, claim, table, signal } = sync;
  const limit = rowLimitOf(claim.maxRows, deps.config);
  let sum: StoredTableSize = { rows: 0, bytes: 0, rowsRead: 0 };
  for (const [at, { storedQuery, sortingKey }] of tablesOf(plan).entries()) {
    const size = await refusedForZero(
      deps.engine.createTableFrom(
        {
          projectId: claim.projectId,
          table: nameOfTable(table, at),
          sql: storedQueries[at] ?? storedQuery,
          params: {},
          orderBy: sortingKey,
          ends: isRolledUp(plan) ? Object.values(periodColumns) : [],
          maxRows: limit - sum.rows,
          queryId: claim.syncId,
          share: syncShare,
        },
        signal,
      ),
    );
    sum = {
      rows: sum.rows + size.rows,
      bytes: sum.bytes + size.bytes,
      rowsRead: sum.rowsRead + size.rowsRead,
    };
    if (sum.rows > limit) throw await tooMany(sync, { plan, limit });
  }
  return sum;
}

/** A build that met -0 refuses the query until the data or the query changes. @throws MaterializationRefused */
async function refusedForZero<T>(build: Promise<T>): Promise<T> {
  try {
    return await build;
  } catch (error) {
    const isForZero = error instanceof ServiceError && isRefusedForZero(error.message);
    throw isForZero ? new MaterializationRefused(error.message) : error;
  }
}

/** Building stopped one row past the limit; the rows are counted for the message, if that takes seconds. */
async function tooMany(
  { deps, claim, signal }: Sync,
  { plan, limit }: { readonly plan: MaterializationPlan; readonly limit: number },
): Promise<ServiceError> {
  const rows = await countRows(deps, { projectId: claim.projectId, plan, signal });
  return new ServiceError('query_too_large', tooManyRows({ rows, limit }, deps.config));
}

function sourceMayHaveChanged(disproof: string): ServiceError {
  return new ServiceError(
    'query_failed',
    `${disproof} Its source data may have changed meanwhile, so the sync is tried again.`,
  );
}
