import { clockSkewMs } from '../../model/materialization-state.ts';
import type { StoredTableRecord } from '../../store/stored-tables.ts';
import type { MaterializationDeps } from '../deps.ts';

const chunk = 100;
/** Delay before retrying to drop a table that could not be dropped on every node. */
const againMs = 60_000;
/** How long names of dropped tables are kept; by then the last statements of dead processes have finished. */
const droppedRetentionMs = 86_400_000;

/** Drops tables that are no longer needed. Returns how many. */
export async function dropDueTables(deps: MaterializationDeps): Promise<number> {
  let total = 0;
  for (;;) {
    const due = await deps.materializations.listDroppable(deps.clock.now(), chunk);
    let dropped = 0;
    for (const table of due) if (await drop(deps, table)) dropped += 1;
    total += dropped;
    if (due.length < chunk || dropped === 0) return total;
  }
}

/**
 * Also retires tables that nothing serves, and drops tables dropped within the last day again, since a statement of a
 * dead process may have recreated them. Repairs due times set by a clock that was ahead. Drops only tables listed in
 * the metadata database.
 */
export async function sweep(deps: MaterializationDeps): Promise<number> {
  const now = deps.clock.now();
  const since = new Date(now.getTime() - droppedRetentionMs);
  await deps.materializations.retireUnserved(now);
  const latest = new Date(now.getTime() + clockSkewMs);
  await deps.materializations.repairFutureSyncs({ now, latest });
  const dropped = await dropDueTables(deps);
  const byProject = Map.groupBy(
    await deps.materializations.listDropped(since),
    (table) => table.projectId,
  );
  for (const [projectId, tables] of byProject) await dropAgain(deps, projectId, tables);
  await deps.materializations.forgetDropped(since);
  return dropped;
}

async function drop(
  deps: MaterializationDeps,
  { name, projectId }: StoredTableRecord,
): Promise<boolean> {
  try {
    await deps.engine.dropTable(projectId, name);
    await deps.materializations.markDropped(name, deps.clock.now());
    return true;
  } catch (error) {
    deps.log.warn({ err: error, projectId, table: name }, 'a stored table could not be dropped');
    const until = new Date(deps.clock.now().getTime() + againMs);
    await deps.materializations.postponeDrop(name, until);
    return false;
  }
}

async function dropAgain(
  deps: MaterializationDeps,
  projectId: number,
  dropped: readonly StoredTableRecord[],
): Promise<void> {
  try {
    const existing = await deps.engine.listStoredTables(projectId);
    // Dropping a table also drops its plan's further tables and the copies of its sources, whose names start with its
    // own.
    const isThere = ({ name }: StoredTableRecord) => existing.some((one) => one.startsWith(name));
    for (const table of dropped) if (isThere(table)) await drop(deps, table);
  } catch (error) {
    deps.log.warn({ err: error, projectId }, 'stored tables could not be swept');
  }
}
