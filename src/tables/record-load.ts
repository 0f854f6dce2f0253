import type { Column } from '../engine/query-engine.ts';
import { areSameColumns } from '../engine/same-columns.ts';
import { UnsettledLoad } from '../engine/table-loader.ts';
import { isOutage, ServiceError } from '../errors/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { outagePausesMs, tryAgain } from '../lib/try-again.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditState, AuditStore } from '../store/audit-store.ts';
import type { DataChange, ProjectStore } from '../store/project-store.ts';

interface Deps {
  readonly audit: AuditStore;
  readonly projects: ProjectStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The outcome of a load for its table. */
interface Loaded {
  readonly rows: number;
  readonly columns: readonly Column[];
}

interface LoadEntry {
  readonly projectId: number;
  readonly table: string;
  readonly by: Actor;
  /** The table's columns before; null when it did not exist. */
  readonly existing: readonly Column[] | null;
  /** The load's details in the audit log, besides its table. */
  readonly about: AuditState;
}

const unrecorded =
  'That could not be recorded, so results of the former rows may be served until they expire, or until the table is loaded again.';

/**
 * Loads rows and records that. No transaction spans the engine and the audit log, so there is one entry before the load
 * and one after it; the second also invalidates older cached results, and is written for an unknown outcome as well.
 *
 * @param pausesMs before each further attempt to record the load: the rows are there, and the caller must learn of that.
 * @throws as the load, and ServiceError `error` when the loaded rows could not be recorded.
 */
export async function recordLoad<Result extends Loaded>(
  deps: Deps,
  { projectId, table, by, existing, about }: LoadEntry,
  load: () => Promise<Result>,
  pausesMs: readonly number[] = outagePausesMs,
): Promise<Result> {
  const { audit, clock } = deps;
  const entry = { table, ...about };
  await audit.append({ action: 'data.load', projectId, after: entry, by, at: clock.now() });
  const recorded = { projectId, table, by, action: 'data.loaded' } as const;
  const loaded = await load().catch(async (error: unknown) => {
    if (!(error instanceof UnsettledLoad)) throw error;
    const change = { ...recorded, hasNewColumns: true, after: { ...entry, rows: null } };
    await recordChange(deps, change, `${error.message} ${unrecorded}`, pausesMs);
    throw error;
  });
  const after = { ...entry, rows: loaded.rows };
  const hasNewColumns = areNewColumns(existing, loaded.columns);
  const lost = `The rows are in the table ${table}: do not append them again. ${unrecorded}`;
  await recordChange(deps, { ...recorded, hasNewColumns, after }, lost, pausesMs);
  return loaded;
}

/** @param existing the table's columns before; null when it did not exist. */
export function areNewColumns(
  existing: readonly Column[] | null,
  columns: readonly Column[],
): boolean {
  return existing === null || !areSameColumns(existing, columns);
}

/**
 * Records a change of data that the engine has made, and invalidates older cached results.
 *
 * @param lost what the caller must know if it cannot be recorded.
 * @throws ServiceError `error` with `lost`: no code that clients answer by making the change again.
 */
export async function recordChange(
  { projects, log }: Pick<Deps, 'projects' | 'log'>,
  change: DataChange,
  lost: string,
  pausesMs: readonly number[] = outagePausesMs,
): Promise<void> {
  const { action, projectId, table } = change;
  const about = { action, projectId, table };
  const onFailure = (err: unknown) =>
    log.warn({ err, ...about }, 'a change of data could not be recorded yet');
  try {
    await tryAgain(() => projects.recordDataChange(change), {
      pausesMs,
      isPassing: isOutage,
      onFailure,
    });
  } catch (error) {
    log.error({ err: error, ...about }, 'a change of data could not be recorded');
    throw new ServiceError('error', lost, { cause: error });
  }
}
