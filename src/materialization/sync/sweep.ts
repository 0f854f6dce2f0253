import { clockSkewMs } from '../../model/materialization-state.ts';
import type { StoredTableRecord } from '../../store/stored-tables.ts';
import type { MaterializationDeps } from '../deps.ts';

const chunk = 100;
/** How long a dropped table's name is kept: what a process said to the engine as it died is done by then. */
const droppedRetentionMs = 86_400_000;

/** Drops the tables that nobody needs any more. Answers how many. */
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
 * Also finds what was orphaned past this service, and drops once more what was dropped within a day, should
 * a statement of a dead process have made it after that. Makes due what a clock that was ahead has put off. Touches only names that the records hold.
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
    return false;
  }
}

async function dropAgain(
  deps: MaterializationDeps,
  projectId: number,
  dropped: readonly StoredTableRecord[],
): Promise<void> {
  try {
    const there = new Set(await deps.engine.listStoredTables(projectId));
    for (const table of dropped) if (there.has(table.name)) await drop(deps, table);
  } catch (error) {
    deps.log.warn({ err: error, projectId }, 'stored tables could not be swept');
  }
}
