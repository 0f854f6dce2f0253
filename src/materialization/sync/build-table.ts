/** Builds a stored table within its row limit and proves it against the query. */
import type { ShardLookup } from '../../engine/frozen-tables.ts';
import type { StoredTableSize } from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import {
  type MaterializationPlan,
  needsOneState,
  tablesOf,
} from '../../model/materialization-plan.ts';
import { rowLimitOf } from '../../model/row-limit.ts';
import { compileQuery } from '../../query/compile-query.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import type { MeasuredRead, ProvedTable } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import { liveSource, openProofSource, type ProofSource } from '../proof/proof-source.ts';
import { prove } from '../proof/prove.ts';
import { decidedAgain, isPlain, plainPlan, withStorage } from '../storage/choose-storage.ts';
import { createTables } from './create-tables.ts';
import { measureRead } from './measure-read.ts';
import { orOfColumns, type PlannedQuery, startAgain } from './or-of-columns.ts';
import { isSamePlan } from './same-plan.ts';
import { requireSameRows } from './same-rows.ts';
import { MaterializationRefused, type Sync } from './sync.ts';

interface BuiltTable {
  readonly plan: MaterializationPlan;
  readonly size: StoredTableSize;
  readonly proved: ProvedTable | null;
  readonly durationMs: number;
  /** Null if not measured. */
  readonly measured: MeasuredRead | null;
}

/**
 * Builds and proves the table; skips the proof if the same plan was proved for about as many rows. Null if the claim
 * is lost.
 */
export async function buildTable(sync: Sync, query: ParsedQuery): Promise<BuiltTable | null> {
  const { deps, claim, table, skewMs } = sync;
  const { projectId } = claim;
  const began = performance.now();
  const planned = await planQuery(deps, projectId, query);
  await requireSameRows(deps, projectId, query);
  sync.signal.throwIfAborted();
  const registered = { table, now: deps.clock.now(), skewMs };
  if (!(await deps.materializations.registerTable(claim, registered))) return null;
  return orOfColumns(sync, { query, plan: planned }, async (plan) => {
    const build = { query, plan, began };
    return (await buildProvedBefore(sync, build)) ?? (await buildDecided(sync, build));
  });
}

/** Reuses the proved plan; null if there is none or the table has grown too much since. */
async function buildProvedBefore(sync: Sync, planned: Build): Promise<BuiltTable | null> {
  const { deps, claim, table, signal } = sync;
  const { projectId, proved } = claim;
  const { query, began } = planned;
  const plan = decidedAgain(planned.plan, claim.plan);
  if (plan === null || !isSamePlan(claim.plan, plan) || proved === null) return null;
  return orPlain(sync, planned, plan, async () => {
    const size = await createAgain(sync, { query, plan });
    const durationMs = Math.round(performance.now() - began);
    if (!isProvedFor(proved, size)) {
      await deps.engine.dropTable(projectId, table);
      return null;
    }
    const request = { projectId, query, table, signal, rows: size.rows, buildMs: durationMs };
    const before = hasShrunk(proved, size) ? null : claim.measured;
    const measured = await measureRead(deps, { ...request, plan }, before);
    return { plan, size, durationMs, proved, measured };
  });
}

/** Chooses the storage from the data, then builds and proves. */
async function buildDecided(sync: Sync, planned: Build): Promise<BuiltTable> {
  const { deps, claim, signal } = sync;
  const maxRows = rowLimitOf(claim.maxRows, deps.config);
  const request = { projectId: claim.projectId, plan: planned.plan, maxRows, signal };
  const plan = await withStorage(deps, request);
  return orPlain(sync, planned, plan, () => buildProved(sync, { ...planned, plan }));
}

/**
 * A failure that the chosen storage may cause must not refuse the query, so the plan is retried without periods and
 * counts.
 */
async function orPlain<T>(
  sync: Sync,
  planned: Build,
  plan: MaterializationPlan,
  work: () => Promise<T>,
): Promise<T | BuiltTable> {
  try {
    return await work();
  } catch (error) {
    if (isPlain(plan) || !isOfStorage(error)) throw error;
    await startAgain(sync, error, 'a table is stored in the plain way instead');
    return buildProved(sync, { ...planned, plan: plainPlan(planned.plan) });
  }
}

/** Whether the chosen storage, rather than the query, may be the cause of the error. */
function isOfStorage(error: unknown): boolean {
  const isOfMemory = error instanceof ServiceError && error.code === 'query_memory_limit';
  return error instanceof SourceNotFrozen || error instanceof MaterializationRefused || isOfMemory;
}

/**
 * Refuses only a query that the engine accepts: with a table missing, no plan can be made now, but may be later.
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
  if (again.kind === 'refusal') throw new MaterializationRefused(again.reason, true);
  return again.plan;
}

interface Build extends PlannedQuery {
  /** `performance` time at which the sync began. */
  readonly began: number;
}

/**
 * Builds and compares the table over copies of the source, so that concurrent writes affect neither. On failure the
 * copies are dropped with the table.
 */
async function buildProved(sync: Sync, build: Build): Promise<BuiltTable> {
  const { deps, table, signal } = sync;
  const { projectId } = sync.claim;
  const { query, plan, began } = build;
  const source = await openSource(sync, { query, plan });
  const size = await createOfOneState(sync, plan, source);
  const durationMs = Math.round(performance.now() - began);
  const { rows } = size;
  const proof = { projectId, query, table, plan, rows, buildMs: durationMs, signal, source };
  const { disproof, isFrozen, isConclusive } = await prove(deps, proof);
  if (disproof !== null && isFrozen) {
    throw new MaterializationRefused(disproof, isSamePlan(sync.claim.plan, plan));
  }
  if (disproof !== null) throw sourceMayHaveChanged(disproof);
  await source.release();
  const proved = isConclusive ? { at: deps.clock.now(), rows } : null;
  const measured = await measureRead(deps, proof, null);
  return { plan, size, durationMs, proved, measured };
}

/** Copies of the source tables, or the tables themselves. */
function openSource(
  { deps, claim, table, signal }: Sync,
  { query, plan }: PlannedQuery,
): Promise<ProofSource> {
  const storedQueries = tablesOf(plan).map(({ storedQuery }) => storedQuery);
  const { projectId } = claim;
  return openProofSource(deps, { projectId, query, storedQueries, table, signal });
}

/** Where the plan needs one state of the source and there are no copies, the source must not change meanwhile. */
async function createOfOneState(
  sync: Sync,
  plan: MaterializationPlan,
  source: ProofSource,
): Promise<StoredTableSize> {
  if (source.isFrozen || !needsOneState(plan)) return createTables(sync, plan, source);
  if (source.lookup !== null) throw new MaterializationRefused(ofShards(source.lookup), true);
  const { deps, claim } = sync;
  const { projectId } = claim;
  const statements = tablesOf(plan).map(({ storedQuery: sql }) => ({ projectId, sql, params: {} }));
  const before = await deps.engine.sourceState({ projectId, statements });
  if ('unclear' in before) {
    const what = before.unclear ?? 'a table that the query reads';
    throw new SourceNotFrozen(`${what} can neither be copied nor tell whether it changes`);
  }
  const size = await createTables(sync, plan, source);
  const after = await deps.engine.sourceState({ projectId, statements });
  if ('unclear' in after || after.state !== before.state)
    throw new SourceNotFrozen(
      'a table that the query reads cannot be copied and has changed meanwhile',
    );
  return size;
}

function ofShards({ of, table }: ShardLookup): string {
  return `Each shard of ${of} looks up its own rows of ${table}, but several tables would be stored, which all shards have in common. Write GLOBAL JOIN or GLOBAL IN.`;
}

class SourceNotFrozen extends ServiceError {
  constructor(what: string) {
    super(
      'query_failed',
      `The rows have to be stored as of one time although they are read several times, but ${what}. The sync is tried again.`,
    );
  }
}

/** Rebuilds the tables of a proved plan. Copies are needed only if the plan needs one state of the source. */
async function createAgain(sync: Sync, planned: PlannedQuery): Promise<StoredTableSize> {
  const { plan } = planned;
  if (!needsOneState(plan)) return createTables(sync, plan, liveSource([plan.storedQuery]));
  const source = await openSource(sync, planned);
  const size = await createOfOneState(sync, plan, source);
  await source.release();
  return size;
}

/** A table that has grown by this factor may contain cases that the proof did not cover. */
const provedGrowth = 10;

function isProvedFor(proved: ProvedTable, { rows }: StoredTableSize): boolean {
  return rows < provedGrowth * proved.rows;
}

/** The query may take a fraction of its earlier time. */
function hasShrunk(proved: ProvedTable, { rows }: StoredTableSize): boolean {
  return provedGrowth * rows < proved.rows;
}

function sourceMayHaveChanged(disproof: string): ServiceError {
  return new ServiceError(
    'query_failed',
    `${disproof} Its source data may have changed meanwhile, so the sync is tried again.`,
  );
}
